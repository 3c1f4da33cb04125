/* forecast/fast/doubling.h - many reductions over a power of two of roles by recursive doubling
 * (private to forecast/fast).
 *
 * In round k, a role waits for the one whose number differs in bit k. All messages take m ticks. So
 * a role that began at t(r) is done at the latest of t(s) + m d(r, s) over all roles s, where d is
 * in how many bits r and s differ.
 *
 * If no role begins more than m later than another, each waits for its partner in each round, and
 * what is the latest is t(s) of the role s that differs in all bits: it is known without the
 * rounds, also for many reductions one behind the other. Else the rounds are done. A role that
 * begins before the last one by at least the time of all rounds delays nobody, so all that counts
 * are the times behind that, and these fit in 32 bits. */
#ifndef FORECAST_FAST_DOUBLING_H
#define FORECAST_FAST_DOUBLING_H

#include "forecast/fast/point.h"

/* Is the model one that this can do? */
bool doubling_fits(const struct model *m, const struct log_costs *logs);
/* As failure_free_advance(). *behind: memory that one call leaves for the next, NULL at first; the
 * caller frees it. RB_OK or RB_ENOMEM. */
int doubling_advance(const struct model *m, int32_t **behind, const struct point *from,
		     struct point *to, int64_t rows);

#endif
