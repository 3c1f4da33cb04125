/* ft/role/undo.h - a copy of a role's state as it was before an iteration (private to ft/).
 *
 * The other way to make an iteration repeatable than computing out of place: copies of the
 * application's data before each iteration (message-logging-kernels paper, Sect. 3.1 and 8.2.3). */
#ifndef FT_ROLE_UNDO_H
#define FT_ROLE_UNDO_H

#include "contract/kernel.h"

/* All zero: nothing is held. Memory is kept and used again. */
struct undo {
	char *copy; /* the regions, one behind the other */
	size_t room;
	bool taken;
};

/* Copy all regions of a state. RB_OK or RB_ENOMEM. */
int undo_take(struct undo *u, const struct kernel_ops *kernel, struct kernel_state *state);
/* Put them back, if there is a copy that was not forgotten since. */
void undo_apply(struct undo *u, const struct kernel_ops *kernel, struct kernel_state *state);
/* The iteration is committed. */
static inline void undo_forget(struct undo *u)
{
	u->taken = false;
}
void undo_free(struct undo *u);

#endif
