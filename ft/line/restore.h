/* ft/line/restore.h - loading a role's state from the cheapest level that still has it (private to
 * ft/).
 *
 * Collective over all roles where images are kept in memory: roles send the images that others
 * lack. All have the same inventory, so all compute the same plan. Sources are tried in the order
 * own memory, partners, parity, file; a damaged image is refused by name, and the next source is
 * tried. If none is left, the epoch ends and all go back to an older generation
 * (ft/recovery/recovery.h). */
#ifndef FT_LINE_RESTORE_H
#define FT_LINE_RESTORE_H

#include "base/error.h"
#include "ft/line/save.h"

/* At the start of each epoch. Afterwards the kernel of a role that rolls back is in the state of
 * iteration front, `duplicate` (NULL: there is none) is in that of the role's entry in the line,
 * and every image of the generation that counts is again in its place. RB_OK, RB_LOST or a terminal
 * status with err filled. */
int restore(struct role *r, struct save *save, struct kernel_state *duplicate,
	    struct rb_error *err);

#endif
