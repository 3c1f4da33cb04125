/* harness/sweep/sweep_list.h - `rollbench sweep --dry-run`: the runs of a sweep and how long they will take. */
#ifndef HARNESS_SWEEP_SWEEP_LIST_H
#define HARNESS_SWEEP_SWEEP_LIST_H

#include "harness/sweep/sweep_plan.h"

#include <stdbool.h>

/* Print all runs in their order, those done already marked so; redo: what did not end ok is to be done. dir:
 * the results folder; it is not made if it is not there. json: one object, schema rollbench-dry-run-1. RB_OK or RB_ENOMEM. */
int sweep_list(const struct sweep_plan *plan, const char *name, const char *dir, bool redo, bool json,
	       struct rb_error *err);

#endif
