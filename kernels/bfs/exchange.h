/* kernels/bfs/exchange.h - the messages of one level: each role sends one to each other role, which
 * may be empty.
 *
 * So which messages there are does not depend on data, and only their sizes do. The receiver does
 * not know them: it has room for all edges between both roles, and the message itself says where it
 * ends (struct hit). */
#ifndef KERNELS_BFS_EXCHANGE_H
#define KERNELS_BFS_EXCHANGE_H

#include "contract/msg.h"

#include <stdint.h>

enum { TAG_HITS = 0, TAG_FOUND = 2, TAG_DEPTHS = 4, TAG_FAULTS = 6, EXCHANGE_AT_ONCE = 32 };

/* An edge from a vertex of the frontier: a vertex of the receiver, and the label of the one that
 * reaches it. */
struct hit {
	/* local number; HIT_LAST is added in the last hit of a message, HIT_NONE: there is none */
	uint32_t vertex;
	uint32_t parent;
};

#define HIT_LAST UINT32_C(0x80000000)
#define HIT_NONE UINT32_MAX

struct exchange {
	void *ctx;
	/* Hits that role src can send at most. */
	uint32_t (*room)(void *ctx, int src);
	/* Send to role dst what there is for it: one message. What the message calls return. */
	int (*send)(void *ctx, struct msg *m, int dst);
	/* Hits of src have come, or none; NULL: they are not looked at. */
	void (*take)(void *ctx, const struct hit *hits);
};

/* inbox: room for the hits of EXCHANGE_AT_ONCE roles that stand next to each other, 1 for each more
 * than they can send; NULL: only the calls. RB_OK or what a message call returned. */
int exchange_level(const struct exchange *x, struct msg *m, struct hit *inbox);
/* Hits for which the inbox needs room. */
size_t exchange_inbox(const struct exchange *x, int role, int np);

#endif
