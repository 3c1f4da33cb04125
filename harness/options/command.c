#include "harness/options/command.h"

#include "base/status.h"
#include "harness/options/recorded_kernel.h"
#include "harness/options/spec_options.h"
#include "forecast/pattern/allreduce.h"

#include <string.h>

/* A command line, argument by argument. */
struct words {
	int argc;
	char **argv;
	int at;        /* next argument */
	char name[64]; /* of the option last read, without dashes; "": it is none */
	/* the text after '=', or the argument that is no option; otherwise NULL */
	const char *value;
};

void command_list_kernels(void)
{
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++) {
		printf("  %-12s %s\n", (*k)->name, (*k)->summary);
		for (const struct kernel_option *o = (*k)->options; o->name; o++)
			printf("      --%-8s %s (default %s)\n", o->name, o->help, o->value);
	}
}

bool command_help_asked(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static void help(const struct command *c)
{
	static const struct option last[] = { { .name = "help", .help = "this text" },
					      { .name = NULL } };

	fputs(c->usage, stdout);
	if (c->options)
		option_help(spec_table, c->options);
	option_help(c->own, 0);
	if (c->shared)
		option_help(c->shared, 0);
	option_help(last, 0);
	printf("%s", c->notes ? c->notes : "");
	if (c->kernel) {
		printf("\nkernels and their options:\n");
		command_list_kernels();
	}
}

static int find_kernel(struct words *w, const struct command *c, const struct kernel_ops **kernel,
		       struct rb_error *err)
{
	const char *name = w->argc > 1 ? w->argv[1] : NULL;
	char known[128] = "";
	size_t used = 0;

	*kernel = c->profiles ? kernel_or_profile(name) : name ? kernel_find(name) : NULL;
	if (c->allreduce && name && strcmp(name, allreduce.name) == 0)
		*kernel = &allreduce;
	w->at = 2;
	if (*kernel)
		return RB_OK;
	for (const struct kernel_ops *const *k = kernel_registry; *k && used < sizeof known; k++)
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
					 used ? ", " : "", (*k)->name);
	return rb_fail(err, RB_EINVAL, "%s%sexpected a kernel first: %s%s", name ? name : "",
		       name ? ": unknown kernel: " : "", known,
		       c->profiles ? ", or a profile: FILE.csv, FILE.csv.gz" : "");
}

