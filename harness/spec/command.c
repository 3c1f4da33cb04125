/* Command lines of commands, and their --help. */
#include "base/status.h"
#include "harness/spec/spec_options.h"

#include <stdio.h>
#include <string.h>

void command_list_kernels(void)
{
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++) {
		printf("  %-12s %s\n", (*k)->name, (*k)->summary);
		for (const struct kernel_option *o = (*k)->options; o->name; o++)
			printf("      --%-8s %s (default %s)\n", o->name, o->help, o->value);
	}
}

static void help(const struct command *c)
{
	static const struct option last[] = { { "help", NULL, "this text", OPTION_FLAG, .at = 0 }, { .name = NULL } };

	fputs(c->usage, stdout);
	if (c->options)
		option_help(spec_table, c->options);
	option_help(c->own, 0);
	option_help(last, 0);
	printf("%s", c->notes ? c->notes : "");
	if (c->kernel) {
		printf("\nkernels and their options:\n");
		command_list_kernels();
	}
}

static int find_kernel(struct options *o, const struct kernel_ops **kernel, struct rb_error *err)
{
	const char *name = o->argc > 1 ? o->argv[1] : NULL;
	char known[128] = "";
	size_t used = 0;

	*kernel = name ? kernel_find(name) : NULL;
	o->at = 2;
	if (*kernel)
		return RB_OK;
	for (const struct kernel_ops *const *k = kernel_registry; *k && used < sizeof known; k++)
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", (*k)->name);
	return rb_fail(err, RB_EINVAL, "%s%sexpected a kernel first: %s", name ? name : "",
		       name ? ": unknown kernel: " : "", known);
}

/* Its own options come first, so that a command may have one of a run's name in another meaning. */
static int take(const struct command *c, const struct option *of_run, struct options *o, struct run_spec *spec,
		void *own, struct rb_error *err)
{
	const struct option *row = option_find(c->own, o->name);

	if (row && (o->name[0] || !*(const char **)((char *)own + row->at)))
		return options_take(o, row, own, err);
	row = o->name[0] ? option_find(of_run, o->name) : NULL;
	if (row && row->commands & c->options)
		return options_take(o, row, spec, err);
	return c->kernel && o->name[0] ? spec_unknown(spec->kernel, o->name, err) : options_unknown(o, err);
}

int command_parse(const struct command *c, int argc, char **argv, struct run_spec *spec, void *own,
		  struct rb_error *err)
{
	struct options o = { argc, argv, 1, "", NULL };
	const struct kernel_ops *kernel = kernel_registry[0];
	struct option of_run[OPTIONS_MAX];

	if (options_help(argc, argv)) {
		help(c);
		return 1;
	}
	if (c->kernel)
		RB_TRY(find_kernel(&o, &kernel, err));
	spec_init(spec, kernel);
	spec_options(kernel, of_run);
	while (options_next(&o))
		RB_TRY(take(c, of_run, &o, spec, own, err));
	return RB_OK;
}
