/* kernels/bfs/graph.h - the R-MAT graph of Graph500 (specification: Generating the Edge List), as a
 * stream of edges.
 *
 * Each edge is a function of its number and the seed (counter-based random numbers), so every role
 * can make any part of the list. Vertices are scrambled: an edge names labels, which are the vertex
 * numbers after a bijection of 0, ..., vertices - 1. Label v belongs to role v mod np, where it has
 * the local number v / np. */
#ifndef KERNELS_BFS_GRAPH_H
#define KERNELS_BFS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum { GRAPH_BLOCK = 512, GRAPH_SCALE_MOST = 31 };

struct graph {
	int scale; /* 2^scale vertices, from 4 to GRAPH_SCALE_MOST */
	int64_t vertices, edges;
	uint64_t seed;
	bool hashed; /* labels go through a second bijection, a hash */
};

struct graph graph_of(int scale, int64_t edgefactor, uint64_t seed, bool hashed);

/* The ends of the edges first, ..., first + count - 1; count is at most GRAPH_BLOCK. Loops and
 * multiple edges occur. */
void graph_edges(const struct graph *g, int64_t first, int count, uint32_t *from, uint32_t *to);

/* A bit for each label: does it have an edge to another vertex? */
struct touched {
	uint64_t *word;
};

int touched_init(struct touched *t, const struct graph *g); /* all 0; RB_OK or RB_ENOMEM */
void touched_free(struct touched *t);
static inline void touched_add(struct touched *t, uint32_t label)
{
	t->word[label / 64] |= UINT64_C(1) << label % 64;
}

/* Roots of `count` searches: vertices that have an edge, in a random order without repetition. If
 * there are fewer, they come again. */
void graph_roots(const struct graph *g, const struct touched *t, int count, uint32_t *root);

#endif
