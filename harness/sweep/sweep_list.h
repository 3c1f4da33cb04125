/* harness/sweep/sweep_list.h - the runs of a sweep as data, from which `rollbench sweep
 * --dry-run` tells how long they will take (plots/console/sweep_list.py). */
#ifndef HARNESS_SWEEP_SWEEP_LIST_H
#define HARNESS_SWEEP_SWEEP_LIST_H

#include "harness/sweep/sweep_plan.h"

#include <stdbool.h>

/* {"name", "folder", "budget_s": null if there is none, "order", "order_seed", "warm_up", "runs":
 * [...]}; new reference. A run is {"id", "done", "warm_up", "records like it" and "records of the
 * problem": texts that are equal for runs that ought to take equally long, "np", "iterations": null
 * if they are not known before, "bytes_per_role", "restart", "deadline_s"}. dir: the results
 * folder; it is not made if it is not there. redo: a run that did not end ok is not done. */
json_t *sweep_list(const struct sweep_plan *plan, const char *dir, bool redo);

#endif
