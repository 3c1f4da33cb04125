/* profile/preload/ranks.h - communicators: who their ranks are in MPI_COMM_WORLD, found once per
 * communicator. */
#ifndef PROFILE_PRELOAD_RANKS_H
#define PROFILE_PRELOAD_RANKS_H

#include <mpi.h>
#include <stdint.h>

struct ranks {
	int rank, size; /* of the caller and of its group */
	/* number of ranks that can be sent to: of the other group of an inter-communicator, else
	 * size */
	int remote;
	int inter;
	/* remote: their ranks in MPI_COMM_WORLD, -1: not in it; NULL: the same as here */
	int *world;
};

/* NULL: out of memory, or MPI refuses it. It stays valid while the communicator exists. */
const struct ranks *ranks_of(MPI_Comm comm);

/* Make what is needed for that, once, after MPI_Init(). */
void ranks_begin(void);

/* Count the send of a message. */
void count_send(int dest, int64_t count, MPI_Datatype type, MPI_Comm comm);
/* The bytes of so many elements. */
int64_t bytes_of(int64_t count, MPI_Datatype type);

#endif
