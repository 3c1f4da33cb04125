/* Stamped messages in memory of their own, as the event-logging-checkpoint paper sends them
 * (Sect. 6.2): the payload is copied behind its header to be sent, and received behind its header
 * to be copied to the program. Between processes they are the same bytes as messages that MPI
 * gathers (wire.h). */
#ifndef ELC_WIRE_COPY_H
#define ELC_WIRE_COPY_H

#include "elc/wire/wire.h"

struct elc_copy {
	struct elc_copy *next; /* of the owner's list */
	int64_t stamp;
	char payload[];
};

/* A message to be sent, or room for one to be received: w is given to MPI, and the memory stays
 * until that is complete (free()). NULL: no memory, or MPI cannot pack these elements. */
struct elc_copy *elc_copy_out(int64_t stamp, const void *buf, int count, MPI_Datatype type,
			      struct elc_wire *w);
struct elc_copy *elc_copy_in(int count, MPI_Datatype type, struct elc_wire *w);

#endif
