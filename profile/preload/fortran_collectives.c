/* Fortran: the collectives, blocking, nonblocking and persistent. */
#include "profile/preload/collectives.h"
#include "profile/preload/fortran.h"

#ifdef OPEN_MPI

/* What MPI_IN_PLACE is in Fortran; it is not there in other programs. */
extern int mpi_fortran_in_place_ __attribute__((weak));

static const void *buffer(const void *sent)
{
	return sent == (const void *)&mpi_fortran_in_place_ ? MPI_IN_PLACE : sent;
}

static int64_t of_handles(int64_t n, const fint *counts, const fint *types)
{
	int64_t bytes = 0;

	for (int64_t i = 0; i < n; i++)
		if (counts[i] > 0)
			bytes += bytes_of(counts[i], C_TYPE(&types[i]));
	return bytes;
}

static int64_t of_neighbour_handles(MPI_Comm comm, const fint *counts, const fint *types)
{
	const int64_t n = places(comm);
	int64_t bytes = 0;

	for (int64_t i = 0; i < n; i++)
		if (is_taken(comm, i))
			bytes += of_handles(1, &counts[i], &types[i]);
	return bytes;
}

/* Blocking, nonblocking and persistent. */
#define COLLECTIVE(name, P, A, bytes)                                                              \
	FORTRAN(name, LIST(OPEN P), LIST(OPEN A), COUNTED(name, bytes))                            \
	FORTRAN(i##name, LIST(OPEN P, fint *request), LIST(OPEN A, request),                       \
		COUNTED(i##name, bytes))                                                           \
	FORTRAN(name##_init, LIST(OPEN P, fint *info, fint *request), LIST(OPEN A, info, request), \
		KEPT(name##_init, bytes))

#define COUNTED(name, bytes)   \
	if (recorder_counts()) \
	count_collective(KIND_##name, C_COMM(comm), bytes)

#define KEPT(name, bytes)      \
	if (recorder_counts()) \
	persistent_collective(C_REQUEST(request), KIND_##name, C_COMM(comm), bytes)

#define BUFFERS void *sent, fint *send_count, fint *send_type, void *received
#define BUFFERS_ARGS sent, send_count, send_type, received
#define BUFFERS_V void *sent, fint *send_counts, fint *send_at, fint *send_type, void *received
#define BUFFERS_V_ARGS sent, send_counts, send_at, send_type, received
#define OPERANDS void *sent, void *received, fint *count, fint *type, fint *op
#define OPERANDS_ARGS sent, received, count, type, op

COLLECTIVE(barrier, LIST(fint *comm), LIST(comm), 0)
COLLECTIVE(bcast, LIST(void *buf, fint *count, fint *type, fint *root, fint *comm),
	   LIST(buf, count, type, root, comm),
	   of_root(C_COMM(comm), *root, 1) ? bytes_of(*count, C_TYPE(type)) : 0)
COLLECTIVE(reduce, LIST(OPERANDS, fint *root, fint *comm), LIST(OPERANDS_ARGS, root, comm),
	   of_member(C_COMM(comm), *root, 1) ? bytes_of(*count, C_TYPE(type)) : 0)
COLLECTIVE(allreduce, LIST(OPERANDS, fint *comm), LIST(OPERANDS_ARGS, comm),
	   bytes_of(*count, C_TYPE(type)))
COLLECTIVE(scan, LIST(OPERANDS, fint *comm), LIST(OPERANDS_ARGS, comm),
	   bytes_of(*count, C_TYPE(type)))
COLLECTIVE(exscan, LIST(OPERANDS, fint *comm), LIST(OPERANDS_ARGS, comm),
	   bytes_of(*count, C_TYPE(type)))
COLLECTIVE(reduce_scatter_block, LIST(OPERANDS, fint *comm), LIST(OPERANDS_ARGS, comm),
	   bytes_of(*count, C_TYPE(type)) * members(C_COMM(comm)))
COLLECTIVE(reduce_scatter, LIST(OPERANDS, fint *comm), LIST(OPERANDS_ARGS, comm),
	   of_counts(members(C_COMM(comm)), COUNTS(count), C_TYPE(type)))
COLLECTIVE(gather, LIST(BUFFERS, fint *count, fint *type, fint *root, fint *comm),
	   LIST(BUFFERS_ARGS, count, type, root, comm),
	   of_gather(C_COMM(comm), *root, buffer(sent), *send_count, C_TYPE(send_type), *count,
		     C_TYPE(type)))
COLLECTIVE(gatherv, LIST(BUFFERS, fint *counts, fint *at, fint *type, fint *root, fint *comm),
	   LIST(BUFFERS_ARGS, counts, at, type, root, comm),
	   of_gatherv(C_COMM(comm), *root, buffer(sent), *send_count, C_TYPE(send_type),
		      COUNTS(counts), C_TYPE(type)))
COLLECTIVE(scatter, LIST(BUFFERS, fint *count, fint *type, fint *root, fint *comm),
	   LIST(BUFFERS_ARGS, count, type, root, comm),
	   of_root(C_COMM(comm), *root, 1)
		   ? bytes_of(*send_count, C_TYPE(send_type)) * others(C_COMM(comm))
		   : 0)
COLLECTIVE(scatterv, LIST(BUFFERS_V, fint *count, fint *type, fint *root, fint *comm),
	   LIST(BUFFERS_V_ARGS, count, type, root, comm),
	   of_scatterv(C_COMM(comm), *root, COUNTS(send_counts), C_TYPE(send_type)))
COLLECTIVE(allgather, LIST(BUFFERS, fint *count, fint *type, fint *comm),
	   LIST(BUFFERS_ARGS, count, type, comm),
	   of_all(buffer(sent), *send_count, C_TYPE(send_type), *count, C_TYPE(type)))
COLLECTIVE(allgatherv, LIST(BUFFERS, fint *counts, fint *at, fint *type, fint *comm),
	   LIST(BUFFERS_ARGS, counts, at, type, comm),
	   of_all(buffer(sent), *send_count, C_TYPE(send_type),
		  own(C_COMM(comm), COUNTS(counts), buffer(sent)), C_TYPE(type)))
COLLECTIVE(alltoall, LIST(BUFFERS, fint *count, fint *type, fint *comm),
	   LIST(BUFFERS_ARGS, count, type, comm),
	   of_all(buffer(sent), *send_count, C_TYPE(send_type), *count, C_TYPE(type)) *
		   others(C_COMM(comm)))
COLLECTIVE(alltoallv, LIST(BUFFERS_V, fint *counts, fint *at, fint *type, fint *comm),
	   LIST(BUFFERS_V_ARGS, counts, at, type, comm),
	   of_each(C_COMM(comm), buffer(sent), COUNTS(send_counts), C_TYPE(send_type),
		   COUNTS(counts), C_TYPE(type)))

#define BUFFERS_W(At)                                                                 \
	void *sent, fint *send_counts, At *send_at, fint *send_types, void *received, \
		fint *counts, At *at, fint *types
#define BUFFERS_W_ARGS sent, send_counts, send_at, send_types, received, counts, at, types

COLLECTIVE(alltoallw, LIST(BUFFERS_W(fint), fint *comm), LIST(BUFFERS_W_ARGS, comm),
	   of_handles(others(C_COMM(comm)), buffer(sent) == MPI_IN_PLACE ? counts : send_counts,
		      buffer(sent) == MPI_IN_PLACE ? types : send_types))
COLLECTIVE(neighbor_allgather, LIST(BUFFERS, fint *count, fint *type, fint *comm),
	   LIST(BUFFERS_ARGS, count, type, comm), bytes_of(*send_count, C_TYPE(send_type)))
COLLECTIVE(neighbor_allgatherv, LIST(BUFFERS, fint *counts, fint *at, fint *type, fint *comm),
	   LIST(BUFFERS_ARGS, counts, at, type, comm), bytes_of(*send_count, C_TYPE(send_type)))
COLLECTIVE(neighbor_alltoall, LIST(BUFFERS, fint *count, fint *type, fint *comm),
	   LIST(BUFFERS_ARGS, count, type, comm),
	   bytes_of(*send_count, C_TYPE(send_type)) * neighbours(C_COMM(comm)))
COLLECTIVE(neighbor_alltoallv, LIST(BUFFERS_V, fint *counts, fint *at, fint *type, fint *comm),
	   LIST(BUFFERS_V_ARGS, counts, at, type, comm),
	   of_neighbours(C_COMM(comm), COUNTS(send_counts), C_TYPE(send_type), NULL))
COLLECTIVE(neighbor_alltoallw, LIST(BUFFERS_W(MPI_Aint), fint *comm), LIST(BUFFERS_W_ARGS, comm),
	   of_neighbour_handles(C_COMM(comm), send_counts, send_types))

#endif
