/* Collective functions, blocking and not: MPI's own, which are counted. What each of them gives and
 * gets is described here. */
#include "elc/mpi/collectives.h"

static const struct elc_blocks NOTHING = { .buf = NULL };

static struct elc_blocks one(const void *buf, int count, MPI_Datatype type)
{
	return (struct elc_blocks){ buf, 1, count, NULL, NULL, type, NULL };
}

/* One block for each rank, all of one size. */
static struct elc_blocks each(const void *buf, int count, MPI_Datatype type,
			      const struct elc_comm *c)
{
	return (struct elc_blocks){ buf, c->size, count, NULL, NULL, type, NULL };
}

static struct elc_blocks several(const void *buf, const int count[], const int at[],
				 MPI_Datatype type, const struct elc_comm *c)
{
	return (struct elc_blocks){ buf, c->size, 0, count, at, type, NULL };
}

static struct elc_blocks mixed(const void *buf, const int count[], const int at[],
			       const MPI_Datatype types[], const struct elc_comm *c)
{
	return (struct elc_blocks){ buf, c->size, 0, count, at, MPI_DATATYPE_NULL, types };
}

/* The block of this rank, which stands in its place: the other blocks have no elements before
 * it. */
static struct elc_blocks own(struct elc_blocks b, const struct elc_comm *c)
{
	return one(elc_block(&b, c->rank), elc_block_count(&b, c->rank), b.type);
}

static struct elc_call no_data(void)
{
	return (struct elc_call){ .root = -1 };
}

static struct elc_call bcast(const void *buf, int count, MPI_Datatype type, int root,
			     const struct elc_comm *c)
{
	const struct elc_blocks all = one(buf, count, type);

	return (struct elc_call){ .root = root,
				  .given = c->rank == root ? all : NOTHING,
				  .got = c->rank == root ? NOTHING : all };
}

static struct elc_call gather(struct elc_blocks given, struct elc_blocks got, int root,
			      const struct elc_comm *c)
{
	if (c->rank != root)
		return (struct elc_call){ .root = root, .given = given };
	return (struct elc_call){ .root = root,
				  .given = given.buf == MPI_IN_PLACE ? own(got, c) : given,
				  .got = got };
}

static struct elc_call scatter(struct elc_blocks given, struct elc_blocks got, int root,
			       const struct elc_comm *c)
{
	return (struct elc_call){ .root = root,
				  .given = c->rank == root ? given : NOTHING,
				  .got = got.buf == MPI_IN_PLACE ? NOTHING : got };
}

static struct elc_call allgather(struct elc_blocks given, struct elc_blocks got,
				 const struct elc_comm *c)
{
	return (struct elc_call){ .root = -1,
				  .given = given.buf == MPI_IN_PLACE ? own(got, c) : given,
				  .got = got };
}

static struct elc_call exchange(struct elc_blocks given, struct elc_blocks got)
{
	return (struct elc_call){ .root = -1,
				  .given = given.buf == MPI_IN_PLACE ? got : given,
				  .got = got };
}

/* root: -1, if all get the result. */
static struct elc_call reduce(const void *sent, const void *received, int count, MPI_Datatype type,
			      int root, const struct elc_comm *c)
{
	const bool gets = root < 0 || c->rank == root;

	return (struct elc_call){ .root = root,
				  .given = one(sent == MPI_IN_PLACE ? received : sent, count, type),
				  .got = gets ? one(received, count, type) : NOTHING };
}

/* Rank 0 gets nothing. */
static struct elc_call exscan(const void *sent, const void *received, int count, MPI_Datatype type,
			      const struct elc_comm *c)
{
	struct elc_call call = reduce(sent, received, count, type, -1, c);

	if (c->rank == 0)
		call.got = NOTHING;
	return call;
}

/* counts: NULL, if all ranks get count elements. */
static struct elc_call reduce_scatter(const void *sent, const void *received, const int counts[],
				      int count, MPI_Datatype type, const struct elc_comm *c)
{
	int all = 0;

	for (int i = 0; i < c->size; i++)
		all += counts ? counts[i] : count;
	return (struct elc_call){ .root = -1,
				  .given = one(sent == MPI_IN_PLACE ? received : sent, all, type),
				  .got = one(received, counts ? counts[c->rank] : count, type) };
}

#define LIST(...) __VA_ARGS__

/* The blocking function Name and the nonblocking one Iname: their parameters, arguments, and what
 * they give and get. */
