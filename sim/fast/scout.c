#include "sim/fast/scout.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Can a failure by iteration still strike before the next repair, at a tick that is not known yet? */
static bool is_awaited(const struct state *s, size_t i, int64_t iter)
{
	const struct failure *f = &s->list[i];

	return !s->over[i] && f->at < 0 && s->strike[i] == NEVER && f->iter >= iter && f->iter < s->m->steps &&
	       s->since.from[f->role] <= f->iter;
}

/* When the first failure strikes of which that is known; NEVER: none. */
int64_t scout_next_strike(const struct state *s)
{
	int64_t first = NEVER;

	for (size_t i = 0; i < s->count; i++)
		if (!s->over[i] && s->strike[i] != NEVER && (first == NEVER || s->strike[i] < first))
			first = s->strike[i];
	return first;
}

/* No failure strikes earlier, as far as is known at a point. */
static int64_t earliest(const struct state *s, const struct point *p)
{
	const int64_t next = scout_next_strike(s);
	int64_t first = next == NEVER ? INT64_MAX : next;

	for (size_t i = 0; i < s->count; i++)
		if (is_awaited(s, i, p->row))
			first = least(first, (int64_t)p->end[s->list[i].role]);
	return first;
}

void note_strikes_of_walk(struct state *s)
{
	const int64_t iter = s->walk.iter - 1;

	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].iter == iter && is_awaited(s, i, iter)) {
			const int role = s->list[i].role;
			const int64_t at = s->walk.own[role].saved;

			if (at < LATER && (s->died[role] == NEVER || at <= s->died[role]))
				s->strike[i] = at;
		}
}

/* Iterations from here to the next one in which a failure is awaited. */
static int64_t note_strikes(struct state *s)
{
	int64_t next = s->m->steps;

	for (size_t i = 0; i < s->count; i++) {
		if (!is_awaited(s, i, s->now.row))
			continue;
		if (s->list[i].iter == s->now.row)
			s->strike[i] = quiet_saved(s->m, &s->now, s->list[i].role);
		else
			next = least(next, s->list[i].iter);
	}
	return next - s->now.row;
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
	return malloc((size_t)s->np * sizeof(double));
}

void scout_give_back(struct state *s, double *end)
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

/* Walk from the last repair until nothing is left of it, or all roles are past the next failure, or to the end. */
int scout_repair(struct state *s, struct totals *t, bool *known, struct rb_error *err)
{
	RB_TRY(walk_restart(&s->walk));
	for (int r = 0; r < s->np; r++) {
		s->past[r] = false;
		s->until[r] = INT64_MAX - 1;
	}
	*known = false;
	while (s->walk.iter < s->m->steps && !*known && !s->walk.plain) {
		int64_t at;

		RB_TRY(walk_row(&s->walk, err));
		account_row(s, t);
		note_strikes_of_walk(s);
		at = scout_next_strike(s);
		*known = at != NEVER && s->walk.iter > s->since.last_copy && s->walk.least > at + ticks_of(s->m->costs.detect_s) &&
			 s->walk.iter > s->since.last;
	}
	return s->walk.plain && !*known ? reach_point(s) : RB_OK;
}

/* Iterations of a point to the next that were executed before. */
static int64_t repeated(const struct state *s, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (int r = 0; r < s->np && from < s->highest; r++)
		sum += s->high[r] <= from ? 0 : least(s->high[r], to) - from;
	return sum;
}

/* What is behind the candidate is not needed any more. */
static void move_base(struct state *s, struct point *to, const struct totals *t)
{
	scout_give_back(s, s->base.end);
	s->base = *to;
	s->until_base = *t;
	to->end = NULL;
}

static int copy_point(struct state *s, struct point *to)
{
	double *end = array(s);

	if (!end)
		return RB_ENOMEM;
	*to = s->now;
	to->end = end;
	memcpy(end, s->now.end, (size_t)s->np * sizeof *end);
	return RB_OK;
}

/* Failures strike later than at the base, and, if it is known, than at the candidate. */
static int consider(struct state *s, struct scouting *x)
{
	const int64_t bound = s->count > 0 ? earliest(s, &s->now) : INT64_MAX;

	if (bound == INT64_MAX) /* none can strike any more */
		return RB_OK;
	if (x->candidate.end && x->candidate.most <= bound)
		move_base(s, &x->candidate, &x->candidate_t);
	if (x->candidate.end)
		return RB_OK;
	RB_TRY(copy_point(s, &x->candidate));
	x->candidate_t = x->t;
	if (x->candidate.most <= bound)
		move_base(s, &x->candidate, &x->candidate_t);
	return RB_OK;
}

static int step(struct state *s, struct scouting *x, int64_t rows, bool *too_far, struct rb_error *err)
{
	const int64_t at = scout_next_strike(s);
	struct point next = { .end = array(s) };
	int rc = RB_ENOMEM;

	if (next.end)
		rc = quiet_advance(&s->quiet, &s->now, &next, rows, err);
	*too_far = rc == RB_OK && (next.most > TICKS_MAX || (at != NEVER && next.most > at && !any_awaited(s)));
	if (rc != RB_OK || *too_far) {
		scout_give_back(s, next.end);
		return rc;
	}
	x->t.repeated += repeated(s, s->now.row, next.row);
	x->t.computed += next.computed - s->now.computed;
	scout_give_back(s, s->now.end);
	s->now = next;
	return RB_OK;
}

/* Go on from point to point until all roles are past the next failure, or to the end. */
int scout_points(struct state *s, struct scouting *x, struct rb_error *err)
{
	x->rows = QUIET_ROWS;
	for (;;) {
		int64_t next, at;
		bool too_far;

		RB_TRY(consider(s, x));
		next = note_strikes(s);
		at = scout_next_strike(s);
		if (s->now.row == s->m->steps || (at != NEVER && s->now.least > at + ticks_of(s->m->costs.detect_s)))
			return RB_OK;
		RB_TRY(step(s, x, least(x->rows, least(next, s->m->steps - s->now.row)), &too_far, err));
		if (!too_far)
			continue;
		if (x->rows == 1)
			return RB_OK;
		x->rows = x->rows / 4 > 0 ? x->rows / 4 : 1;
	}
}
