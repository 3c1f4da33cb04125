/* kernels/bfs/part.h - the part of the graph that one role owns, which never changes.
 *
 * Edges are grouped by the role at their far end, and in a group by their own vertex: a group is a
 * list of rows, and a row has one vertex of this role and the local numbers of its neighbours at
 * that role. An edge is in two parts, or twice in one. Loops are left out, multiple edges are
 * not. */
#ifndef KERNELS_BFS_PART_H
#define KERNELS_BFS_PART_H

#include "contract/kernel.h"
#include "kernels/bfs/graph.h"
#include "kernels/shared.h"

struct part {
	struct shared shared;
	int np, role;
	uint32_t vertices;   /* of this role */
	uint32_t *group;     /* np + 1: the rows towards each role */
	uint32_t *vertex;    /* of each row, ascending within a group */
	uint32_t *first;     /* rows + 1: the neighbours of each row */
	uint32_t *neighbour; /* local numbers at the role of the group */
	uint32_t *root;      /* of each search, as labels */
};

static inline uint32_t part_size(int64_t vertices, int role, int np)
{
	return (uint32_t)((vertices - role + np - 1) / np);
}

/* Edges between this role and another one. */
static inline uint32_t part_between(const struct part *p, int other)
{
	return p->first[p->group[other + 1]] - p->first[p->group[other]];
}

/* RB_OK, RB_ENOMEM, or RB_EINVAL: more than 2^32 - 1 edges at one role. */
int part_make(struct part **out, const struct graph *g, int role, int np, int searches);
/* Its arrays, for kernel_ops.constants. */
size_t part_arrays(const struct part *p, int searches,
		   struct kernel_region out[KERNEL_MAX_REGIONS]);
/* The same part with these arrays, which it does not own. RB_OK or RB_ENOMEM. */
int part_of(struct part **out, const struct graph *g, int role, int np,
	    const struct kernel_region *arrays);
void part_free(struct part *p); /* NULL is allowed */

#endif
