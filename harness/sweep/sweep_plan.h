/* harness/sweep/sweep_plan.h - the list of runs that an experiment file describes.
 *
 * The outer axes of an entry (harness/experiment/points.h) give problems, the inner ones the ways
 * to protect each: a group of runs that are compared with one of them. */
#ifndef HARNESS_SWEEP_SWEEP_PLAN_H
#define HARNESS_SWEEP_SWEEP_PLAN_H

#include "harness/experiment/experiment.h"
#include "harness/kind/kind.h"

enum { SWEEP_ID = 200 };

struct sweep_run {
	const struct yaml_node *options; /* as run_of_options() takes them */
	struct run_setting setting;
	char id[SWEEP_ID]; /* file name of the record without .json; says what the run is */
	int reference;     /* index of the run whose state hash this one must equal, -1: none */
	unsigned entry;    /* of the file, from 0 */
	int repetition;    /* from 0; those below the experiment's warm_up are no samples */
};

struct sweep_plan {
	const struct experiment *of;
	const struct kind *kind; /* of all runs */
	struct sweep_run *run;   /* in the order in which they are to be made */
	size_t count, capacity;
	double budget_s; /* time that one `rollbench sweep` may take; 0: no limit */
};

/* Failure-free runs come before the runs that are compared with them. Inner axes alternate, so that
 * a slow drift of the machine affects all ways to protect a problem equally. In random order
 * everything else is shuffled, too, but runs that warm up come first. The same file and seed give
 * the same order on every machine. A run that two entries ask for is in the plan once. kinds: as
 * run_kind() takes them; hosts: of all runs, NULL: this machine. RB_OK; RB_ENOMEM; or RB_EINVAL
 * with "path:line: what is wrong". */
int sweep_plan_make(const struct experiment *of, const struct kind *const *kinds,
		    const struct hosts *hosts, struct sweep_plan *plan, struct rb_error *err);
void sweep_plan_free(struct sweep_plan *plan);
/* A run of the plan, to be made; the caller frees it with run_free(), whatever this returns. RB_OK
 * or as run_of_options(). */
int sweep_plan_run(const struct sweep_plan *plan, size_t i, struct run **run, struct rb_error *err);

/* Add "order", "order_seed" (null if listed) and "warm_up" to the manifest of a sweep. */
void sweep_plan_describe(const struct sweep_plan *plan, json_t *manifest);
/* The sweep's description for its results folder (sweep.json). New reference. */
json_t *sweep_plan_json(const struct sweep_plan *plan);

/* --- sweep_runs.c --- */

/* Append all runs of all entries to an empty plan. As sweep_plan_make(). */
int sweep_runs(const struct kind *const *kinds, const struct hosts *hosts, struct sweep_plan *plan,
	       struct rb_error *err);

#endif
