/* The checks of Graph500 (specification: Validation), on all edges of the graph. */
#include "kernels/bfs/bfs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The depths of all vertices: those of role r begin at from[r]. */
struct depths {
	int32_t *of;
	size_t *from; /* np */
};

static int depths_init(struct depths *d, const struct part *p, int64_t vertices)
{
	size_t sum = 0;

	d->of = malloc((size_t)vertices * sizeof *d->of);
	d->from = malloc((size_t)p->np * sizeof *d->from);
	if (!d->of || !d->from)
		return RB_ENOMEM;
	for (int r = 0; r < p->np; r++) {
		d->from[r] = sum;
		sum += part_size(vertices, r, p->np);
	}
	return RB_OK;
}

/* Give the own depths to all other roles, and get theirs. */
static int gather(struct depths *d, const struct kernel_state *s, struct msg *m, int64_t vertices)
{
	const int np = s->part->np, me = s->part->role;

	for (int first = 1; first < np; first += EXCHANGE_AT_ONCE) {
		for (int k = first; k < np && k < first + EXCHANGE_AT_ONCE; k++) {
			const int src = (me - k + np) % np;

			msg_post(m, src, TAG_DEPTHS, d->of + d->from[src],
				 part_size(vertices, src, np) * sizeof *d->of);
		}
		for (int k = first; k < np && k < first + EXCHANGE_AT_ONCE; k++) {
			int32_t *out = msg_reserve(m, (me + k) % np, TAG_DEPTHS,
						   s->part->vertices * sizeof *out);

			for (uint32_t v = 0; v < s->part->vertices; v++)
				out[v] = s->depth[v];
			RB_TRY(msg_push(m));
		}
		RB_TRY(msg_wait(m));
	}
	for (uint32_t v = 0; v < s->part->vertices; v++)
		d->of[d->from[me] + v] = s->depth[v];
	return RB_OK;
}

/* Depths differ by one at most, and a vertex that is reached has no neighbour that is not, unless
 * the search goes on and it is in the frontier. The edge's other end checks the other direction. */
static bool edge_holds(const struct progress *now, int32_t mine, int32_t other)
{
	if (mine < 0)
		return true;
	if (other < 0)
		return !now->over && mine == now->depth;
	return mine <= other + 1;
}

/* *least: by vertex, the smallest label of the neighbours that are one nearer to the root. */
static int64_t check_edges(const struct kernel_state *s, const struct depths *d, uint32_t *least)
{
	const struct part *p = s->part;
	int64_t faults = 0;

	for (uint32_t v = 0; v < p->vertices; v++)
		least[v] = NO_PARENT;
	for (int r = 0; r < p->np; r++)
		for (uint32_t row = p->group[r]; row < p->group[r + 1]; row++)
			for (uint32_t k = p->first[row]; k < p->first[row + 1]; k++) {
				const uint32_t v = p->vertex[row],
					       label = p->neighbour[k] * (uint32_t)p->np +
						       (uint32_t)r;
				const int32_t other = d->of[d->from[r] + p->neighbour[k]];

				faults += !edge_holds(&s->now, s->depth[v], other);
				if (other >= 0 && other == s->depth[v] - 1 && label < least[v])
					least[v] = label;
			}
	return faults;
}

/* Every vertex that is reached has a parent one nearer to the root, along an edge; so there are no
 * cycles. */
static int64_t check_parents(const struct kernel_state *s, const uint32_t *least, double *reached,
			     double *roots)
{
	const struct part *p = s->part;
	int64_t faults = 0;

	for (uint32_t v = 0; v < p->vertices; v++) {
		const uint32_t label = v * (uint32_t)p->np + (uint32_t)p->role;

		*reached += s->depth[v] >= 0;
		*roots += s->depth[v] == 0;
		if (s->depth[v] < 0)
			faults += s->depth[v] != NOT_REACHED || s->parent[v] != NO_PARENT;
		else if (s->depth[v] == 0)
			faults += s->parent[v] != label;
		else
			faults += s->parent[v] == NO_PARENT || s->parent[v] != least[v];
	}
	return faults;
}

/* sum: faults, vertices reached, roots; of this role. */
static int check(const struct kernel_state *s, struct msg *m, struct depths *d, uint32_t *least,
		 int64_t vertices, double sum[3])
{
	RB_TRY(gather(d, s, m, vertices));
	sum[0] = (double)check_edges(s, d, least);
	sum[0] += (double)check_parents(s, least, &sum[1], &sum[2]);
	return msg_sum_all(m, TAG_FAULTS, sum, 3);
}

int bfs_verify(struct kernel_state *s, struct msg *m, struct kernel_verdict *v)
{
	uint32_t *least = malloc(s->part->vertices * sizeof *least);
	struct depths d = { NULL, NULL };
	double sum[3] = { 0, 0, 0 };
	int rc = least ? depths_init(&d, s->part, s->vertices) : RB_ENOMEM;

	if (rc == RB_OK)
		rc = check(s, m, &d, least, s->vertices, sum);
	free(least);
	free(d.of);
	free(d.from);
	v->what = "vertices reached";
	v->value = (double)s->now.reached;
	v->reference = NAN;
	v->ok = sum[0] == 0 && sum[1] == (double)s->now.here && sum[2] == 1;
	snprintf(v->note, sizeof v->note,
		 "%" PRId64 " searches; last tree: %" PRId64 " vertices, %d levels, %.0f faults",
		 s->now.searches, s->now.here, (int)s->now.depth, sum[0]);
	return rc;
}
