/* harness/machine/network.h - what a message costs between two processes of a job, by ping-pong.
 *
 * It takes a few milliseconds where each process has a core, so each run measures it, at the start
 * of its job and before its roles are bound. The least of some rounds is taken: it is the figure
 * that other processes on the same cores disturb least. */
#ifndef HARNESS_MACHINE_NETWORK_H
#define HARNESS_MACHINE_NETWORK_H

#include <mpi.h>
#include <stdbool.h>

enum { NETWORK_SMALL = 8, NETWORK_LARGE = 256 * 1024 }; /* bytes of a message */

struct network {
	int partner; /* rank 0 plays with it */
	/* least time of one way, half of a round trip, with a message of NETWORK_SMALL bytes */
	double small_s;
	double bytes_per_s; /* one way, with NETWORK_LARGE bytes */
};

/* Rank 0 of comm and `partner` play, if rank 0 wants to; for others it does nothing. true: rank 0
 * has the figures in *out. false: this is another rank, or a process died. Errors of comm are
 * returned from then on. */
bool network_measure(MPI_Comm comm, int partner, bool wanted, struct network *out);

/* Has the MPI memory that this process shares with others of its host, for messages? Where there is
 * no room for it, Open MPI says so in the job's log only, and takes TCP. */
bool network_shares_memory(void);

#endif
