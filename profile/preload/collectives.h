/* profile/preload/collectives.h - how many bytes a rank contributes to a call of a collective. */
#ifndef PROFILE_PRELOAD_COLLECTIVES_H
#define PROFILE_PRELOAD_COLLECTIVES_H

#include "profile/preload/preload.h"

/* Ranks of the caller's group; ranks that it exchanges with, which an inter-communicator has in the
 * other group; its neighbours in the topology that it sends to. */
int64_t members(MPI_Comm comm);
int64_t others(MPI_Comm comm);
int64_t neighbours(MPI_Comm comm);

/* `bytes` if the caller is the root, else 0. Where a caller is not, count and type may be
 * anything. */
int64_t of_root(MPI_Comm comm, int root, int64_t bytes);
/* `bytes` if the caller contributes to something with a root: everyone of a communicator, but only
 * the group without the root of an inter-communicator. */
int64_t of_member(MPI_Comm comm, int root, int64_t bytes);
/* With MPI_IN_PLACE, the contribution stands in the receive buffer. */
int64_t of_all(const void *sent, int send_count, MPI_Datatype send_type, int count,
	       MPI_Datatype type);
int64_t of_gather(MPI_Comm comm, int root, const void *sent, int send_count, MPI_Datatype send_type,
		  int count, MPI_Datatype type);
int64_t of_gatherv(MPI_Comm comm, int root, const void *sent, int send_count,
		   MPI_Datatype send_type, const int *counts, MPI_Datatype type);
int64_t of_scatterv(MPI_Comm comm, int root, const int *counts, MPI_Datatype type);
int64_t of_each(MPI_Comm comm, const void *sent, const int *send_counts, MPI_Datatype send_type,
		const int *counts, MPI_Datatype type);
int64_t of_counts(int64_t n, const int *counts, MPI_Datatype type);
int64_t of_types(int64_t n, const int *counts, const MPI_Datatype *types);
/* The count of this rank, if it is needed. */
int own(MPI_Comm comm, const int *counts, const void *sent);

#endif
