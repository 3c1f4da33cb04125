/* kernels/amr/items.h - pieces of blocks that go from one role to another, in one message for each
 * pair of roles.
 *
 * Both roles list the same items in the same order, so a message needs no header. */
#ifndef KERNELS_AMR_ITEMS_H
#define KERNELS_AMR_ITEMS_H

#include "contract/msg.h"

#include <stddef.h>
#include <stdint.h>

struct item {
	int32_t source, receiver; /* roles, which may be equal */
	int32_t from, to;         /* blocks */
	/* of `from`, seen from `to`; of no use if both are the same block */
	int32_t direction;
	size_t count; /* numbers of 8 bytes */
	size_t at;    /* at the receiver: where it is in the inbox, see items_send() */
};

struct items {
	struct item *list; /* those of which one role is source or receiver */
	size_t count, room;
	size_t *to, *from; /* np: numbers for and of each role */
	int64_t *inbox;    /* NULL in a pattern */
	size_t inbox_room;
};

int items_init(struct items *x, int np); /* RB_OK or RB_ENOMEM */
void items_free(struct items *x);
void items_clear(struct items *x);
/* `item.at` is not used. RB_OK or RB_ENOMEM. */
int items_add(struct items *x, const struct item *item);

/* Write item.count numbers. */
typedef void items_pack(void *ctx, const struct item *item, int64_t *out);

/* Send and receive them all, and set the places of those that this role receives. pack NULL: only
 * the message calls. RB_OK, RB_ENOMEM, or what a message call returned. */
int items_send(struct items *x, struct msg *m, int tag, items_pack *pack, void *ctx);

#endif
