/* ft/log/received.h - the log of what a role has received: the messages that the policy gives to
 * their receivers (memory-constrained-logging paper, Fig. 1: input-logging).
 *
 * It lives as long as the process of the role. Iterations are deterministic, so when a role rolls
 * back and repeats iterations, the copies that it made the first time are still those that it
 * needs: they stay, and the role reads from them what nobody will send again. A role that died has
 * lost them; its replacement begins with an empty log. */
#ifndef FT_LOG_RECEIVED_H
#define FT_LOG_RECEIVED_H

#include "ft/log/log.h"

struct received {
	struct log log; /* its channels and entries are by source */
	/* the role has gone through all iterations before it, since the log began */
	int64_t until;
	int64_t iter; /* the current iteration */
	bool repeats; /* it is before `until` */
	size_t next;  /* then: the entry that comes next */
};

int received_init(struct received *r, int np); /* RB_OK or RB_ENOMEM */
void received_free(struct received *r);

void received_begin(struct received *r, int64_t iter);
void received_commit(struct received *r);
/* of the current iteration nothing is kept that was not kept before */
void received_abort(struct received *r);

/* While an iteration is repeated: the copy of the next message from that role, in the order of the
 * first time. NULL: that message was not kept. */
const struct log_entry *received_again(struct received *r, int source, int tag);

/* As log_mark(), log_trim() and log_restart(). */
void received_mark(struct received *r, int64_t c);
int received_trim(struct received *r, int64_t c);
void received_restart(struct received *r, int64_t c);
/* The role rolls back to checkpoint c: keep what is known of the iterations from there on. RB_OK or
 * RB_ENOMEM. */
int received_roll_back(struct received *r, int64_t c);

#endif
