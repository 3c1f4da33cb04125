/* ft/recovery/support.h - the duplicate of a role: a second state of its kernel that goes from the
 * recovery line through the iterations whose messages others lack, and is thrown away
 * (data-flow-rollback paper, Sect. 2.2; private to ft/). */
#ifndef FT_RECOVERY_SUPPORT_H
#define FT_RECOVERY_SUPPORT_H

#include "ft/msg/duplicate_port.h"
#include "ft/recovery/recovery.h"
#include "ft/role/role.h"

struct support {
	struct role *role;
	struct kernel_state *state; /* NULL: there is no duplicate now */
	struct duplicate_port port;
	double begun;
};

/* Make the duplicate of this epoch, if the role is to have one; its state is not loaded yet. cone:
 * found for this role; it outlives the duplicate. RB_OK; RB_LOST: there is no memory for it, and
 * the next repair is told so (role.unable). */
int support_begin(struct support *s, struct role *role, const struct cone *cone);
/* Go through its iterations and throw it away. RB_OK, RB_LOST, or negative with err filled. */
int support_run(struct support *s, struct rb_error *err);
/* After the communicator was revoked: end its requests and throw it away. */
void support_abort(struct support *s);

#endif
