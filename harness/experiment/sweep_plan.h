/* harness/experiment/sweep_plan.h - the list of runs that an experiment file describes. */
#ifndef HARNESS_EXPERIMENT_SWEEP_PLAN_H
#define HARNESS_EXPERIMENT_SWEEP_PLAN_H

#include "harness/options/spec.h"
#include "harness/experiment/sweep_config.h"

enum { SWEEP_ID = 200 };

struct sweep_run {
	struct run_spec spec;
	struct kernel_plan plan;
	char id[SWEEP_ID]; /* file name of the record without .json; says what the run is */
	int reference;     /* index of the run whose state hash this one must equal, -1: none */
	unsigned entry;    /* of the file, from 0 */
	int repetition;    /* from 0; those below the plan's warm_up are no samples */
};

struct sweep_plan {
	struct sweep_run *run; /* in the order in which they are to be made */
	size_t count, capacity;
	bool random;     /* shuffled; else as listed in the file */
	int64_t seed;    /* of a random order */
	int warm_up;     /* the repetitions before this one only warm the machine up */
	double budget_s; /* time that one `rollbench sweep` may take; 0: no limit */
};

/* Failure-free runs come before the runs that are compared with them. Policies alternate, so that a
 * slow drift of the machine affects all of them equally. In random order everything else is
 * shuffled, too, but runs that warm up come first. The same file and seed give the same order on
 * every machine. A run that two entries ask for is in the plan once. RB_OK; RB_ENOMEM; or RB_EINVAL
 * with "path:line: what is wrong". */
int sweep_plan_make(const struct sweep_config *config, struct sweep_plan *plan,
		    struct rb_error *err);
void sweep_plan_free(struct sweep_plan *plan);

/* Add "order", "seed" (null if listed) and "warm_up" to the manifest of a sweep. */
void sweep_plan_describe(const struct sweep_plan *plan, json_t *manifest);
/* The sweep's description for its results folder (sweep.json). New reference. */
json_t *sweep_plan_json(const struct sweep_plan *plan, const char *name);

#endif
