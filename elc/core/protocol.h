/* Three protocols behind one interface (event-logging-checkpoint paper, Sect. 2.2 and 3;
 * Specification B-2 of this project).
 *
 * All of them cut at safe points of each process, send a request to all others, keep messages in
 * transit, suppress orphans after a restart, and commit in two phases. That is common (process.h,
 * line.h). They differ in how a receiver learns on which side of the sender's cut a message was
 * sent:
 *
 *   events   by the envelopes that the request says were sent: the paper's own protocol
 *   tagging  each message carries its stamp, the number of the sender's newest cut. The request
 *            says only how many messages were sent on each communicator, so that the receiver
 *            knows when it has all that are in transit tagging-copy: the same, and the payload
 *            is copied behind the stamp, as in the paper
 *   markers  Chandy-Lamport: the request is a marker, and what comes after it was sent after it.
 *            This needs messages and markers that come in the order of sending (FIFO); whether
 *            they did is checked by the numbers, and a sum over the envelopes, in the marker */
#ifndef ELC_CORE_PROTOCOL_H
#define ELC_CORE_PROTOCOL_H

#include "elc/core/catch.h"

struct elc_process;

struct elc_protocol {
	const char *name; /* in ELC_PROTOCOL */
	/* logs are of envelopes; otherwise of numbers per communicator (number.h) */
	bool envelopes;
	bool stamped; /* messages carry a stamp */
	/* The number of the newest cut of the sender of a message that comes now; carried: its
	 * stamp, where messages have one. */
	int64_t (*stamp)(const struct elc_process *p, int peer, elc_key key, int64_t carried);
	/* This process cuts: what must the request say beside what was sent in the interval? */
	int (*ask)(struct elc_process *p, int dest);
	/* The own cut and the request of the peer are here: its messages in transit and the
	 * orphans. */
	int (*identify)(struct elc_process *p, int peer);
	/* A message of the interval that is open here was received, by a receive with this order.
	 * NULL: does not matter. */
	void (*received)(struct elc_process *p, int peer, elc_key key, uint64_t order);
	/* After identification: are all payloads of this peer here? */
	bool (*settled)(struct elc_process *p, int peer, const struct elc_pending *pending,
			size_t npending);
	/* a stamped message is copied to be sent and received; otherwise MPI gathers and scatters
	 * it */
	bool copied;
	/* the name in the files of a line, where they are those of another protocol; NULL: its own
	 * one */
	const char *same;
};

extern const struct elc_protocol elc_events, elc_tagging, elc_tagging_copy, elc_markers;

/* NULL: there is none of this name. */
const struct elc_protocol *elc_protocol_named(const char *name);

#endif
