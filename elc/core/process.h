/* What one process knows: its logs with every peer, its part of the line in progress, the messages
 * that it holds.
 *
 * All that the protocols have in common is here, as data, and what is different is behind
 * protocol.h: the caller moves the messages (elc/mpi with MPI, the unit tests in one process).
 * Every function that can fail returns a negative number without memory; the process cannot go on
 * then.
 *
 * Order of calls in a line: elc_process_cut(), send elc_process_request() to all others;
 * elc_process_on_request() for each of theirs, before or after the own cut; take messages while
 * elc_process_missing(); when elc_process_ready(), elc_process_pack(), then
 * elc_process_completed(); when all is written, tell rank 0; elc_process_commit() when rank 0 says
 * so. */
#ifndef ELC_CORE_PROCESS_H
#define ELC_CORE_PROCESS_H

#include "elc/core/collective.h"
#include "elc/core/process_data.h"

/* form: of the logs, with events; numbers are always counted. */
int elc_process_init(struct elc_process *p, int np, int rank, const struct elc_protocol *protocol,
		     enum elc_form form, int64_t committed);
void elc_process_free(struct elc_process *p);

/* Numbers for elc_message.order and elc_pending.order: one for each receive that is posted. */
static inline uint64_t elc_process_order(struct elc_process *p)
{
	return ++p->orders;
}

/* Sending. Is the checksum of the next message with this envelope needed? */
bool elc_process_wants_sum(const struct elc_process *p, int dest, elc_key key);
/* Log a send. crc and bytes count only where the checksum is needed. ELC_SUPPRESS: it must not be
 * sent, the receiver has it. ELC_DIFFERENT: the receiver has another message in its place, so the
 * program does not repeat itself; it cannot go on. */
enum { ELC_SEND, ELC_SUPPRESS, ELC_DIFFERENT };
int elc_process_send(struct elc_process *p, int dest, elc_key key, uint32_t crc, uint64_t bytes);

/* The stamp that messages carry that are sent now, with tagging. */
static inline int64_t elc_process_stamp(const struct elc_process *p)
{
	return elc_line_epoch(&p->line);
}

/* Receiving. stamp: what the message carries; without tagging it does not matter. -2: a message
 * with this stamp is impossible here. Must a copy of a message that the program receives now be
 * kept? */
bool elc_process_wants_copy(const struct elc_process *p, int peer, elc_key key, int64_t stamp);
/* Log that the program has received a message from MPI. data (malloc): its copy, which the process
 * then owns; NULL: none. */
int elc_process_receive(struct elc_process *p, int peer, elc_key key, int64_t stamp, uint64_t order,
			void *data, size_t bytes);
/* Hold a message that was taken from MPI. The process then owns data (malloc). */
int elc_process_take(struct elc_process *p, int peer, elc_key key, int64_t stamp, void *data,
		     size_t bytes);
/* The first message held, and not matched, that a receive with these arguments matches; NULL: none.
 * peer and tag may be ELC_ANY. */
const struct elc_message *elc_process_find(const struct elc_process *p, int peer, uint32_t comm,
					   int tag);
/* A matched probe of the program has found this held message. */
void elc_process_match(struct elc_process *p, const struct elc_message *m);
/* The program has received this held message, whose data it has copied. Afterwards m is invalid. */
int elc_process_deliver(struct elc_process *p, const struct elc_message *m);

/* The line. */
int elc_process_cut(struct elc_process *p);
/* What the request to another process must contain. Valid from the cut to the commit. */
const struct elc_set *elc_process_request(const struct elc_process *p, int dest);
/* The request of another process is here. The set moves to the process. -2: impossible in this
 * protocol. */
int elc_process_on_request(struct elc_process *p, int from, int64_t number, struct elc_set *set);
/* With markers, the request has to be given to the process behind the messages that were sent
 * before it. How many messages of this communicator have not come yet that were sent before this
 * marker? Is it the marker's turn? Messages that are received or held have come. */
int64_t elc_markers_to_come(const struct elc_process *p, int peer, uint32_t comm,
			    const struct elc_set *marker);
bool elc_markers_due(const struct elc_process *p, int peer, const struct elc_set *marker);
/* Must messages be taken from MPI that this peer has sent on this communicator? */
bool elc_process_missing(const struct elc_process *p, int peer, uint32_t comm);
/* Are all requests and all payloads here? pending: the receives of the program that MPI has not
 * completed. */
bool elc_process_ready(struct elc_process *p, const struct elc_pending *pending, size_t npending);
int elc_process_completed(struct elc_process *p);
int elc_process_commit(struct elc_process *p, int64_t number);

/* After a restart: this many messages to dest are orphans there. The sums of elc_process_unpack()
 * become the expected ones. -2: the sum of one is missing; then *key is its envelope. */
int elc_process_expect(struct elc_process *p, int dest, const struct elc_set *orphan, elc_key *key);

/* Mark those of the caught messages that are in transit, of this peer or ELC_ANY. */
void elc_process_choose(struct elc_process *p, int peer);
/* Of the chosen messages, one that is in transit at more than so many lines, the one in progress
 * included (Sect. 3.5); NULL: there is none. */
const struct elc_message *elc_process_kept_longer(const struct elc_process *p, int64_t lines);
/* The part of the line in progress that is not the program's state: in-transit messages with their
 * payloads, orphans, sums. Returns malloc'ed bytes, or NULL without memory. */
void *elc_process_pack(struct elc_process *p, size_t *bytes);
/* Into a process that was just initialised: the messages are held, and transit, orphan and window
 * of all channels are set. -2: these bytes are no such part. */
int elc_process_unpack(struct elc_process *p, const void *data, size_t bytes);

#endif
