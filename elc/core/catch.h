/* The payloads of in-transit messages (event-logging-checkpoint paper, Sect. 5.3; Specification B-4
 * of this project).
 *
 * After its cut, a process keeps a copy of every payload that it receives from p, until p's request
 * is here and says which messages were in transit. The paper has no such copies, so a message that
 * the program receives between the two would be lost. Messages that have not come by then are taken
 * from MPI when they come, and held until the program receives them.
 *
 * All messages here have a number that orders them as MPI has matched them: for a receive of the
 * program, when it was posted; for a message that was taken, when it was taken. By non-overtaking,
 * messages of equal envelope are then in the order of their sending, so the in-transit messages of
 * an envelope are the first ones. A receive that is pending may belong between others: it has to be
 * waited for. */
#ifndef ELC_CORE_CATCH_H
#define ELC_CORE_CATCH_H

#include "elc/core/log.h"

enum { ELC_ANY = -1 }; /* any source, or any tag: both are never negative otherwise */

struct elc_message {
	int peer;
	elc_key key;
	/* what logs count it as: the key, or the number of its communicator (number.h) */
	elc_key kind;
	uint64_t order;
	int64_t stamp; /* its sender's newest cut when it was sent, as far as is known */
	size_t bytes;
	void *data;     /* malloc */
	bool delivered; /* the program has it */
	bool matched;   /* a matched probe of the program has found it; no other receive gets it */
	bool caught;    /* it belongs to the line in progress, at least as a candidate */
	/* it is one of the in-transit messages, as far as is known: elc_catch_choose() */
	bool chosen;
	int64_t lines; /* complete ones at which it was in transit */
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

/* The in-transit messages of one peer, while they are caught: one entry per envelope, or per
 * communicator, sorted by key. */
struct elc_catch_entry {
	elc_key key;
	int64_t wanted, missing; /* messages in transit; those of them that are not caught */
	int64_t picked;          /* by elc_catch_choose() so far */
	uint64_t last;           /* the order of the last one of these */
};

struct elc_catch {
	struct elc_catch_entry *entry;
	size_t n;
	/* missing messages per communicator; the key has its number, and tag 0 */
	struct elc_set comm;
	int64_t missing; /* of all */
	uint64_t newest; /* the largest order of those that were caught */
	uint64_t mix;    /* the sum over the envelopes of all that were caught (number.h) */
	bool chosen;     /* entry.last is right */
};

/* Begin, with the messages in transit; nothing is caught. Returns 0, or -1 without memory. */
int elc_catch_begin(struct elc_catch *c, const struct elc_set *transit);
void elc_catch_free(struct elc_catch *c);
/* A message of this peer was caught. */
void elc_catch_add(struct elc_catch *c, const struct elc_message *m);
/* Must messages be taken on this communicator? */
bool elc_catch_missing(const struct elc_catch *c, uint32_t comm);
/* Choose the in-transit messages anew: first for each peer elc_catch_forget(), then
 * elc_catch_choose() for each caught message in order. */
void elc_catch_forget(struct elc_catch *c);
void elc_catch_choose(struct elc_catch *c, struct elc_message *m);
/* Nothing is missing. Is there no pending receive at all that may get an earlier message of this
 * peer than one of the caught ones? This needs no search; a receive with wildcards is counted as if
 * it might. */
bool elc_catch_undisturbed(const struct elc_catch *c, int peer, const struct elc_pending *pending,
			   size_t npending);
/* Nothing is missing, and the messages were chosen. Is there no pending receive that may get one
 * that belongs before a chosen one? */
bool elc_catch_final(const struct elc_catch *c, int peer, const struct elc_pending *pending,
		     size_t npending);

#endif
