#include "sim/fast/settle_tiles.h"

#include "sim/fast/tiles.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 2048, ROWS = 16, ROOM = WIDTH + 2 * ROWS };

/* What is known of a tile. */
enum tile_state {
	TILE_GOES_ON,
	TILE_ENDED, /* all its roles are past: no message of theirs matters any more */
	TILE_FILLED, /* and both arrays say so */
};

struct settling {
	struct state *s;
	const struct stencil_pattern *stencil;
	const double *from; /* when roles have ended their last iteration; INFINITY: when the others stop, or later */
	double *to;
	unsigned char *tile; /* enum tile_state */
	int *dead;          /* roles */
	int deaths;
	int64_t begin, row; /* the first row of all; the first of a stretch */
	int rows;
	bool barrier;       /* before the first row */
	double at;          /* when the barrier is passed */
	double stop, message, work, checkpoint;
	double enter[ROWS], less[ROWS]; /* before the program of a row; how much less it is at the borders of the grid */
	bool due[ROWS];
};

/* A tile on its way through the rows of a stretch. */
struct tile {
	int64_t first, left; /* its first role; the role at index 0 of the arrays */
	int width, count;    /* roles of the tile; numbers in the arrays */
	int past;
	double *end, *start, *next;
};

bool settle_fits_tiles(const struct state *s)
{
	if (s->m->reach != REPAIR_ALL || !tiles_fit(s->m, &s->logs))
		return false;
	for (size_t i = 0; i < s->count; i++) /* they would have to be looked for row by row */
		if (!s->over[i] && s->list[i].at < 0)
			return false;
	return true;
}

static bool is_border(const struct settling *x, int64_t role)
{
	return !x->stencil->periodic && (role == 0 || role == x->s->np - 1);
}

static int64_t tick(double t)
{
	return t < (double)LATER ? (int64_t)t : LATER;
}

/* A role does not end this iteration before the others stop, or before it dies. */
static void pass(const struct settling *x, int role, int k, double reached, double end)
{
	const double begin = k == 0 && x->barrier ? x->at : reached;
	struct part *p = &x->s->at[role];

	x->s->past[role] = true;
	x->s->front[role] = x->row + k;
	p->reached = tick(reached);
	p->begin = tick(begin);
	p->saved = tick(begin + (x->due[k] ? x->checkpoint : 0));
	p->start = tick(begin + x->enter[k] - (is_border(x, role) ? x->less[k] : 0));
	p->end = tick(end);
	p->work = p->end < LATER ? (int64_t)x->work : 0;
	p->waited = 0;
}

/* The first index of a role in the arrays of a tile; more follow in steps of np, if the grid is periodic. */
static int64_t index_of(const struct settling *x, const struct tile *t, int role)
{
	const int64_t np = x->s->np, at = role - t->left;

	return x->stencil->periodic ? (at % np + np) % np : at;
}

static void load(const struct settling *x, struct tile *t)
{
	const int64_t np = x->s->np;

	for (int i = 0; i < t->count; i++) {
		const int64_t role = t->left + i;

		if (role >= 0 && role < np)
			t->end[i] = x->from[role];
		else
			t->end[i] = x->stencil->periodic ? x->from[(role % np + np) % np] : -INFINITY;
	}
}

/* A dead role sends nothing when its program starts later. */
static void begin(const struct settling *x, struct tile *t, int k)
{
	const int np = x->s->np;
	const double enter = x->enter[k];

	for (int i = 0; i < t->count; i++)
		t->start[i] = t->end[i] + enter;
	for (int i = 0; i < t->count && k == 0 && x->barrier; i++)
		t->start[i] = t->end[i] > -INFINITY ? x->at + enter : -INFINITY;
	for (int side = 0; side < 2 && !x->stencil->periodic; side++) {
		const int64_t i = (side ? np - 1 : 0) - t->left;

		if (i >= 0 && i < t->count)
			t->start[i] -= x->less[k];
	}
	for (int d = 0; d < x->deaths; d++)
		for (int64_t i = index_of(x, t, x->dead[d]); i >= 0 && i < t->count; i += np)
			if (t->start[i] > (double)x->s->died[x->dead[d]])
				t->start[i] = INFINITY;
}

static void advance(const double *restrict start, double *restrict next, int count, double message, double work)
{
	for (int i = 0; i < count; i++) {
		const double beside = (start[i] > start[i + 2] ? start[i] : start[i + 2]) + message;

		next[i] = (start[i + 1] > beside ? start[i + 1] : beside) + work;
	}
}

/* What follows a role's death. t: behind the row. */
static void bury(const struct settling *x, struct tile *t, int k)
{
	for (int d = 0; d < x->deaths; d++) {
		const int role = x->dead[d];

		for (int64_t i = index_of(x, t, role); i >= 0 && i < t->count; i += x->s->np) {
			if (t->next[i] <= (double)x->s->died[role])
				continue;
			if (t->left + i >= t->first && t->left + i < t->first + t->width && !x->s->past[role])
				pass(x, role, k, t->end[i + 1], t->next[i]);
			t->next[i] = INFINITY;
		}
	}
}

/* Note the roles of the tile that are past since this row. */
static void look(const struct settling *x, struct tile *t, int k)
{
	const int at = (int)(t->first - t->left);
	const double *next = t->next + at, *end = t->end + at + 1;
	int past = 0;

	for (int i = 0; i < t->width; i++)
		past += next[i] > x->stop;
	if (past == t->past)
		return;
	t->past = past;
	for (int i = 0; i < t->width; i++)
		if (next[i] > x->stop && !x->s->past[t->first + i])
			pass(x, (int)t->first + i, k, end[i], next[i]);
}

static void fill(double *to, int64_t first, int width)
{
	for (int i = 0; i < width; i++)
		to[first + i] = INFINITY;
}

