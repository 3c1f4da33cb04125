/* The collectives: blocking, nonblocking and persistent. Bytes are what the caller contributes. */
#include "profile/preload/collectives.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAVE_MPI_4
#endif

#define BUFFERS const void *sent, int send_count, MPI_Datatype send_type, void *received
#define BUFFERS_V                                                                             \
	const void *sent, const int *send_counts, const int *send_at, MPI_Datatype send_type, \
		void *received
#define BUFFERS_W                                                     \
	const void *sent, const int *send_counts, const int *send_at, \
		const MPI_Datatype *send_types, void *received
#define RECEIVED int count, MPI_Datatype type
#define RECEIVED_V const int *counts, const int *at, MPI_Datatype type

/* For each collective its parameters, what it calls the real one with, and its bytes. */
#define P_barrier MPI_Comm comm
#define A_barrier comm
#define B_barrier 0
#define P_bcast void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm
#define A_bcast buf, count, type, root, comm
#define B_bcast of_root(comm, root, 1) ? bytes_of(count, type) : 0
#define P_gather BUFFERS, RECEIVED, int root, MPI_Comm comm
#define A_gather sent, send_count, send_type, received, count, type, root, comm
#define B_gather of_gather(comm, root, sent, send_count, send_type, count, type)
#define P_gatherv BUFFERS, RECEIVED_V, int root, MPI_Comm comm
#define A_gatherv sent, send_count, send_type, received, counts, at, type, root, comm
#define B_gatherv of_gatherv(comm, root, sent, send_count, send_type, counts, type)
#define P_scatter P_gather
#define A_scatter A_gather
#define B_scatter of_root(comm, root, 1) ? bytes_of(send_count, send_type) * others(comm) : 0
#define P_scatterv BUFFERS_V, RECEIVED, int root, MPI_Comm comm
#define A_scatterv sent, send_counts, send_at, send_type, received, count, type, root, comm
#define B_scatterv of_scatterv(comm, root, send_counts, send_type)
#define P_allgather BUFFERS, RECEIVED, MPI_Comm comm
#define A_allgather sent, send_count, send_type, received, count, type, comm
#define B_allgather of_all(sent, send_count, send_type, count, type)
#define P_allgatherv BUFFERS, RECEIVED_V, MPI_Comm comm
#define A_allgatherv sent, send_count, send_type, received, counts, at, type, comm
#define B_allgatherv of_all(sent, send_count, send_type, own(comm, counts, sent), type)
#define P_alltoall P_allgather
#define A_alltoall A_allgather
#define B_alltoall of_all(sent, send_count, send_type, count, type) * others(comm)
#define P_alltoallv BUFFERS_V, RECEIVED_V, MPI_Comm comm
#define A_alltoallv sent, send_counts, send_at, send_type, received, counts, at, type, comm
#define B_alltoallv of_each(comm, sent, send_counts, send_type, counts, type)
#define P_alltoallw \
	BUFFERS_W, const int *counts, const int *at, const MPI_Datatype *types, MPI_Comm comm
#define A_alltoallw sent, send_counts, send_at, send_types, received, counts, at, types, comm
#define B_alltoallw                                                         \
	of_types(others(comm), sent == MPI_IN_PLACE ? counts : send_counts, \
		 sent == MPI_IN_PLACE ? types : send_types)
#define P_reduce                                                                             \
	const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, int root, \
		MPI_Comm comm
#define A_reduce sent, received, count, type, op, root, comm
#define B_reduce of_member(comm, root, 1) ? bytes_of(count, type) : 0
#define P_allreduce \
	const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define A_allreduce sent, received, count, type, op, comm
#define B_allreduce bytes_of(count, type)
#define P_scan P_allreduce
#define A_scan A_allreduce
#define B_scan B_allreduce
#define P_exscan P_allreduce
#define A_exscan A_allreduce
#define B_exscan B_allreduce
#define P_reduce_scatter                                                                   \
	const void *sent, void *received, const int *counts, MPI_Datatype type, MPI_Op op, \
		MPI_Comm comm
