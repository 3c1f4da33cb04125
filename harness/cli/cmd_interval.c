#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/options/command.h"

#include <string.h>

struct request {
	struct run_spec spec;
	double mtbf_s;
	bool simulate;
	const char *figure, *results, *json;
};

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "mtbf", "S", "mean seconds between two deaths anywhere in the job", OPTION_SECONDS,
	  AT(mtbf_s) },
	{ "simulate", NULL,
	  "by simulation (docs/simulator.md): expects a pattern or FILE.yaml and options of "
	  "`rollbench simulate`, --mtbf-node among them",
	  OPTION_FLAG, AT(simulate) },
	{ "figure", "FILE",
	  "with --simulate: draw the times at all intervals into FILE.png and FILE.pdf",
	  OPTION_STRING, AT(figure) },
	{ "results", "DIR",
	  "with --simulate: where the simulations are kept, so that an interrupted search goes on",
	  OPTION_STRING, AT(results) },
	{ "json", "FILE",
	  "with --simulate: write the result to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench interval KERNEL --mtbf S [OPTION ...]\n"
		"       rollbench interval --simulate PATTERN|FILE.yaml [OPTION ...]\n"
		"\n"
		"Print how many iterations apart checkpoints should be if a death comes every S seconds on\n"
		"average: the optimum of Young and of Daly, for job restart, global and local rollback. The costs\n"
		"of a checkpoint, of a recovery and of repeated iterations are measured here. This runs the kernel\n"
		"ten times, and more often if a run could not time its recovery; the median of three runs counts.\n"
		"With --simulate nothing is measured: intervals are tried in simulations, each with the same failures.\n"
		"\n",
	.options = FOR_PLAN,
	.kernel = true,
	.own = own,
};

/* 1: help was asked for. */
static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	int rc = command_parse(&command, argc, argv, &r->spec, r, err);
	struct kernel_plan plan;
	struct levels levels;

	if (rc != RB_OK)
		return rc;
	if (r->figure || r->results || r->json)
		return rb_fail(err, RB_EINVAL, "--figure, --results, --json: only with --simulate");
	if (r->spec.plan.count > 0 || r->spec.spares != SPARES_BY_PLAN ||
	    r->spec.strategy != FT_GO_ON)
		return rb_fail(err, RB_EINVAL,
			       "--kill, --spares, --strategy: this command chooses them");
	if (!(r->mtbf_s > 0))
		return rb_fail(err, RB_EINVAL,
			       "--mtbf: expected the mean number of seconds between two deaths");
	RB_TRY(levels_parse(&levels, r->spec.ckpt, err));
	return spec_check(&r->spec, &plan, err);
}

/* What is simulated is described by options of another command, which the script gives to it. */
static bool is_simulated(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--simulate") == 0)
			return !command_help_asked(argc, argv);
	return false;
}

/* The script plots/models/interval.py measures and has the model. The options are checked here, as
 * for all commands. */
int cmd_interval(int argc, char **argv)
{
	struct request r = { .mtbf_s = 0 };
	struct rb_error err;
	int rc;

	if (is_simulated(argc, argv))
		return cmd_script(argc, argv);
	rc = parse(argc, argv, &r, &err);
	if (rc == 1)
		return 0;
	if (rc != RB_OK)
		return refused_status("interval", &err);
	say_leftovers("interval");
	return cmd_script(argc, argv);
}
