#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/model/interval_model.h"
#include "harness/job/launch.h"
#include "harness/spec/spec_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of recovery that are compared. */
static const struct way {
	const char *name, *policy;
	enum ft_strategy strategy;
} ways[] = {
	{ "job restart", "none", FT_RESTART },
	{ "global rollback", "none", FT_GO_ON },
	{ "local rollback", "all", FT_GO_ON },
};

enum { WAYS = sizeof ways / sizeof *ways, TRIES = 3, TRIES_MAX = 6 };

struct request {
	struct run_spec spec;
	double mtbf_s;
};

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "mtbf", "S", "mean seconds between two deaths anywhere in the job", OPTION_SECONDS,
	  AT(mtbf_s) },
	{ .name = NULL },
};

static const struct command command = {
	.usage = "usage: rollbench interval KERNEL --mtbf S [OPTION ...]\n"
		 "\n"
		 "How many iterations apart checkpoints should be, when a death comes every S seconds on\n"
		 "average: Young's and Daly's optimum, from the cost of a checkpoint, of a recovery and of\n"
		 "repeated iterations as measured here, for job restart, global and local rollback. Runs the\n"
		 "kernel ten times, more often if a run could not time its recovery; the median of three counts.\n"
		 "\n",
	.options = FOR_PLAN,
	.kernel = true,
	.own = own,
};

/* 1: help was asked for. */
static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	int rc = command_parse(&command, argc, argv, &r->spec, r, err);

	if (rc != RB_OK)
		return rc;
	if (r->spec.plan.count > 0 || r->spec.spares != SPARES_NOT_SAID || r->spec.strategy != FT_GO_ON)
		return rb_fail(err, RB_EINVAL, "--kill, --spares, --strategy: this command chooses them");
	if (!(r->mtbf_s > 0))
		return rb_fail(err, RB_EINVAL, "--mtbf: say how many seconds apart deaths are");
	return RB_OK;
}

/* The record of a run that must end well. New reference; NULL with err, or if interrupted. */
static json_t *run(struct run_spec *spec, struct kernel_plan *plan, struct rb_error *err)
{
	enum run_status status;
	struct launch launch;
	json_t *record;

	if (spec_check(spec, plan, err) != RB_OK ||
	    launch_run(spec, NULL, LAUNCH_DISPOSABLE, &launch, err) != RB_OK)
		return NULL;
	record = launch.end == LAUNCH_INTERRUPTED ? NULL : record_make(spec, plan, &launch, &status);
	launch_remove(&launch);
	if (record && status == STATUS_OK)
		return record;
	rb_fail(err, RB_EINVAL, "a run was %s", record ? status_name(status) : "interrupted");
	json_decref(record);
	return NULL;
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof *values, ascending);
	return values[count / 2];
}

/* Mean over all checkpoints of all roles. */
static double latency_of(const json_t *record)
{
	const json_t *role;
	double seconds = 0;
	size_t i;

	json_array_foreach(json_object_get(record, "roles"), i, role)
		seconds += number(role, "drain_s");
	return seconds / fmax(1, number(json_object_get(record, "checkpoints"), "count"));
}

/* One failure-free run: what an iteration and a checkpoint cost. */
static int measure_normal(const struct request *r, struct interval_costs *m, struct rb_error *err)
{
	struct run_spec spec = r->spec;
	struct kernel_plan plan;
	json_t *record = run(&spec, &plan, err);
	const json_t *checkpoints;
	double each, loop, count;

	if (!record)
		return RB_EINVAL;
	checkpoints = json_object_get(record, "checkpoints");
	m->latency = latency_of(record);
	count = number(checkpoints, "count") / spec.np;
	each = count > 0 ? number(checkpoints, "seconds_max") / count : 0;
	loop = number(record, "loop_s") - number(checkpoints, "seconds_max");
	m->checkpoint = each;
	m->iteration = loop / (number(json_object_get(record, "iterations"), "useful") / spec.np);
	json_decref(record);
	if (count < 1)
		return rb_fail(err, RB_EINVAL, "--interval %" PRId64 ": the run takes no checkpoint, so "
			       "none can be measured", spec.interval);
	return RB_OK;
}

