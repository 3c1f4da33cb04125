#include "forecast/fast/advance.h"

#include "forecast/fast/locate_tiles.h"
#include "base/share.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* How many iterations a role has completed when it is known where the failure happens, if nothing
 * of another is left. */
static int64_t known_at(const struct state *s, size_t i)
{
	return s->fails_in[i] + (s->list[i].at == AT_COMMIT);
}

/* Can a failure by iteration still happen before the next repair, at a tick that is not known where
 * all roles have completed `row` iterations? */
static bool is_awaited(const struct state *s, size_t i, int64_t row)
{
	return !s->over[i] && s->list[i].at < 0 && s->fails_at[i] == NEVER &&
	       known_at(s, i) >= row && s->fails_in[i] < s->m->steps &&
	       s->since.from[s->list[i].role] <= s->fails_in[i];
}

/* When the first failure happens of which that is known; NEVER: none. */
int64_t next_failure(const struct state *s)
{
	int64_t first = NEVER;

	for (size_t i = 0; i < s->count; i++)
		if (!s->over[i] && s->fails_at[i] != NEVER &&
		    (first == NEVER || s->fails_at[i] < first))
			first = s->fails_at[i];
	return first;
}

/* No failure happens earlier, as far as is known at a point. */
static int64_t earliest(const struct state *s, const struct point *p)
{
	const int64_t next = next_failure(s);
	int64_t first = next == NEVER ? INT64_MAX : next;

	for (size_t i = 0; i < s->count; i++)
		if (is_awaited(s, i, p->row))
			first = smaller(first, (int64_t)p->end[s->list[i].role] -
						       (s->list[i].at == AT_COMMIT));
	return first;
}

/* When a role is at this point of an iteration; LATER: not before the next repair. */
static int64_t reaches(const struct part *p, int64_t point)
{
	if (point == AT_COMMIT)
		return p->end < LATER ? p->end - 1 : LATER;
	if (point == AT_CHECKPOINT)
		return p->saved > p->begin ? p->begin : LATER;
	return point == AT_SEND ? p->start : p->saved;
}

void note_failures_of_walk(struct state *s)
{
	const int64_t iter = s->walk.iter - 1;

	for (size_t i = 0; i < s->count; i++)
		if (s->fails_in[i] == iter && is_awaited(s, i, iter)) {
			const int role = s->list[i].role;
			const int64_t at = reaches(&s->walk.own[role], s->list[i].at);

			if (at < LATER && (s->died[role] == NEVER || at <= s->died[role]))
				s->fails_at[i] = at;
		}
}

/* When this failure happens, which can be known where all have come so far. */
static int failure_at_point(struct state *s, size_t i, struct rb_error *err)
{
	const struct failure *f = &s->list[i];
	struct part p = { .end = (int64_t)s->now.end[f->role] };

	if (f->at != AT_COMMIT)
		RB_TRY(failure_free_begin(&s->failure_free, &s->now, f->role, &p, err));
	p.begin = reaches(&p, f->at);
	s->fails_at[i] = p.begin < LATER ? p.begin : NEVER;
	return RB_OK;
}

/* *rows: iterations from here to where the next failure that is awaited is known. */
static int note_failures(struct state *s, int64_t *rows, struct rb_error *err)
{
	int64_t next = s->m->steps;

	for (size_t i = 0; i < s->count; i++) {
		if (!is_awaited(s, i, s->now.row))
			continue;
		if (known_at(s, i) == s->now.row)
			RB_TRY(failure_at_point(s, i, err));
		else
			next = smaller(next, known_at(s, i));
	}
	*rows = next - s->now.row;
	return RB_OK;
}

static bool any_awaited(const struct state *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (is_awaited(s, i, s->now.row))
			return true;
	return false;
}

static double *array(struct state *s)
{
	for (int i = 0; i < POINTS; i++) {
		double *end = s->spare[i];

		if (!end)
			continue;
		s->spare[i] = NULL;
		return end;
	}
	return times_alloc((size_t)s->np);
}

void advance_give_back(struct state *s, double *end)
{
	for (int i = 0; end && i < POINTS; i++)
		if (!s->spare[i]) {
			s->spare[i] = end;
			return;
		}
}

/* The walk from the last repair has come to where nothing is left of it. */
static int reach_point(struct state *s)
{
	s->now.end = array(s);
	if (!s->now.end)
		return RB_ENOMEM;
	s->now.row = s->walk.iter;
	s->now.least = s->walk.least;
	s->now.most = s->walk.most;
	for (int r = 0; r < s->np; r++)
		s->now.end[r] = (double)s->walk.own[r].end;
	s->started = true;
	return RB_OK;
}

