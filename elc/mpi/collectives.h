/* A call of a collective function: what this process gives, and what it gets. Needed while a line
 * is in progress, and while results are served after a restart (elc/core/collective.h); otherwise a
 * call is counted only. */
#ifndef ELC_MPI_COLLECTIVES_H
#define ELC_MPI_COLLECTIVES_H

#include "elc/mpi/state.h"

/* Blocks of elements: block i has count[i] or each of them, and begins at element at[i] or i *
 * each. */
struct elc_blocks {
	const void *buf;
	int n; /* 0: nothing */
	int each;
	const int *count, *at;
	MPI_Datatype type;
	/* MPI_Alltoallw: one for each block, and at[] counts bytes; else NULL */
	const MPI_Datatype *types;
};

/* Where block i begins, and how many elements it has. */
void *elc_block(const struct elc_blocks *b, int i);
int elc_block_count(const struct elc_blocks *b, int i);

struct elc_call {
	int root; /* -1: it has none */
	struct elc_blocks given, got;
	struct elc_collectives *to;
	int64_t number; /* of its result in the line in progress; -1: it is not needed */
	/* duplicates of the datatypes of got, for a nonblocking function; NULL: none */
	MPI_Datatype *owned;
	int nowned;
};

/* Is the next call on this communicator only to be counted? Then it is. */
static inline bool elc_call_counted(const struct elc_comm *c)
{
	if (!elc_collective_plain(&elc.process, c->collectives))
		return false;
	elc_collective_count(&elc.process, c->collectives);
	return true;
}

/* false: its result was served, and MPI must not be called. */
bool elc_call_begin(struct elc_call *call, const struct elc_comm *c, const char *function);
/* MPI has completed it. */
void elc_call_end(struct elc_call *call);
/* A nonblocking one: MPI has begun it; or it was served, and gets a request that is complete. */
void elc_call_started(struct elc_call *call, MPI_Request request);
int elc_call_served(MPI_Request *request);

#endif