#define COLLECTIVE(Name, Iname, Parameters, Arguments, Description)                       \
	EXPORT int MPI_##Name(LIST Parameters)                                            \
	{                                                                                 \
		const struct elc_comm *c =                                                \
			elc.life == ELC_ON ? elc_comm_of(comm, "MPI_" #Name) : NULL;      \
		struct elc_call call;                                                     \
                                                                                          \
		if (!c || elc_call_counted(c))                                            \
			return elc_succeeded(PMPI_##Name(LIST Arguments), "MPI_" #Name);  \
		call = Description;                                                       \
		if (elc_call_begin(&call, c, "MPI_" #Name)) {                             \
			elc_succeeded(PMPI_##Name(LIST Arguments), "MPI_" #Name);         \
			elc_call_end(&call);                                              \
		}                                                                         \
		if (elc_watching())                                                       \
			elc_progress();                                                   \
		return MPI_SUCCESS;                                                       \
	}                                                                                 \
                                                                                          \
	EXPORT int MPI_##Iname(LIST Parameters, MPI_Request *request)                     \
	{                                                                                 \
		const struct elc_comm *c =                                                \
			elc.life == ELC_ON ? elc_comm_of(comm, "MPI_" #Iname) : NULL;     \
		struct elc_call call = { .number = -1 };                                  \
		int rc;                                                                   \
                                                                                          \
		if (c && !elc_call_counted(c)) {                                          \
			call = Description;                                               \
			if (!elc_call_begin(&call, c, "MPI_" #Iname))                     \
				return elc_call_served(request);                          \
		}                                                                         \
		rc = elc_succeeded(PMPI_##Iname(LIST Arguments, request), "MPI_" #Iname); \
		if (elc.life != ELC_OFF)                                                  \
			elc_call_started(&call, *request);                                \
		return rc;                                                                \
	}

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), no_data())
COLLECTIVE(Bcast, Ibcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm),
	   (buf, count, type, root, comm), bcast(buf, count, type, root, c))
COLLECTIVE(Gather, Igather,
	   (const void *sent, int count, MPI_Datatype type, void *received, int each_count,
	    MPI_Datatype to, int root, MPI_Comm comm),
	   (sent, count, type, received, each_count, to, root, comm),
	   gather(one(sent, count, type), each(received, each_count, to, c), root, c))
COLLECTIVE(Gatherv, Igatherv,
	   (const void *sent, int count, MPI_Datatype type, void *received, const int counts[],
	    const int at[], MPI_Datatype to, int root, MPI_Comm comm),
	   (sent, count, type, received, counts, at, to, root, comm),
	   gather(one(sent, count, type), several(received, counts, at, to, c), root, c))
COLLECTIVE(Scatter, Iscatter,
	   (const void *sent, int each_count, MPI_Datatype type, void *received, int count,
	    MPI_Datatype to, int root, MPI_Comm comm),
	   (sent, each_count, type, received, count, to, root, comm),
	   scatter(each(sent, each_count, type, c), one(received, count, to), root, c))
COLLECTIVE(Scatterv, Iscatterv,
	   (const void *sent, const int counts[], const int at[], MPI_Datatype type, void *received,
	    int count, MPI_Datatype to, int root, MPI_Comm comm),
	   (sent, counts, at, type, received, count, to, root, comm),
	   scatter(several(sent, counts, at, type, c), one(received, count, to), root, c))
COLLECTIVE(Allgather, Iallgather,
	   (const void *sent, int count, MPI_Datatype type, void *received, int each_count,
	    MPI_Datatype to, MPI_Comm comm),
	   (sent, count, type, received, each_count, to, comm),
	   allgather(one(sent, count, type), each(received, each_count, to, c), c))
COLLECTIVE(Allgatherv, Iallgatherv,
	   (const void *sent, int count, MPI_Datatype type, void *received, const int counts[],
	    const int at[], MPI_Datatype to, MPI_Comm comm),
	   (sent, count, type, received, counts, at, to, comm),
	   allgather(one(sent, count, type), several(received, counts, at, to, c), c))
COLLECTIVE(Alltoall, Ialltoall,
	   (const void *sent, int count, MPI_Datatype type, void *received, int each_count,
	    MPI_Datatype to, MPI_Comm comm),
	   (sent, count, type, received, each_count, to, comm),
	   exchange(each(sent, count, type, c), each(received, each_count, to, c)))
COLLECTIVE(Alltoallv, Ialltoallv,
	   (const void *sent, const int given[], const int from[], MPI_Datatype type,
	    void *received, const int counts[], const int at[], MPI_Datatype to, MPI_Comm comm),
	   (sent, given, from, type, received, counts, at, to, comm),
	   exchange(several(sent, given, from, type, c), several(received, counts, at, to, c)))
COLLECTIVE(Alltoallw, Ialltoallw,
	   (const void *sent, const int given[], const int from[], const MPI_Datatype types[],
	    void *received, const int counts[], const int at[], const MPI_Datatype to[],
	    MPI_Comm comm),
	   (sent, given, from, types, received, counts, at, to, comm),
	   exchange(mixed(sent, given, from, types, c), mixed(received, counts, at, to, c)))
COLLECTIVE(Reduce, Ireduce,
	   (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, int root,
	    MPI_Comm comm),
	   (sent, received, count, type, op, root, comm),
	   reduce(sent, received, count, type, root, c))
COLLECTIVE(Allreduce, Iallreduce,
	   (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
	    MPI_Comm comm),
	   (sent, received, count, type, op, comm), reduce(sent, received, count, type, -1, c))
COLLECTIVE(Scan, Iscan,
	   (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
	    MPI_Comm comm),
	   (sent, received, count, type, op, comm), reduce(sent, received, count, type, -1, c))
COLLECTIVE(Exscan, Iexscan,
	   (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
	    MPI_Comm comm),
	   (sent, received, count, type, op, comm), exscan(sent, received, count, type, c))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
	   (const void *sent, void *received, const int counts[], MPI_Datatype type, MPI_Op op,
	    MPI_Comm comm),
	   (sent, received, counts, type, op, comm),
	   reduce_scatter(sent, received, counts, 0, type, c))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
	   (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
	    MPI_Comm comm),
	   (sent, received, count, type, op, comm),
	   reduce_scatter(sent, received, NULL, count, type, c))
