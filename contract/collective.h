/* contract/collective.h - shapes of a reduction (private to contract/): who sends to whom.
 *
 * All of them leave the same bits on all members: either one member forms the result and the others
 * get it, or two partners combine the same two operands. */
#ifndef CONTRACT_COLLECTIVE_H
#define CONTRACT_COLLECTIVE_H

#include "contract/port.h"

enum { COLLECTIVE_SMALL = 16 }; /* numbers of a reduction over all roles */

typedef void combine(double *v, const double *other, size_t n);

/* One reduction of the caller. Messages that go inwards have `tag`, the result has tag + 1. */
struct reduction {
	struct msg *m;
	const struct msg_group *group;
	int tag;
	double *v; /* n numbers: the caller's own, then the result */
	size_t n;
	double *scratch; /* n numbers */
	combine *op;
};

/* `peer` is a place in the group. RB_OK, or the failure of a message. */
int reduction_send(const struct reduction *r, int peer, int tag);
/* Receive into v: the result. */
int reduction_receive(const struct reduction *r, int peer, int tag);
/* Receive what a member has and combine v with it. */
int reduction_take(const struct reduction *r, int peer, int tag);
/* Both members of a pair send each other what they have. */
int reduction_exchange(const struct reduction *r, int peer, int tag);

int reduce_doubling(const struct reduction *r);
int reduce_binomial(const struct reduction *r);
int reduce_ring(const struct reduction *r);
int reduce_central(const struct reduction *r);

#endif
