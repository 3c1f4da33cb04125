/* Messages that carry a stamp (message tagging; event-logging-checkpoint paper, Sect. 2.2.2
 * and 6.2).
 *
 * As in the paper, a derived datatype joins a header and the payload: 8 bytes with the number of
 * the sender's newest cut, then the elements of the program. The paper copies the payload to a
 * temporary buffer (copy.h); here the datatype has the absolute addresses of both, and MPI gathers
 * and scatters them. Statuses of MPI count the header, and the program must not see it. */
#ifndef ELC_WIRE_WIRE_H
#define ELC_WIRE_WIRE_H

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

/* A message as it is given to MPI: to a send, or to a receive. */
struct elc_wire {
	const void *buf;
	int count;
	MPI_Datatype type;
	bool own_type;
};

/* Without a stamp. */
static inline struct elc_wire elc_wire_plain(const void *buf, int count, MPI_Datatype type)
{
	return (struct elc_wire){ buf, count, type, false };
}

/* With a stamp that MPI reads or writes; it must exist until the message is complete. Where MPI
 * cannot make the datatype, the message is given to it as it is, so that it says what is wrong. */
struct elc_wire elc_wire_stamped(const int64_t *stamp, const void *buf, int count,
				 MPI_Datatype type);
/* After the call of MPI, also of a nonblocking function. */
void elc_wire_free(struct elc_wire *w);
/* Take the header out of the status of a stamped message. */
void elc_wire_strip(MPI_Status *status);
/* Memory with this stamp that stays until elc_wire_end(): a send may read it at any time. NULL
 * without memory. */
const int64_t *elc_wire_stamp(int64_t stamp);
void elc_wire_end(void);

#endif
