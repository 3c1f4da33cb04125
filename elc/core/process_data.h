/* What one process knows, as data: process.h has the functions. Protocols, numbers and collective
 * functions read and change it, too. */
#ifndef ELC_CORE_PROCESS_DATA_H
#define ELC_CORE_PROCESS_DATA_H

#include "elc/core/identify.h"
#include "elc/core/line.h"
#include "elc/core/protocol.h"
#include "elc/core/repeat.h"

struct elc_collectives; /* collective.h */

/* Everything about one peer; a process is a peer of itself, too. */
struct elc_channel {
	struct elc_log sent, received; /* of the interval that is open */
	/* of the interval that the line in progress has closed */
	struct elc_set cut_sent, cut_received;
	struct elc_set request;         /* the peer's send log, from its request */
	struct elc_set transit, orphan; /* from the peer, at the newest line that is identified */
	/* received, but sent behind the peer's next entry: orphans of the next line. Not with
	 * events */
	struct elc_set early;
	/* sums over the envelopes of the interval that is open (number.h) */
	uint64_t sent_mix, received_mix;
	uint64_t cut_received_mix, transit_mix;
	bool identified; /* transit and orphan are those of the line in progress */
	bool settled;    /* and all payloads are here */
	/* payloads that are wanted; from identification to the end of the line */
	struct elc_catch catch;
	/* of what was sent between the own cut and the peer's request */
	struct elc_sums window;
	/* of what will be sent again after a restart, and has to be suppressed */
	struct elc_sums expected;
};

struct elc_process {
	struct elc_line line;
	const struct elc_protocol *protocol;
	enum elc_form form;
	/* markers: the messages of this peer did not come in the order of sending, so no line can
	 * be taken; -1: none */
	int unordered;
	struct elc_channel *with; /* per peer */
	/* taken from MPI or from a file; the program has not received them yet */
	struct elc_messages held;
	/* candidates for the in-transit messages of the line in progress */
	struct elc_messages caught;
	/* held messages that matched probes have found: like active receives */
	size_t matched;
	uint64_t orders;    /* given so far */
	int64_t suppressed; /* sends, since the restart */
	int64_t events;     /* logged, of this process since its start */
	int64_t served;     /* results of collective functions, since the restart */
	struct elc_collectives *collectives; /* one for each communicator */
};

#endif
