/* ft/role/iterate.h - one iteration as a transaction, and its counts (private to ft/). */
#ifndef FT_ROLE_ITERATE_H
#define FT_ROLE_ITERATE_H

#include "ft/role/role.h"

/* Step, flush, commit. RB_OK, RB_LOST, or negative with err filled. */
int iterate(struct role *r, struct rb_error *err);
/* The kernel's step alone, on a state of the role and a port. There is no recovery from a breakdown
 * of the kernel itself: the run ends, and err says where; whose: "" for the role's own state, else
 * of what it is. */
int iterate_step(const struct role *r, const char *whose, struct kernel_state *state, struct msg *m,
		 int64_t iter, struct rb_error *err);
/* Wait until no replay reads the kept messages that the next iteration will overwrite. RB_OK or
 * RB_LOST. */
int iterate_release(struct role *r);
/* After RB_LOST: count the iteration under way as aborted, and undo it where it needs that. */
void iterate_abort(struct role *r);

/* Close the measurements of a recovery as soon as their ends are reached. RB_OK or RB_LOST. */
int watch_recovery(struct role *r);

#endif
