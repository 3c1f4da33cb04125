/* harness/sweep_plan.h - an experiment file written out as a list of runs. */
#ifndef HARNESS_SWEEP_PLAN_H
#define HARNESS_SWEEP_PLAN_H

#include "harness/spec.h"
#include "harness/sweep_config.h"

enum { SWEEP_ID = 200 };

struct sweep_run {
	struct run_spec spec;
	struct kernel_plan plan;
	char id[SWEEP_ID]; /* file name of the record without .json; says what the run is */
	int reference;     /* index of the run whose state hash this one must equal, -1: none */
};

struct sweep_plan {
	struct sweep_run *run;
	size_t count, capacity;
};

/* Failure-free runs come before the runs that are compared with them; policies alternate, so
 * that slow drift of the machine falls on all of them. RB_OK, or RB_EINVAL naming file and run. */
int sweep_plan_make(const struct sweep_config *config, const char *path, struct sweep_plan *plan,
		    struct rb_error *err);
void sweep_plan_free(struct sweep_plan *plan);

#endif
