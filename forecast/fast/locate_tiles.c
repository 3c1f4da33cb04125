#include "forecast/fast/locate_tiles.h"

#include "base/share.h"
#include "forecast/fast/tile_copies.h"
#include "forecast/fast/tile_stretch.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool locate_fits_tiles(const struct state *s)
{
	if (s->m->reach != REPAIR_ALL || !tiles_fit(s->m, &s->logs) || !model_repeats_alike(s->m))
		return false;
	for (size_t i = 0; i < s->count; i++) /* they would have to be looked for row by row */
		if (!s->over[i] && s->list[i].at < 0)
			return false;
	return true;
}

bool locate_fits_joining(const struct state *s)
{
	return locate_fits_tiles(s) && s->m->line != LINE_BARRIER &&
	       s->since.last_copy < s->m->steps;
}

/* When a role would have ended the iteration before the one in which it goes on behind a repair. */
static double joins_at(const struct state *s, int64_t role)
{
	return (double)s->since.ready[role] - tile_taken(s, role);
}

struct stretch_of_tiles {
	struct tile_rows *x;
	bool open; /* a role is not past */
};

/* Does no role of a tile go on in the stretch, and have none of them duplicates? */
static bool waits(const struct tile_rows *x, int64_t first, int64_t end)
{
	bool special = false;

	for (int64_t i = first; x->special && i < end; i += tile_sizes.part)
		special = special || x->special[i / tile_sizes.part] >= x->row;
	return x->join && !special && tile_joins(x, first, end).first >= x->row + x->rows;
}

static void do_tiles(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct stretch_of_tiles *all = arg;
	struct tile_rows *x = all->x;
	unsigned char *tile = &x->tile[first / tile_sizes.width];
	struct totals t = { .computed = 0 };

	if (*tile == TILE_GOES_ON && waits(x, first, end)) {
		memcpy(x->to + first, x->from + first, (size_t)(end - first) * sizeof *x->to);
		*tile = TILE_WAITS;
	} else if (*tile == TILE_GOES_ON || (*tile == TILE_WAITS && !waits(x, first, end))) {
		*tile = tile_do(x, first, (int)(end - first), &t) ? TILE_ENDED : TILE_GOES_ON;
	} else if (*tile == TILE_ENDED) {
		tile_fill(x->to, first, (int)(end - first));
		*tile = TILE_FILLED;
	}
	pthread_mutex_lock(lock);
	all->open = all->open || *tile == TILE_GOES_ON || *tile == TILE_WAITS;
	x->t->computed += t.computed;
	x->t->capped += t.capped;
	x->t->supported += t.supported;
	pthread_mutex_unlock(lock);
}

/* Iterations up to the next barrier. */
static void prepare(struct tile_rows *x, int64_t end)
{
	const struct model *m = x->s->m;

	x->barrier = m->line == LINE_BARRIER && model_due(m, 0, x->row);
	x->at = 0;
	for (int r = 0; r < x->s->np && x->barrier; r++)
		x->at = x->from[r] > x->at ? x->from[r] : x->at;
	x->rows = tiles_rows(m, x->row, smaller(end - x->row, tile_sizes.rows));
	for (int k = 0; k < x->rows; k++) {
		int64_t less;

		x->due[k] = model_due(m, 0, x->row + k);
		x->enter[k] = (double)tiles_before(m, &x->s->logs, x->row + k, &less);
		x->less[k] = (double)less;
	}
}

/* What the roles have completed. */
struct accounting {
	struct tile_rows *x;
	const int64_t *front; /* np; NULL: all rows */
	/* of the first rows: ticks of a role; how much less it is at the borders of the grid */
	const int64_t *sum, *less;
};

