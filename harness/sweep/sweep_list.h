/* harness/sweep/sweep_list.h - the runs of a sweep and how long they will take, as `rollbench sweep
 * --dry-run` prints them. */
#ifndef HARNESS_SWEEP_SWEEP_LIST_H
#define HARNESS_SWEEP_SWEEP_LIST_H

#include "harness/sweep/sweep_plan.h"

#include <stdbool.h>
#include <stdio.h>

struct sweep_list;

/* dir: the results folder; it is not made if it is not there. redo: a run that did not end ok is
 * not done. The plan must outlive the list. RB_OK or RB_ENOMEM; or as sweep_plan_run(), if what a
 * run needs is gone since the plan was made. sweep_list_free() in all cases. */
int sweep_list_make(struct sweep_list **list, const struct sweep_plan *plan, const char *dir,
		    bool redo, struct rb_error *err);
void sweep_list_free(struct sweep_list *list); /* takes NULL */
/* For people. */
void sweep_list_say(const struct sweep_list *list, FILE *to);
/* As JSON, schema rollbench-dry-run-1 (docs/experiments.md). RB_OK or RB_ENOMEM. */
int sweep_list_dump(const struct sweep_list *list, FILE *to, struct rb_error *err);

#endif
