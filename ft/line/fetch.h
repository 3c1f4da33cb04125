/* ft/line/fetch.h - images from the memory of other roles, for roles that lack theirs (private to
 * ft/). */
#ifndef FT_LINE_FETCH_H
#define FT_LINE_FETCH_H

#include "ft/line/inventory.h"
#include "ft/role/role.h"

/* One restoration in progress. */
struct restoration {
	struct role *r;
	struct image_store *images;
	/* to be loaded, besides or instead of the role's own state; NULL: none */
	struct kernel_state *duplicate;
	struct inventory inventory;
	struct transfer transfer;
	int copies_tried, rs_tried; /* by this role */
	int refusals;
	char refusal_log[RB_ERROR_MAX]; /* what was tried in vain */
};

/* Collective over all roles. In the end, every role in the rollback set has an image in its own
 * slot or has tried all sources in memory: its own image, partners' copies, parity. RB_OK or the
 * link's status. */
int fetch(struct restoration *x);

/* Add to the refusal log; fetch_refuse() also counts a damaged image. */
void fetch_note(struct restoration *x, const char *why);
void fetch_refuse(struct restoration *x, const struct rb_error *why);

#endif