static void account_roles(void *arg, int64_t first_role, int64_t end_role, pthread_mutex_t *lock)
{
	const struct accounting *a = arg;
	const struct tile_rows *x = a->x;
	const struct state *s = x->s;
	const int64_t rows = x->row - x->begin, checkpoint = (int64_t)x->checkpoint;
	struct totals t = { .computed = 0 };
	int64_t computed = 0, from = -1;
	bool due = false;

	for (int64_t r = first_role; r < end_role; r++) {
		const int64_t first = x->join ? x->join[r] - x->begin : 0,
			      done = a->front ? a->front[r] - x->begin : rows;
		const int64_t again = smaller(s->high[r] - x->begin, done) - first;

		if (done <= first) /* past already */
			continue;
		computed += a->sum[done] - a->sum[first] -
			    (tile_is_border(x, r) ? a->less[done] - a->less[first] : 0);
		if (x->join && s->since.saved[r] >= x->join[r]) {
			due = from == x->join[r] ? due : model_due(s->m, (int)r, x->join[r]);
			from = x->join[r];
			computed -= due ? checkpoint : 0;
		}
		t.repeated += again > 0 ? again : 0;
		if (computed > INT64_MAX / 2) {
			t.computed += computed;
			computed = 0;
		}
	}
	pthread_mutex_lock(lock);
	x->t->computed += t.computed + computed;
	x->t->repeated += t.repeated;
	pthread_mutex_unlock(lock);
}

/* front: as above. */
static int account(struct tile_rows *x, const int64_t *front)
{
	const struct state *s = x->s;
	const int64_t rows = x->row - x->begin;
	int64_t *sum = calloc(2 * ((size_t)rows + 1), sizeof *sum), *less = sum + rows + 1;
	struct accounting a = { .x = x, .front = front, .sum = sum, .less = less };

	if (!sum)
		return RB_ENOMEM;
	for (int64_t i = 0; i < rows; i++) {
		int64_t here;

		sum[i + 1] = sum[i] + (int64_t)x->work +
			     tiles_before(s->m, &s->logs, x->begin + i, &here);
		less[i + 1] = less[i] + here;
	}
	share_out(s->failure_free.threads, s->np, SHARE_PIECE, account_roles, &a);
	free(sum);
	return RB_OK;
}

/* Rows before `end`, or up to where all roles are past. The last ends are in x->from. */
static void do_rows(struct tile_rows *x, double *array, int64_t end)
{
	struct stretch_of_tiles all = { x, true };
	double *copy;

	x->from = array;
	for (x->row = x->begin; all.open && x->row < end; x->row += x->rows) {
		x->to = x->from == array ? array + x->s->np : array;
		prepare(x, end);
		all.open = x->row + x->rows <= x->s->since.last_copy;
		share_out(x->s->failure_free.threads, x->s->np, tile_sizes.width, do_tiles, &all);
		x->from = x->to;
		copy = x->copy;
		x->copy = x->copy_to;
		x->copy_to = copy;
	}
}

static void end_roles(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	const struct tile_rows *x = arg;
	struct state *s = x->s;

	(void)lock;
	for (int64_t r = first; r < end; r++) {
		if (!s->past[r]) {
			s->front[r] = s->m->steps;
			s->walk.own[r].end = (int64_t)x->from[r];
		}
	}
}

/* Where roles have no iterations left, or are all past. */
static int locate_rows(struct tile_rows *x, double *array)
{
	struct state *s = x->s;

	do_rows(x, array, s->m->steps);
	s->walk.iter = x->row;
	share_out(s->failure_free.threads, s->np, SHARE_PIECE, end_roles, x);
	return account(x, s->front);
}

struct arrival {
	const double *from;
	double *to, least, most;
};

static void arrive(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct arrival *a = arg;
	double least = INFINITY, most = 0;

	memcpy(a->to + first, a->from + first, (size_t)(end - first) * sizeof *a->to);
	line_bounds(a->to + first, (int)(end - first), &least, &most);
	pthread_mutex_lock(lock);
	a->least = least < a->least ? least : a->least;
	a->most = most > a->most ? most : a->most;
	pthread_mutex_unlock(lock);
}

/* Until nothing is left of the repair. Roles that have no iterations left do not go on: they wait
 * to the end, where it is known when they, or their duplicates, have ended. */
static int advance_rows(struct tile_rows *x, double *array, struct point *to)
{
	const struct since *s = &x->s->since;
	const int64_t last = s->last > s->last_copy ? s->last : s->last_copy;
	struct arrival a = { .to = to->end, .least = INFINITY };

	do_rows(x, array, smaller(last + 1, x->s->m->steps));
	a.from = x->from;
	share_out(x->s->failure_free.threads, x->s->np, SHARE_PIECE, arrive, &a);
	to->row = x->row;
	to->least = (int64_t)a.least;
	to->most = (int64_t)a.most;
	return account(x, NULL);
}