#define A_reduce_scatter sent, received, counts, type, op, comm
#define B_reduce_scatter of_counts(members(comm), counts, type)
#define P_reduce_scatter_block P_allreduce
#define A_reduce_scatter_block A_allreduce
#define B_reduce_scatter_block bytes_of(count, type) * members(comm)
#define P_neighbor_allgather P_allgather
#define A_neighbor_allgather A_allgather
#define B_neighbor_allgather bytes_of(send_count, send_type)
#define P_neighbor_allgatherv P_allgatherv
#define A_neighbor_allgatherv A_allgatherv
#define B_neighbor_allgatherv bytes_of(send_count, send_type)
#define P_neighbor_alltoall P_allgather
#define A_neighbor_alltoall A_allgather
#define B_neighbor_alltoall bytes_of(send_count, send_type) * neighbours(comm)
#define P_neighbor_alltoallv P_alltoallv
#define A_neighbor_alltoallv A_alltoallv
#define B_neighbor_alltoallv of_counts(neighbours(comm), send_counts, send_type)
#define P_neighbor_alltoallw                                                       \
	const void *sent, const int *send_counts, const MPI_Aint *send_at,         \
		const MPI_Datatype *send_types, void *received, const int *counts, \
		const MPI_Aint *at, const MPI_Datatype *types, MPI_Comm comm
#define A_neighbor_alltoallw A_alltoallw
#define B_neighbor_alltoallw of_types(neighbours(comm), send_counts, send_types)

#define COUNTED(kind, bytes)                                \
	if (rc == MPI_SUCCESS && recorder_counts())         \
		count_collective(KIND_##kind, comm, bytes); \
	return rc

/* Nonblocking: what a caller may change before it is complete is read when it begins. */
#define BLOCKING(Name, name)                          \
	EXPORT int MPI_##Name(P_##name)               \
	{                                             \
		const int rc = PMPI_##Name(A_##name); \
                                                      \
		COUNTED(name, B_##name);              \
	}
#define NONBLOCKING(name)                                       \
	EXPORT int MPI_I##name(P_##name, MPI_Request *request)  \
	{                                                       \
		const int rc = PMPI_I##name(A_##name, request); \
                                                                \
		COUNTED(i##name, B_##name);                     \
	}
#define PERSISTENT(Name, name)                                                               \
	EXPORT int MPI_##Name##_init(P_##name, MPI_Info info, MPI_Request *request)          \
	{                                                                                    \
		const int rc = PMPI_##Name##_init(A_##name, info, request);                  \
                                                                                             \
		if (rc == MPI_SUCCESS && recorder_counts())                                  \
			persistent_collective(*request, KIND_##name##_init, comm, B_##name); \
		return rc;                                                                   \
	}

#ifdef HAVE_MPI_4
#define ALL(Name, name) BLOCKING(Name, name) NONBLOCKING(name) PERSISTENT(Name, name)
#else
#define ALL(Name, name) BLOCKING(Name, name) NONBLOCKING(name)
#endif

ALL(Barrier, barrier)
ALL(Bcast, bcast)
ALL(Gather, gather)
ALL(Gatherv, gatherv)
ALL(Scatter, scatter)
ALL(Scatterv, scatterv)
ALL(Allgather, allgather)
ALL(Allgatherv, allgatherv)
ALL(Alltoall, alltoall)
ALL(Alltoallv, alltoallv)
ALL(Alltoallw, alltoallw)
ALL(Reduce, reduce)
ALL(Allreduce, allreduce)
ALL(Scan, scan)
ALL(Exscan, exscan)
ALL(Reduce_scatter, reduce_scatter)
ALL(Reduce_scatter_block, reduce_scatter_block)
ALL(Neighbor_allgather, neighbor_allgather)
ALL(Neighbor_allgatherv, neighbor_allgatherv)
ALL(Neighbor_alltoall, neighbor_alltoall)
ALL(Neighbor_alltoallv, neighbor_alltoallv)
ALL(Neighbor_alltoallw, neighbor_alltoallw)