/* Returns whether all roles of the tile are past. */
static bool do_tile(const struct settling *x, int64_t first, int width)
{
	double a[ROOM], b[ROOM], start[ROOM];
	struct tile t = { first, first - x->rows, width, width + 2 * x->rows, 0, a, start, b };

	load(x, &t);
	for (int i = 0; i < width; i++)
		t.past += x->s->past[first + i];
	for (int k = 0; k < x->rows && t.past < width; k++) {
		double *done = t.end;

		begin(x, &t, k);
		advance(t.start, t.next, t.count - 2, x->message, x->work);
		t.count -= 2;
		t.left++;
		for (int i = 0; i < t.count && t.left + i < 0 && !x->stencil->periodic; i++)
			t.next[i] = -INFINITY;
		for (int64_t i = t.count - 1; i >= 0 && t.left + i >= x->s->np && !x->stencil->periodic; i--)
			t.next[i] = -INFINITY;
		bury(x, &t, k);
		look(x, &t, k);
		t.end = t.next;
		t.next = done;
	}
	if (t.past == width) {
		fill(x->to, first, width);
		return true;
	}
	memcpy(x->to + first, t.end, (size_t)width * sizeof *t.end);
	return false;
}

/* Do the rows of a stretch. Returns whether any role is not past. */
static bool do_tiles(struct settling *x)
{
	bool open = false;

	for (int64_t first = 0, i = 0; first < x->s->np; first += WIDTH, i++) {
		const int width = x->s->np - first < WIDTH ? (int)(x->s->np - first) : WIDTH;

		if (x->tile[i] == TILE_GOES_ON) {
			x->tile[i] = do_tile(x, first, width) ? TILE_ENDED : TILE_GOES_ON;
		} else if (x->tile[i] == TILE_ENDED) {
			fill(x->to, first, width);
			x->tile[i] = TILE_FILLED;
		}
		open = open || x->tile[i] == TILE_GOES_ON;
	}
	return open;
}

/* Iterations up to the next barrier. */
static void prepare(struct settling *x)
{
	const struct model *m = x->s->m;

	x->barrier = m->line == LINE_BARRIER && model_due(m, 0, x->row);
	x->at = 0;
	for (int r = 0; r < x->s->np && x->barrier; r++)
		x->at = x->from[r] > x->at ? x->from[r] : x->at;
	for (x->rows = 0; x->rows < ROWS && x->row + x->rows < m->steps; x->rows++) {
		const int64_t iter = x->row + x->rows;
		int64_t less;

		x->due[x->rows] = model_due(m, 0, iter);
		if (x->rows > 0 && m->line == LINE_BARRIER && x->due[x->rows])
			break;
		x->enter[x->rows] = (double)tiles_before(m, &x->s->logs, iter, &less);
		x->less[x->rows] = (double)less;
	}
}

/* What the roles have completed, in sums. */
static int account(const struct settling *x, struct totals *t)
{
	const struct state *s = x->s;
	const int64_t rows = x->row - x->begin;
	int64_t *sum = calloc(2 * ((size_t)rows + 1), sizeof *sum), *less = sum + rows + 1; /* of the first iterations */

	if (!sum)
		return RB_ENOMEM;
	for (int64_t i = 0; i < rows; i++) {
		int64_t here;

		sum[i + 1] = sum[i] + (int64_t)x->work + tiles_before(s->m, &s->logs, x->begin + i, &here);
		less[i + 1] = less[i] + here;
	}
	for (int r = 0; r < s->np; r++) {
		const int64_t done = s->front[r] - x->begin, before = s->high[r] - x->begin;

		if (done <= 0) /* past already */
			continue;
		t->computed += sum[done] - (is_border(x, r) ? less[done] : 0);
		t->repeated += before <= 0 ? 0 : before < done ? before : done;
	}
	free(sum);
	return RB_OK;
}

/* Where roles have no iterations left, or are all past. */
static int settle_rows(struct settling *x, double *array, struct totals *t)
{
	struct state *s = x->s;
	const int64_t steps = s->m->steps;
	bool open = true;

	for (int r = 0; r < s->np; r++)
		array[r] = s->past[r] ? INFINITY : (double)s->walk.own[r].end;
	x->from = array;
	for (x->row = x->begin = s->walk.iter; open && x->row < steps; x->row += x->rows) {
		x->to = x->from == array ? array + s->np : array;
		prepare(x);
		open = do_tiles(x);
		x->from = x->to;
	}
	s->walk.iter = x->row;
	for (int r = 0; r < s->np; r++)
		if (!s->past[r]) {
			s->front[r] = steps;
			s->walk.own[r].end = (int64_t)x->from[r];
		}
	return account(x, t);
}

int settle_by_tiles(struct state *s, int64_t stop, struct totals *t)
{
	const struct stencil_pattern *stencil = stencil_of(s->m->pattern);
	const size_t np = (size_t)s->np;
	struct settling x = { .s = s, .stencil = stencil, .tile = calloc(np / WIDTH + 1, 1), .stop = (double)stop,
			      .dead = malloc((s->count + 1) * sizeof *x.dead),
			      .message = (double)message_ticks(&s->m->costs, stencil->bytes[0]),
			      .work = (double)work_ticks(&s->m->work, 0, 0),
			      .checkpoint = (double)ticks_of(s->m->costs.checkpoint_s) };
	double *array = malloc(2 * np * sizeof *array);
	int rc = RB_ENOMEM;

	if (x.tile && x.dead && array) {
		for (int r = 0; r < s->np; r++)
			if (s->died[r] != NEVER)
				x.dead[x.deaths++] = r;
		rc = settle_rows(&x, array, t);
	}
	free(x.tile);
	free(x.dead);
	free(array);
	return rc;
}