struct beginning {
	struct tile_rows *x;
	double *array;
};

/* When the roles have ended the iteration before the first row. */
static void begin_roles(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	const struct beginning *b = arg;
	const struct state *s = b->x->s;

	(void)lock;
	if (!b->x->join && s->base.end)
		memcpy(b->array + first, s->base.end + first,
		       (size_t)(end - first) * sizeof *b->array);
	for (int64_t r = first; r < end && b->x->join; r++)
		b->array[r] = joins_at(s, r);
	for (int64_t r = first; r < end && !b->x->join && !s->base.end; r++)
		b->array[r] = s->past[r] ? INFINITY : (double)s->walk.own[r].end;
}

static void find_joins(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct tile_rows *x = arg;

	(void)lock;
	for (int64_t part = first; part < end; part++) {
		const int64_t role = part * tile_sizes.part;

		x->joins[part] =
			tile_joins_of(x->join + role, smaller(tile_sizes.part, x->s->np - role));
	}
}

static void begin_rows(struct tile_rows *x, double *array, bool joining)
{
	struct state *s = x->s;

	x->begin = s->base.end ? s->base.row : s->walk.iter;
	if (joining) {
		x->join = s->since.from;
		x->again = (double)s->since.stopped_until;
		x->begin = s->since.first;
		share_out(s->failure_free.threads,
			  ((int64_t)s->np + tile_sizes.part - 1) / tile_sizes.part,
			  SHARE_PIECE / PART_WIDTH, find_joins, x);
	}
	share_out(s->failure_free.threads, s->np, SHARE_PIECE, begin_roles,
		  &(struct beginning){ x, array });
	for (size_t i = 0; i < s->count; i++) {
		const int role = s->list[i].role;
		bool listed = s->died[role] == NEVER;

		for (int d = 0; d < x->deaths && !listed; d++)
			listed = x->dead[d] == role;
		if (listed)
			continue;
		x->dead[x->deaths++] = role;
		x->failure_free = (double)s->died[role] < x->failure_free ? (double)s->died[role]
									  : x->failure_free;
	}
}

static int with_tiles(struct state *s, bool joining, double stop, struct totals *t,
		      struct point *to, struct rb_error *err)
{
	const struct stencil_pattern *stencil = stencil_of(s->m->pattern);
	const size_t np = (size_t)s->np;
	struct tile_rows x = { .s = s,
			       .stencil = stencil,
			       .t = t,
			       .tile = calloc(np / (size_t)tile_sizes.width + 1, 1),
			       .stop = stop,
			       .joins =
				       malloc((np / (size_t)tile_sizes.part + 1) * sizeof *x.joins),
			       .dead = malloc((s->count + 1) * sizeof *x.dead),
			       .failure_free = stop,
			       .message = (double)message_ticks(&s->m->costs, stencil->bytes[0]),
			       .work = (double)work_ticks(&s->m->work, 0, 0),
			       .checkpoint = (double)ticks_of(s->m->costs.checkpoint_s) };
	int rc = RB_ENOMEM;

	if (!s->rows)
		s->rows = times_zero(2 * np);
	if (x.tile && x.joins && x.dead && s->rows)
		rc = joining ? tile_copies_init(&x, err) : RB_OK;
	if (rc == RB_OK) {
		begin_rows(&x, s->rows, joining);
		rc = to ? advance_rows(&x, s->rows, to) : locate_rows(&x, s->rows);
	}
	tile_copies_free(&x);
	free(x.tile);
	free(x.joins);
	free(x.dead);
	return rc;
}

int locate_by_tiles(struct state *s, bool joining, int64_t stop, struct totals *t,
		    struct rb_error *err)
{
	return with_tiles(s, joining, (double)stop, t, NULL, err);
}

int advance_by_tiles(struct state *s, struct totals *t, struct point *to, struct rb_error *err)
{
	return with_tiles(s, true, INFINITY, t, to, err);
}
