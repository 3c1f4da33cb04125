/* forecast/programs/program.h - the programs of all roles in one iteration.
 *
 * A program is cut into segments. A segment begins with sends, which all happen at the same time,
 * and ends with a wait for the messages whose receives were posted in it; behind the last wait of a
 * role there may be a segment without a wait. So one time for each segment says when each message
 * was sent. */
#ifndef FORECAST_PROGRAMS_PROGRAM_H
#define FORECAST_PROGRAMS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* A receive and the send that it gets. */
struct message {
	int64_t cost;     /* ticks from the send until it is there */
	uint32_t segment; /* in which it is sent */
	int32_t source;
	uint16_t place; /* of the send (ft/log/place.h) */
	bool reduction; /* the receive is part of a reduction over all roles */
};

struct waves;

struct segment {
	/* its first one; the messages of a segment end where those of the next begin */
	uint32_t message;
	int32_t role;
	uint16_t place;        /* of the wait */
	bool waits, reduction; /* it ends with a wait; which is part of a reduction */
};

struct program {
	uint32_t segments, messages, waits;
	/* each role has one segment, with a wait: no wait needs another, and segment r is that of
	 * role r */
	bool simple;
	uint32_t *first;         /* np + 1: where the segments of each role begin */
	struct segment *segment; /* segments + 1 */
	struct message *message;
	uint32_t *order; /* the segments with waits: each behind those that it waits for */
	int64_t *bytes;  /* np: what each role sends, and of this in reductions */
	int64_t *reduced;
	struct waves *waves; /* NULL: nobody has asked for them yet */
};

#endif
