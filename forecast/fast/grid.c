#include "forecast/fast/grid.h"

#include "forecast/fast/tiles.h"

#include "base/share.h"
#include "base/status.h"
#include "forecast/pattern/stencil_pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	BESIDE = 4,       /* lines beside a line: two across, two above and below */
	GRID_ROWS = 16,   /* at most, in one stretch */
	RING = 3,         /* slabs of an iteration that the next one needs */
	CACHED = 3 << 18, /* bytes of the rings of a block: what stays in a cache of a core */
	/* a block has so many times as many slabs as a stretch has iterations, if there are
	 * enough */
	FEW = 16,
};

/* Iterations of all roles. A line has the roles along the last axis, a slab the lines along the one
 * before if there are three. */
struct grid {
	const struct stencil_pattern *stencil;
	int slabs, lines, count; /* lines of a slab, roles of a line */
	size_t slab;             /* roles */
	const double *nobody;    /* a slab of -INFINITY, where there is no neighbour */
	const double *from;
	double *to;
	int rows;               /* of the stretch */
	double work[GRID_ROWS]; /* and what comes before the program */
	double message;
	double *rings;
	int64_t block; /* slabs */
	double least, most;
	int threads;
};

bool grid_fits(const struct model *m, const struct log_costs *logs)
{
	const struct stencil_pattern *s = stencil_of(m->pattern);

	if (!s || s->bytes[0] == 0 || m->work.knots != 1 || m->line == LINE_OWN ||
	    logs->form != LOGS_NOTHING)
		return false;
	for (int a = 1; a < s->axes; a++)
		if (s->bytes[a] > 0)
			return false;
	return true;
}

/* The place of a neighbour along an axis; -1: there is none, or it is the role itself. */
static int beside(const struct grid *g, int at, int step, int length)
{
	int to = at + step;

	if (g->stencil->periodic)
		to = (to + length) % length;
	return to < 0 || to >= length || to == at ? -1 : to;
}

static double later(double a, double b)
{
	return a > b ? a : b;
}

/* What comes from other lines, and the neighbours in this one but for the first and the last
 * role. */
static void advance(double *restrict to, const double *own, const double *const other[BESIDE],
		    int count, double message, double work)
{
	const double *a = other[0], *b = other[1], *c = other[2], *d = other[3];

	for (int k = 1; k < count - 1; k++) {
		const double across = a[k] > b[k] ? a[k] : b[k], above = c[k] > d[k] ? c[k] : d[k];
		const double along = own[k - 1] > own[k + 1] ? own[k - 1] : own[k + 1];
		const double outside = across > above ? across : above;
		const double last = (along > outside ? along : outside) + message;

		to[k] = (own[k] > last ? own[k] : last) + work;
	}
}

static void advance_end(const struct grid *g, double *to, const double *own,
			const double *const other[BESIDE], int k, double work)
{
	double last = -INFINITY;

	for (int i = 0; i < BESIDE; i++)
		last = later(last, other[i][k]);
	for (int step = -1; step <= 1; step += 2) {
		const int at = beside(g, k, step, g->count);

		last = at < 0 ? last : later(last, own[at]);
	}
	to[k] = later(own[k], last + g->message) + work;
}

/* slab: what it and those beside it have ended. */
static void advance_slab(const struct grid *g, const double *const slab[RING], double *to,
			 double work)
{
	for (int j = 0; j < g->lines; j++) {
		const int above = beside(g, j, -1, g->lines), below = beside(g, j, 1, g->lines);
		const size_t at = (size_t)j * (size_t)g->count, count = (size_t)g->count;
		const double *own = slab[1] + at;
		const double *const other[BESIDE] = {
			slab[0] + at, slab[2] + at,
			above < 0 ? g->nobody : slab[1] + (size_t)above * count,
			below < 0 ? g->nobody : slab[1] + (size_t)below * count
		};

		advance(to + at, own, other, g->count, g->message, work);
		advance_end(g, to + at, own, other, 0, work);
		if (g->count > 1)
			advance_end(g, to + at, own, other, g->count - 1, work);
	}
}

/* Slabs of a block on their way through the iterations. `first`: of those that are computed. */
struct block {
	const struct grid *g;
	double *ring;
	int64_t first, end;
};

/* What slab `at` has ended behind so many iterations of the stretch. */
static double *slab_of(const struct block *b, int row, int64_t at)
{
	const struct grid *g = b->g;
	const int64_t role = (at % g->slabs + g->slabs) % g->slabs;

	if (row == g->rows)
		return g->to + (size_t)role * g->slab;
	return b->ring +
	       ((size_t)(row - 1) * RING + (size_t)((at - b->first + g->rows) % RING)) * g->slab;
}

static const double *before(const struct block *b, int row, int64_t at)
{
	const struct grid *g = b->g;

	if (at < 0 || at >= g->slabs) {
		if (!g->stencil->periodic)
			return g->nobody;
		at = row == 0 ? (at % g->slabs + g->slabs) % g->slabs : at;
	}
	return row == 0 ? g->from + (size_t)at * g->slab : slab_of(b, row, at);
}

