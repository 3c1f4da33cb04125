/* forecast/fast/advance.h - go on from the last repair without regard to failures, up to where the
 * next one is known (private to forecast/fast). */
#ifndef FORECAST_FAST_ADVANCE_H
#define FORECAST_FAST_ADVANCE_H

#include "forecast/fast/state.h"

struct advance {
	/* a base, as soon as it is known that nothing happens before it; end NULL: none. Its array
	 * may be that of `base` or `now`, too */
	struct point candidate;
	struct totals candidate_t, t;
};

/* When the first failure happens of which that is known; NEVER: none. */
int64_t next_failure(const struct state *s);
/* Walk from the last repair until nothing is left of it, or all roles are past the next failure
 * (*known), or to the end. RB_OK, RB_ENOMEM, RB_EINVAL. */
int advance_behind_repair(struct state *s, struct totals *t, bool *known, struct rb_error *err);
/* Go on from point to point until all roles are past the next failure, or to the end. RB_OK,
 * RB_ENOMEM, RB_EINVAL. */
int advance_points(struct state *s, struct advance *x, struct rb_error *err);
/* The array of a point, or NULL, is not needed any more. */
void advance_give_back(struct state *s, double *end);

#endif
