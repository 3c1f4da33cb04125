/* Collective functions by their meaning as messages: they are logged like those of the program, so a line may cut them. Their
 * messages go through a communicator of their own (the shadow), and no wildcard is used. Before elc_restarted() they are MPI's. */
#include "elc/mpi/collectives.h"

#include <stdlib.h>

static MPI_Aint extent_of(MPI_Datatype type)
{
	MPI_Aint lower, extent;

	PMPI_Type_get_extent(type, &lower, &extent);
	return extent;
}

static void *element(const void *buf, MPI_Aint index, MPI_Datatype type)
{
	return (char *)buf + index * extent_of(type);
}

void elc_copy_local(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type)
{
	elc_succeeded(PMPI_Sendrecv(from, count, type, 0, 0, to, to_count, to_type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE),
		      "MPI_Sendrecv on MPI_COMM_SELF");
}

MPI_Request *elc_new_requests(int n)
{
	MPI_Request *request = malloc((size_t)(n > 0 ? n : 1) * sizeof *request);

	if (!request)
		elc_check(-1);
	return request;
}

/* Round k: a message of no bytes to the rank 2^k further, and one from the rank 2^k before. */
EXPORT int MPI_Barrier(MPI_Comm comm)
{
	struct elc_comm *c;

	if (elc.life != ELC_ON)
		return PMPI_Barrier(comm);
	c = elc_comm_of(comm, "MPI_Barrier");
	for (int step = 1; step < c->size; step *= 2) {
		MPI_Request r[2];

		elc_irecv(NULL, 0, MPI_BYTE, (c->rank - step + c->size) % c->size, ELC_TAG_BARRIER, c->shadow, &r[0]);
		elc_isend("MPI_Barrier", NULL, 0, MPI_BYTE, (c->rank + step) % c->size, ELC_TAG_BARRIER, c->shadow, &r[1]);
		elc_waitall(2, r, MPI_STATUSES_IGNORE);
	}
	return MPI_SUCCESS;
}

/* A binomial tree over the ranks behind root. */
int elc_bcast(const char *function, void *buf, int count, MPI_Datatype type, int root, const struct elc_comm *c)
{
	const int me = (c->rank - root + c->size) % c->size;
	int step = 1;

	while (step < c->size && !(me & step))
		step *= 2;
	if (me)
		elc_recv(buf, count, type, (me - step + root) % c->size, ELC_TAG_BCAST, c->shadow, MPI_STATUS_IGNORE);
	for (step /= 2; step > 0; step /= 2)
		if (me + step < c->size)
			elc_send(function, buf, count, type, (me + step + root) % c->size, ELC_TAG_BCAST, c->shadow);
	return MPI_SUCCESS;
}

EXPORT int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Bcast(buf, count, type, root, comm);
	return elc_bcast("MPI_Bcast", buf, count, type, root, elc_comm_of(comm, "MPI_Bcast"));
}

/* What a rank gives to or gets from the others: block i has count[i] or each elements, and begins at element at[i] or i * each. */
struct blocks {
	const void *buf;
	int each;
	const int *count, *at;
	MPI_Datatype type;
};

static int count_of(const struct blocks *b, int i)
{
	return b->count ? b->count[i] : b->each;
}

static void *block(const struct blocks *b, int i)
{
	return element(b->buf, b->at ? b->at[i] : (MPI_Aint)i * b->each, b->type);
}

/* The root gets one block from every rank. */
static int gather(const char *function, const void *sent, int count, MPI_Datatype type, const struct blocks *in, int root,
		  const struct elc_comm *c)
{
	MPI_Request *r;

	if (c->rank != root)
		return elc_send(function, sent, count, type, root, ELC_TAG_GATHER, c->shadow);
	r = elc_new_requests(c->size);
	for (int i = 0; i < c->size; i++) {
		r[i] = MPI_REQUEST_NULL;
		if (i != root)
			elc_irecv(block(in, i), count_of(in, i), in->type, i, ELC_TAG_GATHER, c->shadow, &r[i]);
		else if (sent != MPI_IN_PLACE)
			elc_copy_local(sent, count, type, block(in, i), count_of(in, i), in->type);
	}
	elc_waitall(c->size, r, MPI_STATUSES_IGNORE);
	free(r);
	return MPI_SUCCESS;
}

EXPORT int MPI_Gather(const void *sent, int count, MPI_Datatype type, void *received, int each, MPI_Datatype received_type, int root,
		      MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Gather(sent, count, type, received, each, received_type, root, comm);
	return gather("MPI_Gather", sent, count, type, &(struct blocks){ received, each, NULL, NULL, received_type }, root,
		      elc_comm_of(comm, "MPI_Gather"));
}

EXPORT int MPI_Gatherv(const void *sent, int count, MPI_Datatype type, void *received, const int counts[], const int at[],
		       MPI_Datatype received_type, int root, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Gatherv(sent, count, type, received, counts, at, received_type, root, comm);
	return gather("MPI_Gatherv", sent, count, type, &(struct blocks){ received, 0, counts, at, received_type }, root,
		      elc_comm_of(comm, "MPI_Gatherv"));
}