/* Iteration number `row` of a slab, from 1 on. */
static void do_slab(const struct block *b, int row, int64_t at)
{
	const struct grid *g = b->g;
	const bool alone = g->slabs == 1; /* a role is not its own neighbour */
	const double *const slab[RING] = { alone ? g->nobody : before(b, row - 1, at - 1),
					   before(b, row - 1, at),
					   alone ? g->nobody : before(b, row - 1, at + 1) };

	advance_slab(g, slab, slab_of(b, row, at), g->work[row - 1]);
}

/* Iteration 1 of a slab comes first, then iteration 2 of the one before it, for which all is there
 * now, and so on: what an iteration needs of the last one is still in the cache. Beyond both ends
 * of the block, slabs are computed that belong to others. */
static void do_block(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct grid *g = arg;
	const int rows = g->rows;
	const bool bounded = !g->stencil->periodic || g->slabs == 1;
	const struct block b = { g,
				 g->rings + (size_t)(first / g->block) * (size_t)(rows - 1) * RING *
						    g->slab,
				 first - rows, end };
	double least = INFINITY, most = 0;

	for (int64_t at = first - (rows - 1); at < end + rows - 1; at++)
		for (int row = 1; row <= rows; row++) {
			const int64_t slab = at - (row - 1);

			if (slab >= first - (rows - row) && slab < end + (rows - row) &&
			    (!bounded || (slab >= 0 && slab < g->slabs)))
				do_slab(&b, row, slab);
		}
	line_bounds(g->to + (size_t)first * g->slab, (int)((size_t)(end - first) * g->slab), &least,
		    &most);
	pthread_mutex_lock(lock);
	g->least = least < g->least ? least : g->least;
	g->most = most > g->most ? most : g->most;
	pthread_mutex_unlock(lock);
}

/* Iterations up to the next barrier. What all roles do before their programs is the same for all,
 * so it can be added behind. */
static void go_on(struct grid *g, const struct model *m, struct point *x, double *array,
		  int64_t most)
{
	const int64_t work = work_ticks(&m->work, 0, 0);

	if (m->line == LINE_BARRIER && model_due(m, 0, x->row)) {
		for (int r = 0; r < m->pattern->np; r++)
			array[r] = (double)x->most;
		g->from = array;
	}
	g->rows = tiles_rows(m, x->row, most);
	for (int i = 0; i < g->rows; i++) {
		const int64_t all =
			work + (model_due(m, 0, x->row + i) ? ticks_of(m->costs.checkpoint_s) : 0);

		g->work[i] = (double)all;
		x->computed += (tick_sum)all * m->pattern->np;
	}
	g->least = INFINITY;
	g->most = 0;
	share_out(g->threads, g->slabs, g->block, do_block, g);
	x->least = (int64_t)g->least;
	x->most = (int64_t)g->most;
	x->row += g->rows;
}

/* How many iterations are in a stretch. */
static int stretch_rows(const struct grid *g)
{
	const int64_t rows =
		1 + CACHED / ((int64_t)RING * (int64_t)g->slab * (int64_t)sizeof(double));

	/* else more belong to others */
	const int64_t own = g->slabs > 1 ? (g->slabs + g->threads - 1) / g->threads : GRID_ROWS;

	return (int)smaller(smaller(rows, own), smaller(GRID_ROWS, tile_sizes.failure_free_rows));
}

static void divide(struct grid *g, int rows)
{
	const int64_t more = (int64_t)g->slabs / ((int64_t)g->threads * FEW * rows),
		      blocks = g->threads * (more > 0 ? more : 1);

	g->block = (g->slabs + blocks - 1) / blocks;
}

static struct grid grid_of(const struct model *m, int threads)
{
	const struct stencil_pattern *s = stencil_of(m->pattern);
	struct grid g = { .stencil = s,
			  .slabs = s->axes > 1 ? s->length[0] : 1,
			  .lines = s->axes > 2 ? s->length[1] : 1,
			  .count = s->length[s->axes - 1],
			  .message = (double)message_ticks(&m->costs, s->bytes[0]),
			  .threads = threads };

	g.slab = (size_t)g.lines * (size_t)g.count;
	return g;
}

int grid_advance(const struct model *m, int threads, const struct point *from, struct point *to,
		 int64_t rows)
{
	const size_t np = (size_t)m->pattern->np;
	struct grid g = grid_of(m, threads);
	const int stretch = stretch_rows(&g);
	struct point x = *from;
	double *own, *nobody;

	divide(&g, stretch);
	own = times_alloc(2 * np + g.slab +
			  (size_t)((g.slabs + g.block - 1) / g.block) * (size_t)(stretch - 1) *
				  RING * g.slab);
	if (!own)
		return RB_ENOMEM;
	nobody = own + 2 * np;
	g.rings = nobody + g.slab;
	for (size_t k = 0; k < g.slab; k++)
		nobody[k] = -INFINITY;
	g.nobody = nobody;
	g.from = from->end;
	for (const int64_t end = x.row + rows; x.row < end && x.most <= TICKS_MAX;) {
		g.to = g.from == to->end ? own : to->end;
		go_on(&g, m, &x, own + np, smaller(end - x.row, stretch));
		g.from = g.to;
	}
	if (g.from != to->end)
		memcpy(to->end, g.from, np * sizeof *g.from);
	x.end = to->end;
	*to = x;
	free(own);
	return RB_OK;
}
