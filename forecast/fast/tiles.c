#include "forecast/fast/tiles.h"

#include "base/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8 };

struct tile_sizes tile_sizes = { TILE_WIDTH, PART_WIDTH, STRETCH_ROWS, TILE_WIDTH, TILE_ROWS };

/* Iterations that all tiles go through. */
struct stretch {
	const struct stencil_pattern *stencil;
	const double *from; /* NULL: all begin at the same time */
	double *to;
	int np, rows;
	double at; /* without `from` */
	/* ticks of a message; of all work, checkpoints and logging in these iterations */
	double message, before;
	/* what a role at the border of the grid logs less in the first one */
	double less;
	double least, most;
};

void line_load(double *a, const double *from, int np, bool periodic, int64_t first, int count)
{
	if (first >= 0 && first + count <= np) {
		memcpy(a, from + first, (size_t)count * sizeof *a);
		return;
	}
	for (int i = 0; i < count; i++) {
		const int64_t role = first + i;

		if (role >= 0 && role < np)
			a[i] = from[role];
		else
			a[i] = periodic ? from[(role % np + np) % np] : -INFINITY;
	}
}

void line_bounds(const double *a, int count, double *least, double *most)
{
	double low[LANES], high[LANES];
	int i = 0;

	for (int k = 0; k < LANES; k++) {
		low[k] = *least;
		high[k] = *most;
	}
	for (; i + LANES <= count; i += LANES)
		for (int k = 0; k < LANES; k++) {
			low[k] = a[i + k] < low[k] ? a[i + k] : low[k];
			high[k] = a[i + k] > high[k] ? a[i + k] : high[k];
		}
	for (; i < count; i++) {
		low[0] = a[i] < low[0] ? a[i] : low[0];
		high[0] = a[i] > high[0] ? a[i] : high[0];
	}
	for (int k = 0; k < LANES; k++) {
		*least = low[k] < *least ? low[k] : *least;
		*most = high[k] > *most ? high[k] : *most;
	}
}

/* Copy the roles `first`, ... to a, as their messages of the first iteration count. */
static void load(const struct stretch *s, double *a, int64_t first, int count)
{
	const int64_t ends[] = { -first, s->np - 1 - first };

	if (s->from)
		line_load(a, s->from, s->np, s->stencil->periodic, first, count);
	for (int i = 0; i < count && !s->from; i++)
		a[i] = s->stencil->periodic || (first + i >= 0 && first + i < s->np) ? s->at
										     : -INFINITY;
	for (int i = 0; i < 2 && !s->stencil->periodic; i++)
		if (ends[i] >= 0 && ends[i] < count)
			a[ends[i]] -= s->less;
}

/* a[i] becomes the latest of a[i], a[i + 2], ..., `reach` of them, for all i that have so many. */
static void latest_of(double *a, int count, int reach)
{
	int done = 1;

	while (done < reach) {
		const int step = done < reach - done ? done : reach - done;

		count -= 2 * step;
		/* What is read lies at or behind what is written, so vectors of any length may be
		 * read first. */
#pragma GCC ivdep
		for (int i = 0; i < count; i++)
			a[i] = a[i] > a[i + 2 * step] ? a[i] : a[i + 2 * step];
		done += step;
	}
}

void tiles_jump(double *a, double *to, int width, int rows, double before, double message)
{
	const double near = before + (rows - 1) * message, far = before + rows * message;

	latest_of(a, width + 2 * rows, rows);
	for (int i = 0; i < width; i++) {
		const double beside = (a[i] > a[i + 2] ? a[i] : a[i + 2]) + far,
			     own = a[i + 1] + near;

		to[i] = own > beside ? own : beside;
	}
}

static void do_tile(const struct stretch *s, int64_t first, int width, double *least, double *most)
{
	double a[TILE_WIDTH + 2 * TILE_ROWS];

	load(s, a, first - s->rows, width + 2 * s->rows);
	tiles_jump(a, s->to + first, width, s->rows, s->before, s->message);
	line_bounds(s->to + first, width, least, most);
}

