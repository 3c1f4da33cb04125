/* The collectives: blocking, nonblocking and persistent. Bytes are what the caller contributes. */
#include "profile/preload/collectives.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAVE_MPI_4
#endif

#define BUFFERS(C) const void *sent, C send_count, MPI_Datatype send_type, void *received
#define BUFFERS_V(C, D)                                                                   \
	const void *sent, const C *send_counts, const D *send_at, MPI_Datatype send_type, \
		void *received
#define BUFFERS_W(C, D)                                                                           \
	const void *sent, const C *send_counts, const D *send_at, const MPI_Datatype *send_types, \
		void *received
#define RECEIVED(C) C count, MPI_Datatype type
#define RECEIVED_V(C, D) const C *counts, const D *at, MPI_Datatype type

/* For each collective its parameters, what it calls the real one with, and its bytes. */
#define P_barrier(C, D) MPI_Comm comm
#define A_barrier comm
#define B_barrier 0
#define P_bcast(C, D) void *buf, C count, MPI_Datatype type, int root, MPI_Comm comm
#define A_bcast buf, count, type, root, comm
#define B_bcast of_root(comm, root, 1) ? bytes_of(count, type) : 0
#define P_gather(C, D) BUFFERS(C), RECEIVED(C), int root, MPI_Comm comm
#define A_gather sent, send_count, send_type, received, count, type, root, comm
#define B_gather of_gather(comm, root, sent, send_count, send_type, count, type)
#define P_gatherv(C, D) BUFFERS(C), RECEIVED_V(C, D), int root, MPI_Comm comm
#define A_gatherv sent, send_count, send_type, received, counts, at, type, root, comm
#define B_gatherv of_gatherv(comm, root, sent, send_count, send_type, COUNTS(counts), type)
#define P_scatter(C, D) P_gather(C, D)
#define A_scatter A_gather
#define B_scatter of_root(comm, root, 1) ? bytes_of(send_count, send_type) * others(comm) : 0
#define P_scatterv(C, D) BUFFERS_V(C, D), RECEIVED(C), int root, MPI_Comm comm
#define A_scatterv sent, send_counts, send_at, send_type, received, count, type, root, comm
#define B_scatterv of_scatterv(comm, root, COUNTS(send_counts), send_type)
#define P_allgather(C, D) BUFFERS(C), RECEIVED(C), MPI_Comm comm
#define A_allgather sent, send_count, send_type, received, count, type, comm
#define B_allgather of_all(sent, send_count, send_type, count, type)
#define P_allgatherv(C, D) BUFFERS(C), RECEIVED_V(C, D), MPI_Comm comm
#define A_allgatherv sent, send_count, send_type, received, counts, at, type, comm
#define B_allgatherv of_all(sent, send_count, send_type, own(comm, COUNTS(counts), sent), type)
#define P_alltoall(C, D) P_allgather(C, D)
#define A_alltoall A_allgather
#define B_alltoall of_all(sent, send_count, send_type, count, type) * others(comm)
#define P_alltoallv(C, D) BUFFERS_V(C, D), RECEIVED_V(C, D), MPI_Comm comm
#define A_alltoallv sent, send_counts, send_at, send_type, received, counts, at, type, comm
#define B_alltoallv of_each(comm, sent, COUNTS(send_counts), send_type, COUNTS(counts), type)
#define P_alltoallw(C, D) \
	BUFFERS_W(C, D), const C *counts, const D *at, const MPI_Datatype *types, MPI_Comm comm
#define A_alltoallw sent, send_counts, send_at, send_types, received, counts, at, types, comm
#define B_alltoallw                                                                         \
	of_types(others(comm), sent == MPI_IN_PLACE ? COUNTS(counts) : COUNTS(send_counts), \
		 sent == MPI_IN_PLACE ? types : send_types)
#define P_reduce(C, D)                                                                     \
	const void *sent, void *received, C count, MPI_Datatype type, MPI_Op op, int root, \
		MPI_Comm comm
#define A_reduce sent, received, count, type, op, root, comm
#define B_reduce of_member(comm, root, 1) ? bytes_of(count, type) : 0
#define P_allreduce(C, D) \
	const void *sent, void *received, C count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define A_allreduce sent, received, count, type, op, comm
#define B_allreduce bytes_of(count, type)
#define P_scan(C, D) P_allreduce(C, D)
#define A_scan A_allreduce
#define B_scan B_allreduce
#define P_exscan(C, D) P_allreduce(C, D)
#define A_exscan A_allreduce
#define B_exscan B_allreduce
#define P_reduce_scatter(C, D)                                                           \
	const void *sent, void *received, const C *counts, MPI_Datatype type, MPI_Op op, \
		MPI_Comm comm