static bool next(struct words *w)
{
	const char *text = w->at < w->argc ? w->argv[w->at++] : NULL, *equals;

	if (!text)
		return false;
	w->name[0] = '\0';
	w->value = text;
	if (strncmp(text, "--", 2) != 0 || !text[2])
		return true;
	equals = strchr(text, '=');
	w->value = equals ? equals + 1 : NULL;
	snprintf(w->name, sizeof w->name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
	return true;
}

/* The value of the option last read is behind '=' or the next argument. */
static int find_value(struct words *w, struct rb_error *err)
{
	if (!w->value && w->at >= w->argc)
		return rb_fail(err, RB_EINVAL, "--%s: a value is missing", w->name);
	w->value = w->value ? w->value : w->argv[w->at++];
	return RB_OK;
}

static int set(struct words *w, const struct option *row, void *base, struct rb_error *err)
{
	const char *given = row->given ? row->given : "";
	char text[256];

	if (!row->value && w->name[0])
		return option_set(row, base, given, err);
	RB_TRY(find_value(w, err));
	snprintf(text, sizeof text, "%s%s", given, w->value);
	return option_set(row, base, given[0] ? text : w->value, err);
}

/* The command's own options come first, so that one may have the name of an option of a run and
 * another meaning. */
static int take(const struct command *c, const struct option *of_run, struct words *w,
		struct run_spec *spec, void *own, struct rb_error *err)
{
	const struct option *row = option_find(c->own, w->name);

	if (!row && c->shared && w->name[0])
		row = option_find(c->shared, w->name);
	/* A command takes one argument that is no option, unless its row has a function that takes
	 * more. */
	if (row &&
	    (w->name[0] || row->type == OPTION_OWN || !*(const char **)((char *)own + row->at)))
		return set(w, row, own, err);
	row = w->name[0] && spec ? option_find(of_run, w->name) : NULL;
	if (row && row->commands & c->options)
		return set(w, row, spec, err);
	if (c->other && w->name[0]) {
		RB_TRY(find_value(w, err));
		return c->other(own, w->name, w->value, err);
	}
	if (c->kernel && w->name[0])
		return spec_unknown(spec->kernel, w->name, err);
	return rb_fail(err, RB_EINVAL, "%s%.100s: unexpected; see --help", w->name[0] ? "--" : "",
		       w->name[0] ? w->name : w->value);
}

int command_parse(const struct command *c, int argc, char **argv, struct run_spec *spec, void *own,
		  struct rb_error *err)
{
	struct words w = { argc, argv, 1, "", NULL };
	const struct kernel_ops *kernel = kernel_registry[0];
	struct option of_run[OPTIONS_MAX];

	if (command_help_asked(argc, argv)) {
		help(c);
		return 1;
	}
	if (c->kernel)
		RB_TRY(find_kernel(&w, c, &kernel, err));
	if (spec)
		spec_init(spec, kernel);
	if (spec && c->profiles)
		RB_TRY(recorded_kernel_np(kernel, &spec->np, err));
	spec_options(kernel, of_run);
	while (next(&w))
		RB_TRY(take(c, of_run, &w, spec, own, err));
	return RB_OK;
}

void command_print_word(FILE *to, const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";

	if (*text && !text[strspn(text, plain)]) {
		fputs(text, to);
		return;
	}
	fputc('\'', to);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", to);
		else
			fputc(*text, to);
	fputc('\'', to);
}

void command_print(FILE *to, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		fputc(' ', to);
		command_print_word(to, argv[i]);
	}
}

static void print_option(FILE *to, const char *name, const char *value)
{
	fprintf(to, " --%s ", name);
	command_print_word(to, value);
}

/* An option that has no effect is left out. */
static bool is_told(const struct option *options, const struct option *o,
		    const struct run_spec *spec)
{
	const struct option *other = o->needs ? option_find(options, o->needs) : NULL;

	if (o->type == OPTION_OWN || o->given || (other && option_is_standard(other, spec)))
		return false;
	return o->always || !option_is_standard(o, spec);
}

static void print_hosts(FILE *to, const struct hosts *hosts)
{
	char number[16];

	if (!hosts || !hosts->file)
		return;
	print_option(to, "hostfile", hosts->file);
	snprintf(number, sizeof number, "%d", hosts->spare_hosts);
	if (hosts->spare_hosts > 0)
		print_option(to, "spare-hosts", number);
}

void command_of(const struct run_spec *spec, char out[COMMAND_TEXT])
{
	FILE *to = fmemopen(out, COMMAND_TEXT, "w");
	struct option o[OPTIONS_MAX];
	char value[SPEC_TEXT];

	out[0] = '\0';
	if (!to)
		return;
	fprintf(to, "./rollbench run %s", spec->kernel->name);
	spec_options(spec->kernel, o);
	for (int i = 0; o[i].name; i++)
		if (is_told(o, &o[i], spec)) {
			option_get(&o[i], spec, value, sizeof value);
			print_option(to, o[i].name, value);
		}
	print_hosts(to, spec->hosts);
	for (size_t k = 0; k < spec->plan.count; k++) {
		inject_format(&spec->plan.kill[k], value, sizeof value);
		print_option(to, "kill", value);
	}
	for (size_t k = 0; k < spec->outside.count; k++) {
		outside_format(&spec->outside.kill[k], value, sizeof value);
		print_option(to, "kill-at", value);
	}
	fclose(to);
}
