#include "forecast/dataflow.h"

#include "base/status.h"
#include "forecast/moment.h"

#include <stdlib.h>
#include <string.h>

/* Which survivors replay messages to a restarted role. One that has a duplicate supports, as in a
 * record, whether it also replays what lies behind the duplicate's end or not. */
static void note_replays(struct dataflow *d, const struct cone *cone, const struct dataflow_case *x)
{
	for (size_t i = 0; i < x->at->holders; i++) {
		const struct holder *h = &x->at->holder[i];

		if (x->dead[h->receiver] && !x->dead[h->sender] &&
		    h->newest.iter >= x->line[h->receiver] && cone->end[h->sender].iter < 0)
			d->active[h->sender] = true;
	}
}

/* How far back from the front it is until all roles compute or send. */
static int64_t global_after(const struct dataflow *d, const struct cone *cone, const bool *dead)
{
	int64_t earliest = d->front;

	for (int r = 0; r < d->np; r++) {
		if (dead[r])
			continue;
		if (cone->part[r].iter < 0)
			return 0;
		earliest = cone->part[r].iter < earliest ? cone->part[r].iter : earliest;
	}
	return d->front - earliest;
}

static void count(struct dataflow *d, const struct cone *cone, const struct dataflow_case *x)
{
	d->front = cone->newest;
	for (int r = 0; r < d->np; r++) {
		const int64_t lost = d->front - x->line[r];

		d->distance[r] = cone->distance[r];
		d->supported[r] = cone->end[r].iter < 0 ? -1 : cone_supported(cone, x->line, r);
		d->iterations.restarted += x->dead[r] ? lost : 0;
		d->iterations.supported += d->supported[r] > 0 ? d->supported[r] : 0;
		d->iterations.cone +=
			(x->dead[r] ? lost : 0) +
			(cone->part[r].iter < 0 ? 0 : cone->part[r].iter - x->line[r]);
		d->iterations.global += lost;
		if (d->rolled[r])
			d->iterations.rollback += x->dead[r] ? lost : x->at->front[r] - x->line[r];
	}
	/* these roles alone repeat iterations */
	d->iterations.full_logging = d->iterations.restarted;
	d->global_after = global_after(d, cone, x->dead);
	note_replays(d, cone, x);
}

static int find(struct dataflow *d, const struct dataflow_case *x, int64_t *front)
{
	struct cone_case c = { x->pattern, x->line,     front, x->dead,
			       x->at->gap, x->at->gaps, -1,    x->flat };
	struct cone cone;
	int chain;

	for (int r = 0; r < d->np; r++) {
		front[r] = x->dead[r] ? x->line[r] : x->at->front[r];
		d->rolled[r] = x->dead[r];
	}
	RB_TRY(moment_close(x->at, x->at, d->np, x->checkpoint, x->line, d->rolled, &chain));
	RB_TRY(cone_find(&cone, &c));
	count(d, &cone, x);
	cone_free(&cone);
	return RB_OK;
}

int dataflow_find(struct dataflow *d, const struct dataflow_case *x)
{
	size_t n = (size_t)x->pattern->np;
	int64_t *front = malloc(n * sizeof *front);
	int rc = RB_ENOMEM;

	*d = (struct dataflow){ .np = x->pattern->np,
				.supported = calloc(n, sizeof *d->supported),
				.distance = calloc(n, sizeof *d->distance),
				.active = calloc(n, sizeof *d->active),
				.rolled = calloc(n, sizeof *d->rolled) };
	if (front && d->supported && d->distance && d->active && d->rolled)
		rc = find(d, x, front);
	free(front);
	return rc;
}

void dataflow_free(struct dataflow *d)
{
	free(d->supported);
	free(d->distance);
	free(d->active);
	free(d->rolled);
	memset(d, 0, sizeof *d);
}

bool dataflow_same(const struct dataflow *a, const struct dataflow *b)
{
	const size_t n = (size_t)a->np;

	return a->front == b->front &&
	       memcmp(a->supported, b->supported, n * sizeof *a->supported) == 0 &&
	       memcmp(a->distance, b->distance, n * sizeof *a->distance) == 0 &&
	       memcmp(a->active, b->active, n * sizeof *a->active) == 0 &&
	       memcmp(&a->iterations, &b->iterations, sizeof a->iterations) == 0;
}
