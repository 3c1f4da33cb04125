#include "sim/fast/tiles.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 2048, THREADS_MAX = 256, LANES = 8 };

/* Iterations that all tiles go through. */
struct stretch {
	const struct stencil_pattern *stencil;
	const double *from;     /* NULL: all begin at the same time */
	double *to;
	int np, rows;
	double at;              /* without `from` */
	double message, enter;  /* ticks of a message; of what comes before the first program */
	double behind[TILE_ROWS]; /* by row: work, and what comes before the next program */
	double less[TILE_ROWS + 1]; /* what a role at the border of the grid logs less before the first program, and behind each row */
	int next;               /* the next tile to be done, of all threads */
	pthread_mutex_t lock;
	double least, most;
};

/* Roles x - 1, x, x + 1 are at a[0], a[1], a[2], and role x is at a[0] afterwards. What is read lies at or behind what is
 * written, so vectors of any length may be read before they are written. */
static void advance(double *a, int count, double message, double behind)
{
#pragma GCC ivdep
	for (int i = 0; i < count; i++) {
		const double beside = (a[i] > a[i + 2] ? a[i] : a[i + 2]) + message;

		a[i] = (a[i + 1] > beside ? a[i + 1] : beside) + behind;
	}
}

/* Copy the roles `first`, ... to a, as they begin their programs. */
static void load(const struct stretch *s, double *a, int64_t first, int count)
{
	const int np = s->np;

	for (int i = 0; i < count; i++) {
		const int64_t role = first + i;

		if (role >= 0 && role < np)
			a[i] = (s->from ? s->from[role] : s->at) + s->enter - (role == 0 || role == np - 1 ? s->less[0] : 0);
		else if (s->stencil->periodic)
			a[i] = (s->from ? s->from[(role % np + np) % np] : s->at) + s->enter;
		else
			a[i] = -INFINITY;
	}
}

/* The roles beyond the borders send nothing, and those at the borders log less. */
static void repair_borders(const struct stretch *s, double *a, int64_t first, int count, double less)
{
	const int64_t left = -1 - first, right = s->np - first;

	if (left >= 0 && left < count)
		a[left] = -INFINITY;
	if (right >= 0 && right < count)
		a[right] = -INFINITY;
	if (left + 1 >= 0 && left + 1 < count)
		a[left + 1] -= less;
	if (right - 1 >= 0 && right - 1 < count && right - 1 != left + 1)
		a[right - 1] -= less;
}

static void bounds(const double *a, int count, double *least, double *most)
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

static void do_tile(const struct stretch *s, double *a, int64_t first, int width, double *least, double *most)
{
	int64_t left = first - s->rows;
	int count = width + 2 * s->rows;

	load(s, a, left, count);
	for (int row = 0; row < s->rows; row++) {
		count -= 2;
		left++;
		advance(a, count, s->message, s->behind[row]);
		if (!s->stencil->periodic && (left <= 0 || left + count >= s->np))
			repair_borders(s, a, left, count, s->less[row + 1]);
	}
	bounds(a, width, least, most);
	memcpy(s->to + first, a, (size_t)width * sizeof *a);
}

static void *do_tiles(void *arg)
{
	struct stretch *s = arg;
	double a[WIDTH + 2 * TILE_ROWS], least = INFINITY, most = 0;

	for (;;) {
		int64_t first;

		pthread_mutex_lock(&s->lock);
		first = (int64_t)s->next++ * WIDTH;
		pthread_mutex_unlock(&s->lock);
		if (first >= s->np)
			break;
		do_tile(s, a, first, s->np - first < WIDTH ? (int)(s->np - first) : WIDTH, &least, &most);
	}
	pthread_mutex_lock(&s->lock);
	s->least = least < s->least ? least : s->least;
	s->most = most > s->most ? most : s->most;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* The calling thread is one of them. Fewer do, if no more can be had. */
static void run(struct stretch *s, int threads)
{
	pthread_t other[THREADS_MAX];
	const int tiles = s->np / WIDTH;
	int started = 0;

	threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	threads = threads < tiles ? threads : tiles;
	pthread_mutex_init(&s->lock, NULL);
	while (started + 1 < threads && pthread_create(&other[started], NULL, do_tiles, s) == 0)
		started++;
	do_tiles(s);
	while (started > 0)
		pthread_join(other[--started], NULL);
	pthread_mutex_destroy(&s->lock);
}

bool tiles_fit(const struct model *m, const struct log_costs *logs)
{
	const struct stencil_pattern *s = stencil_of(m->pattern);

	return s && s->axes == 1 && s->bytes[0] > 0 && m->work.knots == 1 && m->line != LINE_OWN && logs->form != LOGS_ASKED &&
	       (s->periodic ? m->pattern->np > 2 : m->pattern->np > 1);
}

/* What comes before the programs of an iteration: of roles with two neighbours, and how much less it is with one. */
static int64_t before(const struct model *m, const struct log_costs *logs, int64_t iter, int64_t *less)
{
	const struct stencil_pattern *s = stencil_of(m->pattern);
	const double bytes = (double)s->bytes[0], speed = m->costs.log_bytes_per_s;
	const bool logged = log_costs_any(logs, iter);
	const int64_t both = logged ? ticks_of(2 * bytes / speed) : 0;

	*less = logged && !s->periodic ? both - ticks_of(bytes / speed) : 0;
	return both + (model_due(m, 0, iter) ? ticks_of(m->costs.checkpoint_s) : 0);
}

/* Iterations up to the next barrier. Returns how many. */
static int prepare(struct stretch *s, const struct model *m, const struct log_costs *logs, struct point *x, int64_t rows)
{
	const int64_t work = work_ticks(&m->work, 0, 0);
	int64_t less, all = before(m, logs, x->row, &less);

	s->enter = (double)all;
	s->less[0] = (double)less;
	for (s->rows = 0; s->rows < rows && s->rows < TILE_ROWS; s->rows++) {
		x->computed += (work + all) * (tick_sum)s->np - 2 * less;
		all = before(m, logs, x->row + s->rows + 1, &less);
		s->behind[s->rows] = (double)(work + all);
		s->less[s->rows + 1] = (double)less;
		if (m->line == LINE_BARRIER && model_due(m, 0, x->row + s->rows + 1)) {
			s->rows++;
			break;
		}
	}
	s->behind[s->rows - 1] = (double)work; /* a point is where iterations end */
	s->less[s->rows] = 0;
	return s->rows;
}

void tiles_advance(const struct model *m, const struct log_costs *logs, int threads, const struct point *from, struct point *to,
		  int64_t rows)
{
	struct stretch s = { .stencil = stencil_of(m->pattern), .to = to->end, .np = m->pattern->np,
			     .message = (double)message_ticks(&m->costs, stencil_of(m->pattern)->bytes[0]) };
	struct point x = *from;

	for (s.from = from->end; rows > 0 && x.most <= TICKS_MAX; s.from = to->end) {
		if (m->line == LINE_BARRIER && model_due(m, 0, x.row)) {
			s.from = NULL;
			s.at = (double)x.most;
		}
		rows -= prepare(&s, m, logs, &x, rows);
		s.next = 0;
		s.least = INFINITY;
		s.most = 0;
		run(&s, threads);
		x.row += s.rows;
		x.least = (int64_t)s.least;
		x.most = (int64_t)s.most;
	}
	x.end = to->end;
	*to = x;
}
