#include "sim/fast/grid.h"

#include "sim/fast/tiles.h"

#include "base/share.h"
#include "base/status.h"
#include "kernels/stencil_pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	BESIDE = 4, /* lines beside a line: two across, two above and below */
	PIECE = 4,  /* tiles whose roles are shared out at once */
};

/* An iteration of all roles. A line has the roles along the last axis. */
struct grid {
	const struct stencil_pattern *stencil;
	int length[STENCIL_AXES]; /* with ones ahead for axes that there are not; the last one is that of a line */
	const double *nobody;     /* a line of -INFINITY, where there is no neighbour */
	const double *from;
	double *to;
	double message, work;     /* work: and what comes before the program */
	double least, most;
	int threads;
};

bool grid_fits(const struct model *m, const struct log_costs *logs)
{
	const struct stencil_pattern *s = stencil_of(m->pattern);

	if (!s || s->bytes[0] == 0 || m->work.knots != 1 || m->line == LINE_OWN || logs->form != LOGS_NOTHING)
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

static const double *line(const struct grid *g, int i, int j)
{
	return i < 0 || j < 0 ? g->nobody : g->from + ((int64_t)i * g->length[1] + j) * g->length[2];
}

static double later(double a, double b)
{
	return a > b ? a : b;
}

/* What comes from other lines, and the neighbours in this one but for the first and the last role. */
static void advance(double *restrict to, const double *own, const double *const other[BESIDE], int count, double message,
		    double work)
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

static void advance_end(const struct grid *g, double *to, const double *own, const double *const other[BESIDE], int k)
{
	double last = -INFINITY;

	for (int i = 0; i < BESIDE; i++)
		last = later(last, other[i][k]);
	for (int step = -1; step <= 1; step += 2) {
		const int at = beside(g, k, step, g->length[2]);

		last = at < 0 ? last : later(last, own[at]);
	}
	to[k] = later(own[k], last + g->message) + g->work;
}

static void advance_line(const struct grid *g, int i, int j, double *least, double *most)
{
	const int count = g->length[2];
	const double *const other[BESIDE] = { line(g, beside(g, i, -1, g->length[0]), j), line(g, beside(g, i, 1, g->length[0]), j),
					      line(g, i, beside(g, j, -1, g->length[1])), line(g, i, beside(g, j, 1, g->length[1])) };
	const double *own = line(g, i, j);
	double *to = g->to + (own - g->from);

	advance(to, own, other, count, g->message, g->work);
	advance_end(g, to, own, other, 0);
	if (count > 1)
		advance_end(g, to, own, other, count - 1);
	line_bounds(to, count, least, most);
}

static void advance_lines(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct grid *g = arg;
	double least = INFINITY, most = 0;

	for (int64_t k = first; k < end; k++)
		advance_line(g, (int)(k / g->length[1]), (int)(k % g->length[1]), &least, &most);
	pthread_mutex_lock(lock);
	g->least = least < g->least ? least : g->least;
	g->most = most > g->most ? most : g->most;
	pthread_mutex_unlock(lock);
}

static void advance_row(struct grid *g)
{
	const int64_t piece = PIECE * tile_sizes.quiet_width / g->length[2];

	g->least = INFINITY;
	g->most = 0;
	share_out(g->threads, (int64_t)g->length[0] * g->length[1], piece > 0 ? piece : 1, advance_lines, g);
}

/* What all roles do before their programs is the same for all, so it can be added behind. */
static void go_on(struct grid *g, const struct model *m, struct point *x, double *array)
{
	const bool due = model_due(m, 0, x->row), barrier = due && m->line == LINE_BARRIER;
	const int64_t work = work_ticks(&m->work, 0, 0), checkpoint = due ? ticks_of(m->costs.checkpoint_s) : 0;

	if (barrier) {
		for (int r = 0; r < m->pattern->np; r++)
			array[r] = (double)x->most;
		g->from = array;
	}
	g->work = (double)(work + checkpoint);
	advance_row(g);
	x->computed += (tick_sum)(work + checkpoint) * m->pattern->np;
	x->least = (int64_t)g->least;
	x->most = (int64_t)g->most;
	x->row++;
}

int grid_advance(const struct model *m, int threads, const struct point *from, struct point *to, int64_t rows)
{
	const struct stencil_pattern *s = stencil_of(m->pattern);
	const size_t np = (size_t)m->pattern->np, last = (size_t)s->length[s->axes - 1];
	struct grid g = { .stencil = s, .length = { 1, 1, 1 }, .from = from->end, .threads = threads,
			  .message = (double)message_ticks(&m->costs, s->bytes[0]) };
	double *own = malloc((2 * np + last) * sizeof *own), *barrier = own + np, *nobody = barrier + np;
	struct point x = *from;

	if (!own)
		return RB_ENOMEM;
	for (size_t k = 0; k < last; k++)
		nobody[k] = -INFINITY;
	for (int a = 0; a < s->axes; a++)
		g.length[STENCIL_AXES - s->axes + a] = s->length[a];
	g.nobody = nobody;
	for (; rows > 0 && x.most <= TICKS_MAX; rows--) {
		g.to = g.from == to->end ? own : to->end;
		go_on(&g, m, &x, barrier);
		g.from = g.to;
	}
	if (g.from != to->end)
		memcpy(to->end, g.from, np * sizeof *g.from);
	x.end = to->end;
	*to = x;
	free(own);
	return RB_OK;
}
