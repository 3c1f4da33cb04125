/* kernels/bfs/traffic.h - how many hits each role sends to each other role in each iteration, for
 * kernel_ops.pattern.
 *
 * That depends on the graph and on the searches, so they are done here in one process, once for the
 * same arguments. What was found is kept until the process ends: some bytes for each pair of roles
 * and level that has a hit. */
#ifndef KERNELS_BFS_TRAFFIC_H
#define KERNELS_BFS_TRAFFIC_H

#include "kernels/bfs/graph.h"

#include <stddef.h>

struct cell {
	int32_t role;
	uint32_t count;
};

/* A sparse square matrix over the roles. */
struct matrix {
	size_t *row; /* np + 1: the cells of each row */
	struct cell *cell;
	size_t room;
};

struct traffic {
	struct graph graph;
	int np, searches;
	struct matrix between; /* edges between two roles */
	struct matrix *level;  /* of each iteration: hits, from the row's role to the cell's */
	size_t levels, room;
	struct traffic *next;
};

/* The traffic of these searches; NULL: out of memory. Can be called by several threads. */
const struct traffic *traffic_of(const struct graph *g, int np, int searches);

/* Add a row to an array of np numbers. */
void matrix_row(const struct matrix *m, int role, uint32_t *count);

#endif
