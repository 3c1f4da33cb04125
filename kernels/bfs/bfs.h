/* kernels/bfs/bfs.h - breadth-first search in an R-MAT graph, as in Graph500 (kernel 2): a workload
 * whose load differs from role to role and from iteration to iteration.
 *
 * An iteration is one level of one search. Each role sends the edges of its vertices in the
 * frontier to the owners of the vertices at the other end; a vertex that is reached takes the
 * parent with the smallest label, so the tree does not depend on the order of messages. */
#ifndef KERNELS_BFS_BFS_H
#define KERNELS_BFS_BFS_H

#include "kernels/bfs/exchange.h"
#include "kernels/bfs/part.h"
#include "contract/kernel.h"

enum { NOT_REACHED = -1 };
#define NO_PARENT UINT32_MAX

/* Where the searches are; the same on all roles. */
struct progress {
	int64_t steps;           /* levels done */
	int64_t searches;        /* complete */
	int64_t here;            /* vertices reached in this search, or in the one that is over */
	int64_t reached, depths; /* of all searches: vertices, and the sum of their depths */
	int32_t depth;           /* of the frontier */
	int32_t over;            /* the next iteration begins a search */
};

struct kernel_state {
	struct part *part;
	int64_t vertices;        /* of the graph */
	int64_t searches, steps; /* options; steps 0: until all searches are done */
	uint32_t *parent;        /* labels; the root is its own parent */
	int32_t *depth;
	struct progress now, next;
	/* smallest parent so far of a vertex that this level reaches, else NO_PARENT */
	uint32_t *best;
	uint32_t *found; /* these vertices */
	size_t count;
	struct hit *inbox;
};

extern const struct kernel_ops kernel_bfs;

/* The verdict of Graph500, on the tree of the last search, complete or not. */
int bfs_verify(struct kernel_state *s, struct msg *m, struct kernel_verdict *v);

#endif
