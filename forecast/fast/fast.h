/* forecast/fast/fast.h - the engine `fast` of the simulator.
 *
 * It keeps the times of one iteration, and not of all. While nothing of a failure is left, it goes
 * on by many iterations at once (forecast/fast/failure_free.h). When failures happen, it goes back
 * to the last point before them and walks iteration by iteration to where they find each role
 * (forecast/fast/walk.h). */
#ifndef FORECAST_FAST_FAST_H
#define FORECAST_FAST_FAST_H

#include "forecast/time/model.h"

/* Simulate a model that model_check() accepts. list: failures, by tick first, in ascending order.
 * The result is the same for any number of threads; result_free() after RB_OK. RB_ENOMEM;
 * RB_EINVAL: the program of the roles does not end, a time would be later than TICKS_MAX, or the
 * engine cannot do this case. */
int simulate_fast(const struct model *m, int threads, const struct failure *list, size_t count,
		  struct result *r, struct rb_error *err);

#endif
