/* ft/msg/dissemination.h - all roles tell each other a block of bytes each; without bytes, a
 * barrier (private to ft/).
 *
 * In round k, from 0, role r tells role (r + 2^k) mod np what it knows, so ceil(log2 np) rounds are
 * enough. These are messages between roles and not collectives of MPI, because spares are members
 * of the communicator, too, and take no part. Status codes are those of ft/msg/link.h. */
#ifndef FT_MSG_DISSEMINATION_H
#define FT_MSG_DISSEMINATION_H

#include "ft/msg/link.h"

/* One at a time. */
struct dissemination {
	struct link *link;
	int tag; /* of round 0, the others have the next ones */
	char *all;
	size_t bytes; /* of a block */
	int round, step;
	struct requests requests; /* of the round under way */
};

/* Not owned: link. */
void dissemination_init(struct dissemination *d, struct link *link, int tag);
void dissemination_free(struct dissemination *d);

/* all: np blocks by role, of which this role has filled its own; the caller keeps it until the end.
 * NULL: a barrier, `bytes` is 0. */
int dissemination_begin(struct dissemination *d, void *all, size_t bytes);
/* *done: all blocks are there. */
int dissemination_test(struct dissemination *d, bool *done);
/* Wait until they are. before_wait is called in each round, where a failure may be injected; NULL:
 * nothing is. */
int dissemination_wait(struct dissemination *d, void (*before_wait)(void *ctx), void *ctx);
/* After the communicator was revoked: nothing arrives any more. */
void dissemination_abort(struct dissemination *d);

#endif
