#include "profile/preload/collectives.h"

static int64_t count_at(struct counts counts, int64_t i)
{
	return counts.large ? (int64_t)counts.large[i] : counts.small[i];
}

void count_collective(enum kind kind, MPI_Comm comm, int64_t bytes)
{
	const struct ranks *r = ranks_of(comm);

	if (r)
		recorder_collective(kind, r->size, bytes);
}

int64_t members(MPI_Comm comm)
{
	const struct ranks *r = ranks_of(comm);

	return r ? r->size : 0;
}

int64_t others(MPI_Comm comm)
{
	const struct ranks *r = ranks_of(comm);

	return r ? r->remote : 0;
}

int64_t places(MPI_Comm comm)
{
	int kind, in, out = 0, weighted, rank;

	PMPI_Topo_test(comm, &kind);
	if (kind == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
	} else if (kind == MPI_GRAPH) {
		PMPI_Comm_rank(comm, &rank);
		PMPI_Graph_neighbors_count(comm, rank, &out);
	} else if (kind == MPI_CART) {
		PMPI_Cartdim_get(comm, &out);
		out *= 2;
	}
	return out;
}

bool is_taken(MPI_Comm comm, int64_t place)
{
	int kind, before, after;

	PMPI_Topo_test(comm, &kind);
	if (kind != MPI_CART)
		return true;
	PMPI_Cart_shift(comm, (int)(place / 2), 1, &before, &after);
	return (place % 2 ? after : before) != MPI_PROC_NULL;
}

int64_t neighbours(MPI_Comm comm)
{
	const int64_t n = places(comm);
	int64_t taken = 0;

	for (int64_t i = 0; i < n; i++)
		taken += is_taken(comm, i);
	return taken;
}

int64_t of_neighbours(MPI_Comm comm, struct counts counts, MPI_Datatype one,
		      const MPI_Datatype *each)
{
	const int64_t n = places(comm);
	int64_t bytes = 0;

	for (int64_t i = 0; i < n; i++)
		if (count_at(counts, i) > 0 && is_taken(comm, i))
			bytes += bytes_of(count_at(counts, i), each ? each[i] : one);
	return bytes;
}

int64_t of_root(MPI_Comm comm, int root, int64_t bytes)
{
	const struct ranks *r = ranks_of(comm);

	return r && (r->inter ? root == MPI_ROOT : root == r->rank) ? bytes : 0;
}

int64_t of_member(MPI_Comm comm, int root, int64_t bytes)
{
	const struct ranks *r = ranks_of(comm);

	return r && !(r->inter && (root == MPI_ROOT || root == MPI_PROC_NULL)) ? bytes : 0;
}

int64_t of_all(const void *sent, int64_t send_count, MPI_Datatype send_type, int64_t count,
	       MPI_Datatype type)
{
	return sent == MPI_IN_PLACE ? bytes_of(count, type) : bytes_of(send_count, send_type);
}

/* What is not significant at a rank is not looked at: a count or a type may be anything there. */
int64_t of_gather(MPI_Comm comm, int root, const void *sent, int64_t send_count,
		  MPI_Datatype send_type, int64_t count, MPI_Datatype type)
{
	return of_member(comm, root, 1) ? of_all(sent, send_count, send_type, count, type) : 0;
}

int64_t of_gatherv(MPI_Comm comm, int root, const void *sent, int64_t send_count,
		   MPI_Datatype send_type, struct counts counts, MPI_Datatype type)
{
	if (!of_member(comm, root, 1))
		return 0;
	return sent == MPI_IN_PLACE ? bytes_of(count_at(counts, root), type)
				    : bytes_of(send_count, send_type);
}

int64_t of_scatterv(MPI_Comm comm, int root, struct counts counts, MPI_Datatype type)
{
	return of_root(comm, root, 1) ? of_counts(others(comm), counts, type) : 0;
}

int64_t of_each(MPI_Comm comm, const void *sent, struct counts send_counts, MPI_Datatype send_type,
		struct counts counts, MPI_Datatype type)
{
	return sent == MPI_IN_PLACE ? of_counts(others(comm), counts, type)
				    : of_counts(others(comm), send_counts, send_type);
}

int64_t of_counts(int64_t n, struct counts counts, MPI_Datatype type)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += count_at(counts, i);
	return sum > 0 ? bytes_of(sum, type) : 0;
}

int64_t of_types(int64_t n, struct counts counts, const MPI_Datatype *types)
{
	int64_t bytes = 0;

	for (int64_t i = 0; i < n; i++)
		if (count_at(counts, i) > 0)
			bytes += bytes_of(count_at(counts, i), types[i]);
	return bytes;
}

int64_t own(MPI_Comm comm, struct counts counts, const void *sent)
{
	const struct ranks *r = sent == MPI_IN_PLACE ? ranks_of(comm) : NULL;

	return r ? count_at(counts, r->rank) : 0;
}
