#include "kernels/bfs/graph.h"

#include "base/mix.h"
#include "base/status.h"

#include <stdlib.h>

/* Which bijection of the labels; each has numbers of its own. */
enum { OF_VERTICES = 1, OF_OWNERS, OF_ROOTS, OF_EDGES };

/* a, a + b and a + b + c of Graph500, a = 0.57, b = c = 0.19, in units of 2^-32. */
static const uint32_t A = (uint32_t)(0.57 * 4294967296.0), AB = (uint32_t)(0.76 * 4294967296.0),
		      ABC = (uint32_t)(0.95 * 4294967296.0);

struct graph graph_of(int scale, int64_t edgefactor, uint64_t seed, bool hashed)
{
	const int64_t vertices = (int64_t)1 << scale;

	return (struct graph){ scale, vertices, vertices * edgefactor, seed, hashed };
}

static uint64_t key(const struct graph *g, int purpose)
{
	return mix(mix(g->seed) + (uint64_t)purpose);
}

/* A bijection of the numbers of g->scale bits: products with odd numbers and shifts can be
 * undone. */
static uint32_t permute(const struct graph *g, uint64_t k, uint32_t x)
{
	const uint32_t mask = (uint32_t)(g->vertices - 1);
	const int shift = (g->scale + 1) / 2;

	for (int round = 0; round < 3; round++) {
		x = (x * ((uint32_t)k | 1) + (uint32_t)(k >> 32)) & mask;
		x ^= x >> shift;
		k = mix(k);
	}
	return x;
}

/* One bit of both ends for each level of the recursion: the quadrant of the adjacency matrix. */
static void descend(uint32_t draw, uint32_t *from, uint32_t *to)
{
	const uint32_t a = draw >= A, ab = draw >= AB, abc = draw >= ABC;

	*from = 2 * *from + ab;
	*to = 2 * *to + a - ab + abc;
}

void graph_edges(const struct graph *g, int64_t first, int count, uint32_t *from, uint32_t *to)
{
	const uint64_t edges = key(g, OF_EDGES), vertices = key(g, OF_VERTICES),
		       owners = key(g, OF_OWNERS);

	for (int e = 0; e < count; e++)
		from[e] = to[e] = 0;
	for (int level = 0; level < g->scale; level += 2)
		for (int e = 0; e < count; e++) {
			uint64_t draw =
				mix(edges + (uint64_t)(first + e) * 16 + (uint64_t)level / 2);

			descend((uint32_t)draw, &from[e], &to[e]);
			if (level + 1 < g->scale)
				descend((uint32_t)(draw >> 32), &from[e], &to[e]);
		}
	for (int e = 0; e < count; e++) {
		from[e] = permute(g, vertices, from[e]);
		to[e] = permute(g, vertices, to[e]);
	}
	for (int e = 0; e < count && g->hashed; e++) {
		from[e] = permute(g, owners, from[e]);
		to[e] = permute(g, owners, to[e]);
	}
}

int touched_init(struct touched *t, const struct graph *g)
{
	t->word = calloc((size_t)g->vertices / 64 + 1, sizeof *t->word);
	return t->word ? RB_OK : RB_ENOMEM;
}

void touched_free(struct touched *t)
{
	free(t->word);
	t->word = NULL;
}

void graph_roots(const struct graph *g, const struct touched *t, int count, uint32_t *root)
{
	const uint64_t roots = key(g, OF_ROOTS);
	int found = 0;

	for (int64_t i = 0; i < g->vertices && found < count; i++) {
		uint32_t label = permute(g, roots, (uint32_t)i);

		if (t->word[label / 64] >> label % 64 & 1)
			root[found++] = label;
	}
	for (int k = found; k < count; k++)
		root[k] = found > 0 ? root[k - found] : 0;
}
