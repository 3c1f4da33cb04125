/* forecast/time/near.h - the decision of forecast/time/decision.h, where only roles near a death
 * can change anything (private to forecast/). */
#ifndef FORECAST_TIME_NEAR_H
#define FORECAST_TIME_NEAR_H

#include "forecast/time/decision.h"

/* As decide(), which it calls: for roles of a stencil that the cone can reach in the iterations
 * since the line, or for all. Without duplicates, all roles of a stencil go back if nothing is
 * logged, and the dead only if everything is. */
int decide_near(struct decision *d, const struct model *m, const struct situation *s, int threads,
		struct rb_error *err);

#endif
