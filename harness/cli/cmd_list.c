#include "base/status.h"
#include "ft/levels.h"
#include "ft/log/policy.h"
#include "harness/cli/commands.h"

#include <string.h>

static void list_kernels(void)
{
	for (const struct kernel_ops *const *k = kernel_registry; *k; k++) {
		printf("  %-12s %s\n", (*k)->name, (*k)->summary);
		for (const struct kernel_option *o = (*k)->options; o->name; o++)
			printf("      --%-8s %s (default %s)\n", o->name, o->help, o->value);
	}
}

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

static void list_levels(void)
{
	for (const struct level_help *l = levels_help; l->form; l++)
		printf("  %-16s %s\n", l->form, l->summary);
}

static const char usage[] =
	"usage: rollbench list [kernels|policies|phases|levels]\n"
	"\n"
	"Kernels and their options, policies, phases in which a rank can be killed, and levels of\n"
	"checkpoints; all of them or one kind.\n"
	"\n"
	"  --help    this text\n";

static const struct {
	const char *name;
	void (*print)(void);
} lists[] = { { "kernels", list_kernels }, { "policies", list_policies }, { "phases", list_phases },
	      { "levels", list_levels } };

int cmd_list(int argc, char **argv)
{
	bool found = argc < 2;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(usage, stdout);
		return 0;
	}
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		if (argc > 1 && strcmp(argv[1], lists[i].name) != 0)
			continue;
		printf("%s:\n", lists[i].name);
		lists[i].print();
		found = true;
	}
	if (found)
		return 0;
	fprintf(stderr, "rollbench list: %s: unknown; there are kernels, policies, phases and levels\n",
		argv[1]);
	return STATUS_USAGE;
}
