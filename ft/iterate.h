/* ft/iterate.h - one iteration as a transaction, and its books (private to ft/). */
#ifndef FT_ITERATE_H
#define FT_ITERATE_H

#include "ft/role.h"

/* Step, flush, commit. RB_OK, RB_LOST, or negative with err filled. */
int iterate(struct role *r, struct rb_error *err);
/* `--policy off`: the same kernel and messages, and nothing else. */
int iterate_bare(struct role *r, struct rb_error *err);
/* `--duel`: the two in turn, by blocks of iterations, each block timed; what protection costs, with
 * both sides in one run on the same cores. */
int duel(struct role *r, struct rb_error *err);

/* Close the measurements of a recovery as soon as their ends are reached. RB_OK or the link's status. */
int watch_recovery(struct role *r);

/* The closing transaction: verify, write the result. It changes no state, so a failure simply
 * repeats it. RB_OK or the link's status. */
int role_finish(struct role *r);

#endif