static void do_tiles(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct stretch *s = arg;
	double least = INFINITY, most = 0;

	do_tile(s, first, (int)(end - first), &least, &most);
	pthread_mutex_lock(lock);
	s->least = least < s->least ? least : s->least;
	s->most = most > s->most ? most : s->most;
	pthread_mutex_unlock(lock);
}

bool tiles_fit(const struct model *m, const struct log_costs *logs)
{
	const struct stencil_pattern *s = stencil_of(m->pattern);

	return s && s->axes == 1 && s->bytes[0] > 0 && m->work.knots == 1 && m->line != LINE_OWN &&
	       logs->form != LOGS_ASKED && (s->periodic ? m->pattern->np > 2 : m->pattern->np > 1);
}

int64_t tiles_before(const struct model *m, const struct log_costs *logs, int64_t iter,
		     int64_t *less)
{
	const struct stencil_pattern *s = stencil_of(m->pattern);
	const double bytes = (double)s->bytes[0], speed = m->costs.log_bytes_per_s;
	const bool logged = log_costs_any(logs, iter);
	const int64_t both = logged ? ticks_of(2 * bytes / speed) : 0;

	*less = logged && !s->periodic ? both - ticks_of(bytes / speed) : 0;
	return both + (model_due(m, 0, iter) ? ticks_of(m->costs.checkpoint_s) : 0);
}

int tiles_rows(const struct model *m, int64_t row, int64_t most)
{
	int rows = most > 0;

	while (rows < most && !(m->line == LINE_BARRIER && model_due(m, 0, row + rows)))
		rows++;
	return rows;
}

int64_t tiles_rows_until(const struct model *m, const struct log_costs *logs,
			 const struct point *from, int64_t rows, int64_t at)
{
	const int64_t work = work_ticks(&m->work, 0, 0) +
			     message_ticks(&m->costs, stencil_of(m->pattern)->bytes[0]);
	int64_t k, less, most = from->most;

	for (k = 0; k < rows && k < tile_sizes.failure_free_rows && (at < 0 || most <= at); k++)
		most += work + tiles_before(m, logs, from->row + k, &less);
	return k > 1 && at >= 0 && most > at ? k - 1 : k > 0 ? k : 1;
}

/* Iterations up to the next barrier. Returns how many. */
static int prepare(struct stretch *s, const struct model *m, const struct log_costs *logs,
		   struct point *x, int64_t rows)
{
	const int64_t work = work_ticks(&m->work, 0, 0);

	s->rows = tiles_rows(m, x->row,
			     smaller(rows, s->np < 4 && logs->form != LOGS_NOTHING
						   ? 1
						   : tile_sizes.failure_free_rows));
	s->before = 0;
	for (int i = 0; i < s->rows; i++) {
		int64_t less, before = work + tiles_before(m, logs, x->row + i, &less);

		if (i == 0)
			s->less = (double)less;
		x->computed += before * (tick_sum)s->np - 2 * less;
		s->before += (double)before;
	}
	return s->rows;
}

void tiles_advance(const struct model *m, const struct log_costs *logs, int threads,
		   const struct point *from, struct point *to, int64_t rows)
{
	struct stretch s = { .stencil = stencil_of(m->pattern),
			     .to = to->end,
			     .np = m->pattern->np,
			     .message = (double)message_ticks(&m->costs,
							      stencil_of(m->pattern)->bytes[0]) };
	struct point x = *from;

	for (s.from = from->end; rows > 0 && x.most <= TICKS_MAX; s.from = to->end) {
		if ((m->line == LINE_BARRIER && model_due(m, 0, x.row)) || x.least == x.most) {
			s.from = NULL;
			s.at = (double)x.most;
		}
		rows -= prepare(&s, m, logs, &x, rows);
		s.least = INFINITY;
		s.most = 0;
		share_out(threads, s.np, tile_sizes.failure_free_width, do_tiles, &s);
		x.row += s.rows;
		x.least = (int64_t)s.least;
		x.most = (int64_t)s.most;
	}
	x.end = to->end;
	*to = x;
}