#define A_reduce_scatter sent, received, counts, type, op, comm
#define B_reduce_scatter of_counts(members(comm), COUNTS(counts), type)
#define P_reduce_scatter_block(C, D) P_allreduce(C, D)
#define A_reduce_scatter_block A_allreduce
#define B_reduce_scatter_block bytes_of(count, type) * members(comm)
#define P_neighbor_allgather(C, D) P_allgather(C, D)
#define A_neighbor_allgather A_allgather
#define B_neighbor_allgather bytes_of(send_count, send_type)
#define P_neighbor_allgatherv(C, D) P_allgatherv(C, D)
#define A_neighbor_allgatherv A_allgatherv
#define B_neighbor_allgatherv bytes_of(send_count, send_type)
#define P_neighbor_alltoall(C, D) P_allgather(C, D)
#define A_neighbor_alltoall A_allgather
#define B_neighbor_alltoall bytes_of(send_count, send_type) * neighbours(comm)
#define P_neighbor_alltoallv(C, D) P_alltoallv(C, D)
#define A_neighbor_alltoallv A_alltoallv
#define B_neighbor_alltoallv of_neighbours(comm, COUNTS(send_counts), send_type, NULL)
#define P_neighbor_alltoallw(C, D)                                               \
	const void *sent, const C *send_counts, const MPI_Aint *send_at,         \
		const MPI_Datatype *send_types, void *received, const C *counts, \
		const MPI_Aint *at, const MPI_Datatype *types, MPI_Comm comm
#define A_neighbor_alltoallw A_alltoallw
#define B_neighbor_alltoallw of_neighbours(comm, COUNTS(send_counts), MPI_DATATYPE_NULL, send_types)

#define COUNTED(kind, bytes)                                \
	if (rc == MPI_SUCCESS && recorder_counts())         \
		count_collective(KIND_##kind, comm, bytes); \
	return rc

/* Nonblocking: what a caller may change before it is complete is read when it begins. C: the type
 * of counts, D: of displacements, end: of the name. */
#define BLOCKING(Name, name, C, D, end)                    \
	EXPORT int MPI_##Name##end(P_##name(C, D))         \
	{                                                  \
		const int rc = PMPI_##Name##end(A_##name); \
                                                           \
		COUNTED(name, B_##name);                   \
	}
#define NONBLOCKING(name, C, D, end)                                      \
	EXPORT int MPI_I##name##end(P_##name(C, D), MPI_Request *request) \
	{                                                                 \
		const int rc = PMPI_I##name##end(A_##name, request);      \
                                                                          \
		COUNTED(i##name, B_##name);                               \
	}
#define PERSISTENT(Name, name, C, D, end)                                                      \
	EXPORT int MPI_##Name##_init##end(P_##name(C, D), MPI_Info info, MPI_Request *request) \
	{                                                                                      \
		const int rc = PMPI_##Name##_init##end(A_##name, info, request);               \
                                                                                               \
		if (rc == MPI_SUCCESS && recorder_counts())                                    \
			persistent_collective(*request, KIND_##name##_init, comm, B_##name);   \
		return rc;                                                                     \
	}

#ifdef HAVE_MPI_4
#define ALL(Name, name, C, D, end)      \
	BLOCKING(Name, name, C, D, end) \
	NONBLOCKING(name, C, D, end) PERSISTENT(Name, name, C, D, end)
#else
#define ALL(Name, name, C, D, end) BLOCKING(Name, name, C, D, end) NONBLOCKING(name, C, D, end)
#endif
#if MPI_VERSION >= 4
#define COLLECTIVE(Name, name) ALL(Name, name, int, int, ) ALL(Name, name, MPI_Count, MPI_Aint, _c)
#else
#define COLLECTIVE(Name, name) ALL(Name, name, int, int, )
#endif

ALL(Barrier, barrier, int, int, )
COLLECTIVE(Bcast, bcast)
COLLECTIVE(Gather, gather)
COLLECTIVE(Gatherv, gatherv)
COLLECTIVE(Scatter, scatter)
COLLECTIVE(Scatterv, scatterv)
COLLECTIVE(Allgather, allgather)
COLLECTIVE(Allgatherv, allgatherv)
COLLECTIVE(Alltoall, alltoall)
COLLECTIVE(Alltoallv, alltoallv)
COLLECTIVE(Alltoallw, alltoallw)
COLLECTIVE(Reduce, reduce)
COLLECTIVE(Allreduce, allreduce)
COLLECTIVE(Scan, scan)
COLLECTIVE(Exscan, exscan)
COLLECTIVE(Reduce_scatter, reduce_scatter)
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block)
COLLECTIVE(Neighbor_allgather, neighbor_allgather)
COLLECTIVE(Neighbor_allgatherv, neighbor_allgatherv)
COLLECTIVE(Neighbor_alltoall, neighbor_alltoall)
COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv)
COLLECTIVE(Neighbor_alltoallw, neighbor_alltoallw)