/* The root gives one block to every rank. */
static int scatter(const char *function, const struct blocks *out, void *received, int count, MPI_Datatype type, int root,
		   const struct elc_comm *c)
{
	MPI_Request *r;

	if (c->rank != root)
		return elc_recv(received, count, type, root, ELC_TAG_SCATTER, c->shadow, MPI_STATUS_IGNORE);
	r = elc_new_requests(c->size);
	for (int i = 0; i < c->size; i++) {
		r[i] = MPI_REQUEST_NULL;
		if (i != root)
			elc_isend(function, block(out, i), count_of(out, i), out->type, i, ELC_TAG_SCATTER, c->shadow, &r[i]);
		else if (received != MPI_IN_PLACE)
			elc_copy_local(block(out, i), count_of(out, i), out->type, received, count, type);
	}
	elc_waitall(c->size, r, MPI_STATUSES_IGNORE);
	free(r);
	return MPI_SUCCESS;
}

EXPORT int MPI_Scatter(const void *sent, int each, MPI_Datatype sent_type, void *received, int count, MPI_Datatype type, int root,
		       MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Scatter(sent, each, sent_type, received, count, type, root, comm);
	return scatter("MPI_Scatter", &(struct blocks){ sent, each, NULL, NULL, sent_type }, received, count, type, root,
		       elc_comm_of(comm, "MPI_Scatter"));
}

EXPORT int MPI_Scatterv(const void *sent, const int counts[], const int at[], MPI_Datatype sent_type, void *received, int count,
			MPI_Datatype type, int root, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Scatterv(sent, counts, at, sent_type, received, count, type, root, comm);
	return scatter("MPI_Scatterv", &(struct blocks){ sent, 0, counts, at, sent_type }, received, count, type, root,
		       elc_comm_of(comm, "MPI_Scatterv"));
}

/* Every rank gives a block to every other rank. */
static int exchange(const char *function, const struct blocks *out, const struct blocks *in, const struct elc_comm *c)
{
	MPI_Request *r = elc_new_requests(2 * c->size);

	for (int i = 0; i < c->size; i++) {
		const bool own = i == c->rank;

		r[2 * i] = r[2 * i + 1] = MPI_REQUEST_NULL;
		if (!own)
			elc_irecv(block(in, i), count_of(in, i), in->type, i, ELC_TAG_EXCHANGE, c->shadow, &r[2 * i]);
		else if (block(in, i) != block(out, i))
			elc_copy_local(block(out, i), count_of(out, i), out->type, block(in, i), count_of(in, i), in->type);
	}
	for (int i = 0; i < c->size; i++)
		if (i != c->rank)
			elc_isend(function, block(out, i), count_of(out, i), out->type, i, ELC_TAG_EXCHANGE, c->shadow, &r[2 * i + 1]);
	elc_waitall(2 * c->size, r, MPI_STATUSES_IGNORE);
	free(r);
	return MPI_SUCCESS;
}

/* Every rank gets the same block of this one. zero: displacements that are all 0. */
static int allgather(const char *function, const void *sent, int count, MPI_Datatype type, const struct blocks *in,
		     const struct elc_comm *c)
{
	int *zero = calloc((size_t)c->size, sizeof *zero);
	struct blocks out = { sent, count, NULL, zero, type };
	int rc;

	if (!zero)
		elc_check(-1);
	if (sent == MPI_IN_PLACE)
		out = (struct blocks){ block(in, c->rank), count_of(in, c->rank), NULL, zero, in->type };
	rc = exchange(function, &out, in, c);
	free(zero);
	return rc;
}

EXPORT int MPI_Allgather(const void *sent, int count, MPI_Datatype type, void *received, int each, MPI_Datatype received_type, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Allgather(sent, count, type, received, each, received_type, comm);
	return allgather("MPI_Allgather", sent, count, type, &(struct blocks){ received, each, NULL, NULL, received_type },
			 elc_comm_of(comm, "MPI_Allgather"));
}

EXPORT int MPI_Allgatherv(const void *sent, int count, MPI_Datatype type, void *received, const int counts[], const int at[],
			  MPI_Datatype received_type, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Allgatherv(sent, count, type, received, counts, at, received_type, comm);
	return allgather("MPI_Allgatherv", sent, count, type, &(struct blocks){ received, 0, counts, at, received_type },
			 elc_comm_of(comm, "MPI_Allgatherv"));
}

static void not_in_place(const void *sent, const char *function)
{
	if (sent == MPI_IN_PLACE)
		elc_fatal("%s with MPI_IN_PLACE is not covered by event-logging checkpoints", function);
}

EXPORT int MPI_Alltoall(const void *sent, int count, MPI_Datatype type, void *received, int each, MPI_Datatype received_type, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Alltoall(sent, count, type, received, each, received_type, comm);
	not_in_place(sent, "MPI_Alltoall");
	return exchange("MPI_Alltoall", &(struct blocks){ sent, count, NULL, NULL, type },
			&(struct blocks){ received, each, NULL, NULL, received_type }, elc_comm_of(comm, "MPI_Alltoall"));
}

EXPORT int MPI_Alltoallv(const void *sent, const int sent_counts[], const int sent_at[], MPI_Datatype type, void *received,
			 const int counts[], const int at[], MPI_Datatype received_type, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Alltoallv(sent, sent_counts, sent_at, type, received, counts, at, received_type, comm);
	not_in_place(sent, "MPI_Alltoallv");
	return exchange("MPI_Alltoallv", &(struct blocks){ sent, 0, sent_counts, sent_at, type },
			&(struct blocks){ received, 0, counts, at, received_type }, elc_comm_of(comm, "MPI_Alltoallv"));
}