static int advance_joining(struct state *s, struct totals *t, struct rb_error *err)
{
	s->now = (struct point){ .end = array(s) };
	s->started = true;
	return s->now.end ? advance_by_tiles(s, t, &s->now, err) : RB_ENOMEM;
}

static void begin_roles(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct state *s = arg;

	(void)lock;
	memset(s->past + first, 0, (size_t)(end - first) * sizeof *s->past);
	for (int64_t r = first; r < end; r++)
		s->until[r] = INT64_MAX - 1;
}

/* Walk from the last repair until nothing is left of it, or all roles are past the next failure, or
 * to the end. */
int advance_behind_repair(struct state *s, struct totals *t, bool *known, struct rb_error *err)
{
	share_out(s->failure_free.threads, s->np, SHARE_PIECE, begin_roles, s);
	*known = false;
	if (locate_fits_joining(s))
		return advance_joining(s, t, err);
	RB_TRY(walk_restart(&s->walk));
	while (s->walk.iter < s->m->steps && !*known && !s->walk.plain) {
		int64_t at;

		RB_TRY(walk_row(&s->walk, err));
		account_row(s, t);
		note_failures_of_walk(s);
		at = next_failure(s);
		*known = at != NEVER && s->walk.iter > s->since.last_copy &&
			 s->walk.least > at + ticks_of(s->m->costs.detect_s) &&
			 s->walk.iter > s->since.last;
	}
	return s->walk.plain && !*known ? reach_point(s) : RB_OK;
}

/* Iterations of a point to the next that were executed before. */
static int64_t repeated(const struct state *s, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (int r = 0; r < s->np && from < s->highest; r++)
		sum += s->high[r] <= from ? 0 : smaller(s->high[r], to) - from;
	return sum;
}

/* An array that was that of a point. Points may have the same one. */
static void drop(struct state *s, const struct advance *x, double *end)
{
	if (end != s->base.end && end != s->now.end && end != x->candidate.end)
		advance_give_back(s, end);
}

/* What is behind the candidate is not needed any more. */
static void move_base(struct state *s, struct advance *x)
{
	double *old = s->base.end;

	s->base = x->candidate;
	s->until_base = x->candidate_t;
	x->candidate.end = NULL;
	drop(s, x, old);
}

/* Failures happen later than at the base, and, if it is known, than at the candidate. */
static void consider(struct state *s, struct advance *x)
{
	const int64_t bound = s->count > 0 ? earliest(s, &s->now) : INT64_MAX;

	if (bound == INT64_MAX) /* none can happen any more */
		return;
	if (x->candidate.end && x->candidate.most <= bound)
		move_base(s, x);
	if (x->candidate.end)
		return;
	x->candidate = s->now;
	x->candidate_t = x->t;
	if (x->candidate.most <= bound)
		move_base(s, x);
}

static int step(struct state *s, struct advance *x, int64_t rows, bool *too_far,
		struct rb_error *err)
{
	const int64_t at = next_failure(s);
	struct point next = { .end = array(s) };
	double *old = s->now.end;
	int rc = RB_ENOMEM;

	if (next.end)
		rc = failure_free_advance(&s->failure_free, &s->now, &next, rows, err);
	*too_far = rc == RB_OK &&
		   (next.most > TICKS_MAX || (at != NEVER && next.most > at && !any_awaited(s)));
	if (rc != RB_OK || *too_far) {
		advance_give_back(s, next.end);
		return rc;
	}
	x->t.repeated += repeated(s, s->now.row, next.row);
	x->t.computed += next.computed - s->now.computed;
	s->now = next;
	drop(s, x, old);
	return RB_OK;
}

/* Go on from point to point until all roles are past the next failure, or to the end. */
int advance_points(struct state *s, struct advance *x, struct rb_error *err)
{
	int64_t limit = s->m->steps;

	for (;;) {
		int64_t next, rows, at;
		bool too_far;

		consider(s, x);
		RB_TRY(note_failures(s, &next, err));
		at = next_failure(s);
		if (s->now.row == s->m->steps ||
		    (at != NEVER && s->now.least > at + ticks_of(s->m->costs.detect_s)))
			return RB_OK;
		rows = smaller(limit, smaller(next, s->m->steps - s->now.row));
		rows = failure_free_rows(&s->failure_free, &s->now, rows,
					 any_awaited(s) ? NEVER : at);
		RB_TRY(step(s, x, rows, &too_far, err));
		if (!too_far)
			continue;
		if (rows == 1)
			return RB_OK;
		limit = rows / 4 > 0 ? rows / 4 : 1;
	}
}
