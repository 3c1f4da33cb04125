/* ft/line/image_store.h - what a process holds in memory so that roles can be restored: its own
 * role's images, copies for other roles, parity. Two generations of each, so that one stays whole
 * while the other is written. (Private to ft/.)
 *
 * What it sends and expects goes through a transfer (ft/line/transfer.h); the caller must complete
 * this transfer. */
#ifndef FT_LINE_IMAGE_STORE_H
#define FT_LINE_IMAGE_STORE_H

#include "ft/line/transfer.h"
#include "ft/levels.h"
#include "ft/line/rs.h"

enum { IMAGE_GENERATIONS = 2 };

struct stored {
	int64_t iter; /* -1: nothing, or not yet all of it */
	int32_t role;
	struct image image;
};

/* A parity chunk begins with the lengths of the chunks that went into it. */
struct parity_head {
	int64_t length[RS_GROUP_MAX]; /* by place; bytes, whole lines */
};

struct parity {
	int64_t iter;
	int missing; /* chunks that are still to be added */
	struct image chunk[RS_PARITY_MAX];
};

struct image_store {
	struct levels levels;
	int role, np;
	int64_t interval;
	int stride[BUDDIES_MAX];
	int *near; /* np: the partner of each role; NULL: by strides */
	struct rs_group group;
	struct stored own[IMAGE_GENERATIONS];
	/* [b]: of the role whose partner b this is */
	struct stored copy[BUDDIES_MAX][IMAGE_GENERATIONS];
	struct parity parity[IMAGE_GENERATIONS];
	struct image arriving; /* a chunk that is about to be added */
};

void images_init(struct image_store *k, const struct levels *levels, int role, int np,
		 int64_t interval);
void images_free(struct image_store *k);
size_t images_memory(const struct image_store *k); /* bytes */

/* Where generation iter lies in each array. With files only, the image is needed until it is
 * written, and one slot is enough. */
static inline int images_slot(const struct image_store *k, int64_t iter)
{
	return levels_in_memory(&k->levels) ? (int)(iter / k->interval % IMAGE_GENERATIONS) : 0;
}
static inline struct stored *images_own(struct image_store *k, int64_t iter)
{
	return &k->own[images_slot(k, iter)];
}
static inline int images_partner(const struct image_store *k, int role, int b)
{
	return k->near ? k->near[role] : (role + k->stride[b]) % k->np;
}
/* Of the image that is to lie here as copy b. */
int images_owner(const struct image_store *k, int b);

/* Chunk `place` of an image among k: where it begins and how long it is, in whole lines. */
void images_chunk(const struct image *i, int k, int place, size_t *from, size_t *bytes);

/* Send the own image of generation iter to partner b; expect that of the role that has this one as
 * partner b. RB_OK or the link's status. */
int images_send_copy(struct image_store *k, struct transfer *c, int64_t iter, int b);
int images_expect_copy(struct image_store *k, struct transfer *c, int64_t iter, int b);
/* Send chunks to the parity holders of the group, and expect theirs. All members must do so. lacks:
 * by place in the group, true if the member's parity is to be made; NULL: all. The others keep
 * theirs. */
int images_exchange_parity(struct image_store *k, struct transfer *c, int64_t iter,
			   const bool *lacks);

#endif
