/* forecast/fast/sent_before.h - when messages were sent before a repair that does not stop
 * everybody (private to forecast/fast). */
#ifndef FORECAST_FAST_SENT_BEFORE_H
#define FORECAST_FAST_SENT_BEFORE_H

#include "forecast/fast/walk.h"

/* Enter the row that a walk has just executed. until: np, the last tick at which a role may have
 * sent. Rows are entered in ascending order. RB_OK or RB_ENOMEM. */
int sent_before_enter(struct sent_before *e, const struct walk *w, const int64_t *until);
/* Take over what an older list has of later iterations, which is freed. RB_OK or RB_ENOMEM. */
int sent_before_append(struct sent_before *e, struct sent_before *old);
/* Forget the iterations before `first`. */
void sent_before_drop(struct sent_before *e, int64_t first);
/* Forget what roles that the repair stops have lost and will be sent again, and iterations at the
 * end without any message. */
int sent_before_forget_lost(struct sent_before *e, const struct decision *d,
			    struct programs *programs, struct rb_error *err);
void sent_before_free(struct sent_before *e);

#endif
