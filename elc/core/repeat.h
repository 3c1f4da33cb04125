/* Sends that a process repeats after a restart (orphans), and the checksums that show whether it
 * repeats the same.
 *
 * The paper receives an orphan in a temporary buffer and drops it. Whether the sender has repeated
 * the same message is not checked there, although the state of the receiver depends on it. Here the
 * sender keeps the checksum of what it sends between its own cut and the receiver's request; all
 * orphans are among these. After a restart it learns how many messages of each envelope are
 * orphans, compares the checksums, and does not send them: such a send is suppressed. */
#ifndef ELC_CORE_REPEAT_H
#define ELC_CORE_REPEAT_H

#include "elc/core/log.h"

struct elc_sum {
	elc_key key;
	uint32_t crc;
	uint32_t done; /* 1: it was sent again */
	uint64_t bytes;
};

/* The sums of messages to one receiver, in the order of sending. */
struct elc_sums {
	struct elc_sum *sum;
	size_t n, room;
	size_t left; /* of them, not done */
	/* After elc_sums_keep(): the envelopes as queues. The first one of a key is sum[first - 2],
	 * 1: there is none any more; the one that follows sum[i] is sum[next[i] - 2]. */
	struct elc_log first;
	size_t *next;
};

/* Returns 0, or -1 without memory. */
int elc_sums_add(struct elc_sums *s, struct elc_sum sum);
void elc_sums_free(struct elc_sums *s);

/* Keep the first messages of each envelope, as many as orphan says, and drop the others. Nothing
 * can be added afterwards. Returns 0, -1 without memory, or -2 if one is missing: then *key is its
 * envelope. */
int elc_sums_keep(struct elc_sums *s, const struct elc_set *orphan, elc_key *key);

/* The expected sum of the next message with this key; NULL if none is expected, so that it has to
 * be sent. */
const struct elc_sum *elc_sums_next(const struct elc_sums *s, elc_key key);
/* What elc_sums_next() has returned was sent again. */
void elc_sums_done(struct elc_sums *s, const struct elc_sum *next);
/* The first one that is not done; NULL: there is none. */
const struct elc_sum *elc_sums_first(const struct elc_sums *s);

#endif
