/* forecast/time/goal.h - a failure-free run as a schedule in GOAL, the format of LogGOPSim and
 * other simulators of messages.
 *
 * Each rank's part lists its operations with what they require. Times are whole nanoseconds.
 * Checkpoints and logging are computation of the same length; sends and receives are not bound to a
 * wait more than the model is (forecast/time/model.h). */
#ifndef FORECAST_TIME_GOAL_H
#define FORECAST_TIME_GOAL_H

#include "forecast/time/model.h"

#include <stdio.h>

enum { GOAL_OPERATIONS_MAX = 20000000 };

/* RB_OK; RB_ENOMEM; RB_EINVAL: more than GOAL_OPERATIONS_MAX operations, a barrier line, or a log
 * whose bytes cost time; RB_EIO. */
int goal_write(const struct model *m, FILE *to, struct rb_error *err);

#endif
