#include "base/status.h"
#include "ft/levels.h"
#include "ft/log/policy.h"
#include "harness/cli/commands.h"
#include "harness/kind/elc/elc_run.h"
#include "harness/options/command.h"
#include "harness/options/spec_options.h"

#include <string.h>

static void list_policies(void)
{
	for (const struct policy_ops *const *p = policy_registry; *p; p++)
		printf("  %-33s %s\n", (*p)->form, (*p)->summary);
}

static void list_phases(void)
{
	for (int i = 0; i < INJECT_PHASES; i++)
		printf("  %-12s %s\n", inject_phase_name((enum inject_phase)i),
		       inject_phase_help((enum inject_phase)i));
}

static void list_protocol_phases(void)
{
	for (const struct elc_phase *p = elc_phases; p->name; p++)
		printf("  %-12s %s\n", p->name, p->help);
}

static void list_levels(void)
{
	for (const struct level_help *l = levels_help; l->form; l++)
		printf("  %-16s %s\n", l->form, l->summary);
}

/* "repair|restart; default repair; experiment file: restart; record: strategy": its words and other
 * names. */
static void print_option(const struct option *o)
{
	char words[128], key[OPTION_KEY];
	const struct {
		const char *what, *text;
	} parts[] = {
		{ "", option_words(o, "|", "|", words, sizeof words) ? words : NULL },
		{ "default ", option_is_none(o) ? NULL : o->standard },
		{ o->shape == SHAPE_INNER ? "experiment file, inner: " : "experiment file: ",
		  o->shape == SHAPE_NONE ? NULL : key },
		{ "record: ", o->record              ? o->record
			      : o->part != PART_NONE ? o->key
						     : NULL },
		{ "run name: ", o->tag },
	};
	const char *between = "";

	option_key(o, key);
	printf("  --%-12s  ", o->name);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (!parts[i].text)
			continue;
		printf("%s%s%s", between, parts[i].what, parts[i].text);
		between = "; ";
	}
	printf("\n");
}

static void list_options(void)
{
	for (const struct option *o = spec_table; o->name; o++)
		if (o->key || o->record) /* it is not another spelling */
			print_option(o);
}

static const struct {
	const char *name;
	void (*print)(void);
} lists[] = { { "kernels", command_list_kernels }, { "policies", list_policies },
	      { "phases", list_phases },           { "protocol-phases", list_protocol_phases },
	      { "levels", list_levels },           { "options", list_options } };

struct request {
	const char *what; /* NULL: all lists */
};

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_STRING, .at = offsetof(struct request, what) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench list [kernels|policies|phases|protocol-phases|levels|options]\n"
		"\n"
		"Kernels and their options, policies, phases in which a rank can be killed (protocol-phases:\n"
		"with --protocol), levels of checkpoints, and what the options of a run are called in\n"
		"experiment files, records and names of runs; all of them or one kind.\n"
		"\n",
	.own = own,
};

int cmd_list(int argc, char **argv)
{
	struct request r = { .what = NULL };
	struct rb_error err;
	int rc = command_parse(&command, argc, argv, NULL, &r, &err);
	bool found = false;

	if (rc == 1)
		return 0;
	if (rc != RB_OK)
		return refused_status("list", &err);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		if (r.what && strcmp(r.what, lists[i].name) != 0)
			continue;
		printf("%s:\n", lists[i].name);
		lists[i].print();
		found = true;
	}
	if (found)
		return 0;
	rb_fail(&err, RB_EINVAL,
		"%s: unknown; there are kernels, policies, phases, protocol-phases, levels and "
		"options",
		r.what);
	return refused_status("list", &err);
}