/* One run with a death in the last iteration of the second interval. RB_LOST: its times were not measured. */
static int measure_death(const struct request *r, const struct way *way, struct interval_costs *m,
			 struct rb_error *err)
{
	struct run_spec spec = r->spec;
	struct kernel_plan plan;
	const json_t *failure;
	json_t *record;
	char kill[64];
	int rc = RB_OK;

	spec.strategy = way->strategy;
	snprintf(spec.policy, sizeof spec.policy, "%s", way->policy);
	snprintf(kill, sizeof kill, "0@%" PRId64, 2 * spec.interval - 1);
	RB_TRY(inject_parse(&spec.plan, kill, spec.np, err));
	record = run(&spec, &plan, err);
	if (!record)
		return RB_EINVAL;
	failure = json_array_get(json_object_get(record, "failures"), 0);
	if (!failure)
		rc = rb_fail(err, RB_EINVAL, "--interval %" PRId64 ": the run is shorter than two "
			     "intervals, so no recovery can be measured", r->spec.interval);
	else if (!interval_death(failure, way->strategy == FT_RESTART, m))
		rc = RB_LOST;
	json_decref(record);
	return rc;
}

/* A run that could not time its recovery is made again. */
static int measure(const struct request *r, const struct way *way, struct interval_costs *m,
		   struct rb_error *err)
{
	double recovery[TRIES], rework[TRIES];
	int count = 0;

	for (int i = 0; count < TRIES && i < TRIES_MAX; i++) {
		int rc = measure_death(r, way, m, err);

		if (rc < 0)
			return rc;
		recovery[count] = m->recovery;
		rework[count] = m->rework;
		count += rc == RB_OK;
	}
	if (count < TRIES)
		return rb_fail(err, RB_EINVAL, "%s: only %d of %d runs could measure how long the recovery and "
			       "the repeated iterations took, %d are needed; try a larger --interval",
			       way->name, count, TRIES_MAX, TRIES);
	m->recovery = median(recovery, TRIES);
	m->rework = median(rework, TRIES);
	return RB_OK;
}

static void say(const struct request *r, const struct way *way, const struct interval_costs *m)
{
	double t = interval_daly(m, r->mtbf_s);
	double waste = m->checkpoint / t + (m->recovery + m->rework * (t / 2 + m->latency)) / r->mtbf_s;

	printf("%-16s %10.4f %12.2f %11.2f %8.0f %11.2f %8.0f %9.1f %%\n", way->name, m->recovery,
	       m->rework, interval_young(m, r->mtbf_s), fmax(1, round(interval_young(m, r->mtbf_s) / m->iteration)),
	       t, fmax(1, round(t / m->iteration)), 100 * waste);
}

static int advise(struct request *r, struct rb_error *err)
{
	struct interval_costs m;
	struct levels levels;

	RB_TRY(levels_parse(&levels, r->spec.ckpt, err));
	say_leftovers("interval");
	launch_catch_signals();
	RB_TRY(measure_normal(r, &m, err));
	printf("%s, %d roles: an iteration takes %.3g s; a checkpoint (%s) keeps it waiting for %.3g s and\n"
	       "counts %.3g s after it was taken; a death every %g s\n\n", r->spec.kernel->name,
	       r->spec.np, m.iteration, r->spec.ckpt, m.checkpoint, m.latency, r->mtbf_s);
	printf("%-16s %10s %12s %11s %8s %11s %8s %11s\n", "", "recovery s", "rework speed",
	       "Young s", "iter.", "Daly s", "iter.", "time wasted");
	for (int w = 0; w < WAYS; w++) {
		if (ways[w].strategy == FT_RESTART && !levels.file) {
			printf("%-16s not possible: --ckpt %s keeps no files\n", ways[w].name, r->spec.ckpt);
			continue;
		}
		RB_TRY(measure(r, &ways[w], &m, err));
		say(r, &ways[w], &m);
	}
	printf("\nrework speed: what a repeated iteration costs, in iterations of normal operation;\n"
	       "time wasted: by checkpoints, recoveries and rework, at Daly's interval\n");
	return RB_OK;
}

int cmd_interval(int argc, char **argv)
{
	struct request r = { .mtbf_s = 0 };
	struct rb_error err;
	int rc = parse(argc, argv, &r, &err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK)
		rc = advise(&r, &err);
	if (rc == RB_OK)
		return 0;
	if (launch_signal())
		return interrupted_status(launch_signal());
	return refused_status("interval", &err);
}
