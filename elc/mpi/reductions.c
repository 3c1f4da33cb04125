/* Reductions as messages. The operands are always combined in the order of the ranks, with the same brackets, so a result has the same
 * bits after a restart, also for operations that are not commutative. */
#include "elc/mpi/collectives.h"

#include <stdlib.h>

/* Memory for elements of a datatype: use .at as a buffer, free .memory. */
struct operand {
	char *memory, *at;
};

static struct operand new_operand(int count, MPI_Datatype type)
{
	MPI_Aint lower, extent, true_lower, true_extent;
	struct operand o;

	PMPI_Type_get_extent(type, &lower, &extent);
	PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
	o.memory = malloc((size_t)(true_extent + (count > 0 ? count - 1 : 0) * extent) + 1);
	if (!o.memory)
		elc_check(-1);
	o.at = o.memory - true_lower;
	return o;
}

static void swap(struct operand *a, struct operand *b)
{
	const struct operand was = *a;

	*a = *b;
	*b = was;
}

/* A binomial tree with rank 0 at its root: in round k a rank holds the result of 2^k ranks from itself on, and appends that of the
 * 2^k ranks behind them. At rank 0 *mine is the result. */
static void reduce_to_0(const char *function, struct operand *mine, int count, MPI_Datatype type, MPI_Op op, const struct elc_comm *c)
{
	struct operand next = new_operand(count, type);

	for (int step = 1; step < c->size; step *= 2) {
		if (c->rank & step) {
			elc_send(function, mine->at, count, type, c->rank - step, ELC_TAG_REDUCE, c->shadow);
			break;
		}
		if (c->rank + step >= c->size)
			continue;
		elc_recv(next.at, count, type, c->rank + step, ELC_TAG_REDUCE, c->shadow, MPI_STATUS_IGNORE);
		elc_succeeded(PMPI_Reduce_local(mine->at, next.at, count, type, op), function);
		swap(mine, &next);
	}
	free(next.memory);
}

EXPORT int MPI_Reduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
	struct elc_comm *c;
	struct operand mine;

	if (elc.life != ELC_ON)
		return PMPI_Reduce(sent, received, count, type, op, root, comm);
	c = elc_comm_of(comm, "MPI_Reduce");
	mine = new_operand(count, type);
	elc_copy_local(sent == MPI_IN_PLACE ? received : sent, count, type, mine.at, count, type);
	reduce_to_0("MPI_Reduce", &mine, count, type, op, c);
	if (c->rank == 0 && root == 0)
		elc_copy_local(mine.at, count, type, received, count, type);
	else if (c->rank == 0)
		elc_send("MPI_Reduce", mine.at, count, type, root, ELC_TAG_REDUCE, c->shadow);
	else if (c->rank == root)
		elc_recv(received, count, type, 0, ELC_TAG_REDUCE, c->shadow, MPI_STATUS_IGNORE);
	free(mine.memory);
	return MPI_SUCCESS;
}

EXPORT int MPI_Allreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	struct elc_comm *c;
	struct operand mine;

	if (elc.life != ELC_ON)
		return PMPI_Allreduce(sent, received, count, type, op, comm);
	c = elc_comm_of(comm, "MPI_Allreduce");
	mine = new_operand(count, type);
	elc_copy_local(sent == MPI_IN_PLACE ? received : sent, count, type, mine.at, count, type);
	reduce_to_0("MPI_Allreduce", &mine, count, type, op, c);
	if (c->rank == 0)
		elc_copy_local(mine.at, count, type, received, count, type);
	free(mine.memory);
	return elc_bcast("MPI_Allreduce", received, count, type, 0, c);
}

/* Rank r gets the result of the ranks before it, appends its own operand, and hands that on. */
static int scan(const char *function, const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, bool inclusive,
		const struct elc_comm *c)
{
	struct operand before = new_operand(count, type), mine = new_operand(count, type);

	elc_copy_local(sent == MPI_IN_PLACE ? received : sent, count, type, mine.at, count, type);
	if (c->rank > 0) {
		elc_recv(before.at, count, type, c->rank - 1, ELC_TAG_SCAN, c->shadow, MPI_STATUS_IGNORE);
		elc_succeeded(PMPI_Reduce_local(before.at, mine.at, count, type, op), function);
	}
	if (c->rank + 1 < c->size)
		elc_send(function, mine.at, count, type, c->rank + 1, ELC_TAG_SCAN, c->shadow);
	if (inclusive || c->rank > 0)
		elc_copy_local(inclusive ? mine.at : before.at, count, type, received, count, type);
	free(before.memory);
	free(mine.memory);
	return MPI_SUCCESS;
}

EXPORT int MPI_Scan(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Scan(sent, received, count, type, op, comm);
	return scan("MPI_Scan", sent, received, count, type, op, true, elc_comm_of(comm, "MPI_Scan"));
}

EXPORT int MPI_Exscan(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	if (elc.life != ELC_ON)
		return PMPI_Exscan(sent, received, count, type, op, comm);
	return scan("MPI_Exscan", sent, received, count, type, op, false, elc_comm_of(comm, "MPI_Exscan"));
}
