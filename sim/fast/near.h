/* sim/fast/near.h - the decision of sim/time/decision.h, where only roles near a death can change anything (private to
 * sim/fast). */
#ifndef SIM_FAST_NEAR_H
#define SIM_FAST_NEAR_H

#include "sim/time/decision.h"

/* As decide(), which it calls: for roles of a stencil that the cone can reach in the iterations since the line, or for all.
 * Without logs and duplicates all roles of a stencil go back. */
int decide_near(struct decision *d, const struct model *m, const struct situation *s, struct rb_error *err);

#endif
