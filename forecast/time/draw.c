#include "forecast/time/draw.h"

#include "base/grow.h"
#include "base/mix.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

struct drawing {
	const struct failure_law *law;
	int np;
	struct failure *list;
	size_t count, room;
};

/* More than 0, and at most 1. */
static double fraction(uint64_t *state)
{
	return (double)((mix_draw(state) >> 11) + 1) * 0x1p-53;
}

/* Its mean is 1. */
static double gap(double shape, uint64_t *state)
{
	const double u = -log(fraction(state));

	return shape > 1 || shape < 1 ? pow(u, 1 / shape) / tgamma(1 + 1 / shape) : u;
}

static int add_node(struct drawing *d, int node, double at_s)
{
	const int first = node * d->law->roles_per_node;

	for (int r = first; r < first + d->law->roles_per_node && r < d->np; r++) {
		struct failure *list = grow(d->list, d->count + 1, &d->room, sizeof *list);

		if (!list)
			return RB_ENOMEM;
		d->list = list;
		list[d->count++] = (struct failure){ r, ticks_of(at_s), 0 };
	}
	return RB_OK;
}

/* Exponential times have no memory, so the failures of all nodes are drawn as those of one
 * system. */
static int draw_system(struct drawing *d, int nodes, double end_s)
{
	uint64_t state = mix(d->law->seed);

	for (double at = gap(1, &state) * d->law->mtbf_s / nodes; at < end_s;
	     at += gap(1, &state) * d->law->mtbf_s / nodes)
		RB_TRY(add_node(d, (int)(mix_draw(&state) % (uint64_t)nodes), at));
	return RB_OK;
}

static int draw_each(struct drawing *d, int nodes, double end_s)
{
	for (int n = 0; n < nodes; n++) {
		uint64_t state = mix(mix(d->law->seed) + (uint64_t)n);

		for (double at = 0; (at += gap(d->law->shape, &state) * d->law->mtbf_s) < end_s;)
			RB_TRY(add_node(d, n, at));
	}
	return RB_OK;
}

static int compare(const void *a, const void *b)
{
	const struct failure *f = a, *g = b;

	if (f->at != g->at)
		return f->at < g->at ? -1 : 1;
	return (f->role > g->role) - (f->role < g->role);
}

int draw_failures(const struct failure_law *law, int np, int64_t end, struct failure **list,
		  size_t *count)
{
	struct drawing d = { .law = law, .np = np };
	const int nodes = (np + law->roles_per_node - 1) / law->roles_per_node;
	const bool exponential = !(law->shape > 1 || law->shape < 1);
	int rc = exponential ? draw_system(&d, nodes, seconds_of(end))
			     : draw_each(&d, nodes, seconds_of(end));

	if (rc != RB_OK) {
		free(d.list);
		return rc;
	}
	if (d.count > 0)
		qsort(d.list, d.count, sizeof *d.list, compare);
	*list = d.list;
	*count = d.count;
	return RB_OK;
}
