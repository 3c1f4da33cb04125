/* profile/preload/collectives.h - how many bytes a rank contributes to a call of a collective. */
#ifndef PROFILE_PRELOAD_COLLECTIVES_H
#define PROFILE_PRELOAD_COLLECTIVES_H

#include "profile/preload/preload.h"

/* An array of counts, as MPI-3 has them or as MPI-4 has them for large counts. */
struct counts {
	const int *small;
	const MPI_Count *large; /* NULL: small */
};

static inline struct counts small_counts(const int *counts)
{
	return (struct counts){ counts, NULL };
}

static inline struct counts large_counts(const MPI_Count *counts)
{
	return (struct counts){ NULL, counts };
}

/* A struct of an array of either. */
#define COUNTS(array)                      \
	_Generic((array),                  \
		int *: small_counts,       \
		const int *: small_counts, \
		MPI_Count *: large_counts, \
		const MPI_Count *: large_counts)(array)

/* Ranks of the caller's group; ranks that it exchanges with, which an inter-communicator has in the
 * other group; its neighbours in the topology that it sends to, without MPI_PROC_NULL. */
int64_t members(MPI_Comm comm);
int64_t others(MPI_Comm comm);
int64_t neighbours(MPI_Comm comm);
/* All places for these that the topology has; is there somebody at a place? On the edge of a
 * Cartesian grid it may be MPI_PROC_NULL, to which messages do not count either. */
int64_t places(MPI_Comm comm);
bool is_taken(MPI_Comm comm, int64_t place);
/* What it sends to each of these: all with one type, or (not NULL) each with a type of its own. */
int64_t of_neighbours(MPI_Comm comm, struct counts counts, MPI_Datatype one,
		      const MPI_Datatype *each);

/* `bytes` if the caller is the root, else 0. Where a caller is not, count and type may be
 * anything. */
int64_t of_root(MPI_Comm comm, int root, int64_t bytes);
/* `bytes` if the caller contributes to something with a root: everyone of a communicator, but only
 * the group without the root of an inter-communicator. */
int64_t of_member(MPI_Comm comm, int root, int64_t bytes);
/* With MPI_IN_PLACE, the contribution stands in the receive buffer. */
int64_t of_all(const void *sent, int64_t send_count, MPI_Datatype send_type, int64_t count,
	       MPI_Datatype type);
int64_t of_gather(MPI_Comm comm, int root, const void *sent, int64_t send_count,
		  MPI_Datatype send_type, int64_t count, MPI_Datatype type);
int64_t of_gatherv(MPI_Comm comm, int root, const void *sent, int64_t send_count,
		   MPI_Datatype send_type, struct counts counts, MPI_Datatype type);
int64_t of_scatterv(MPI_Comm comm, int root, struct counts counts, MPI_Datatype type);
int64_t of_each(MPI_Comm comm, const void *sent, struct counts send_counts, MPI_Datatype send_type,
		struct counts counts, MPI_Datatype type);
int64_t of_counts(int64_t n, struct counts counts, MPI_Datatype type);
int64_t of_types(int64_t n, struct counts counts, const MPI_Datatype *types);
/* The count of this rank, if it is needed. */
int64_t own(MPI_Comm comm, struct counts counts, const void *sent);

#endif
