/* The payloads of in-transit messages (event-logging-checkpoint paper, Sect. 5.3; Specification B-4 of this project).
 *
 * After its cut, a process keeps a copy of every payload that it receives from p, until p's request is here and says which
 * messages were in transit. The paper has no such copies, so a message that the program receives between the two would be lost. Messages
 * that have not come by then are taken from MPI when they come, and held until the program receives them.
 *
 * All messages here have a number that orders them as MPI has matched them: for a receive of the program, when it was posted; for a
 * message that was taken, when it was taken. By non-overtaking, messages of equal envelope are then in the order of their sending, so
 * the in-transit messages of an envelope are the first ones. A receive that is pending may belong between others: it has to be waited
 * for. */
#ifndef ELC_CORE_CATCH_H
#define ELC_CORE_CATCH_H

#include "elc/core/log.h"

enum { ELC_ANY = -1 }; /* any source, or any tag: both are never negative otherwise */

struct elc_message {
	int peer;
	elc_key key;
	uint64_t order;
	size_t bytes;
	void *data; /* malloc */
	bool delivered; /* the program has it */
	bool caught;    /* it belongs to the line in progress, at least as a candidate */
};

/* A pointer list of messages, sorted by their order. */
struct elc_messages {
	struct elc_message **m;
	size_t n, room;
};

/* Insert by order. Returns 0, or -1 without memory. */
int elc_messages_add(struct elc_messages *all, struct elc_message *m);
void elc_messages_remove(struct elc_messages *all, size_t at);

/* A receive of the program that MPI has not completed yet. */
struct elc_pending {
	uint64_t order;
	int peer; /* or ELC_ANY */
	uint32_t comm;
	int tag; /* or ELC_ANY */
};

/* How many of the in-transit messages of p on this communicator are not among the caught ones? 0: no message has to be taken. */
int64_t elc_catch_missing(const struct elc_messages *caught, int p, const struct elc_set *transit, uint32_t comm);
/* Are all in-transit messages of p caught, with no pending receive that may be an earlier one of them? */
bool elc_catch_complete(const struct elc_messages *caught, int p, const struct elc_set *transit, const struct elc_pending *pending,
			size_t npending);
/* Is the message caught->m[at] one of the in-transit ones? */
bool elc_catch_chosen(const struct elc_messages *caught, size_t at, const struct elc_set *transit);

#endif
