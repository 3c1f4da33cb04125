/* forecast/fast/early.h - when messages were sent before a repair that does not stop everybody
 * (private to forecast/fast). */
#ifndef FORECAST_FAST_EARLY_H
#define FORECAST_FAST_EARLY_H

#include "forecast/fast/walk.h"

/* Enter the row that a walk has just executed. until: np, the last tick at which a role may have
 * sent. Rows are entered in ascending order. RB_OK or RB_ENOMEM. */
int early_enter(struct early *e, const struct walk *w, const int64_t *until);
/* Take over what an older list has of later iterations, which is freed. RB_OK or RB_ENOMEM. */
int early_append(struct early *e, struct early *old);
/* Forget the iterations before `first`. */
void early_drop(struct early *e, int64_t first);
/* Forget what roles that the repair stops have lost and will be sent again, and iterations at the
 * end without any message. */
int early_forget_lost(struct early *e, const struct decision *d, struct programs *programs,
		      struct rb_error *err);
void early_free(struct early *e);

#endif
