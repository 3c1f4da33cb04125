#include "sim/fast/fast.h"

#include "sim/fast/state.h"

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
static int64_t next_strike(const struct state *s)
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
	const int64_t next = next_strike(s);
	int64_t first = next == NEVER ? INT64_MAX : next;

	for (size_t i = 0; i < s->count; i++)
		if (is_awaited(s, i, p->row))
			first = least(first, (int64_t)p->end[s->list[i].role]);
	return first;
}

static void note_strikes_of_walk(struct state *s)
{
	const int64_t iter = s->walk.iter - 1;

	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].iter == iter && is_awaited(s, i, iter))
			s->strike[i] = s->walk.own[s->list[i].role].saved;
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

static void give_back(struct state *s, double *end)
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
static int leave_repair(struct state *s, struct totals *t, bool *known, struct rb_error *err)
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
		at = next_strike(s);
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
	give_back(s, s->base.end);
	s->base = *to;
	s->until_base = *t;
	to->end = NULL;
}

struct scouting {
	struct point candidate; /* a base, as soon as it is known that nothing strikes before it; end NULL: none */
	struct totals candidate_t, t;
	int64_t rows;
};

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
	const int64_t at = next_strike(s);
	struct point next = { .end = array(s) };
	int rc = RB_ENOMEM;

	if (next.end)
		rc = quiet_advance(&s->quiet, &s->now, &next, rows, err);
	*too_far = rc == RB_OK && (next.most > TICKS_MAX || (at != NEVER && next.most > at && !any_awaited(s)));
	if (rc != RB_OK || *too_far) {
		give_back(s, next.end);
		return rc;
	}
	x->t.repeated += repeated(s, s->now.row, next.row);
	x->t.computed += next.computed - s->now.computed;
	give_back(s, s->now.end);
	s->now = next;
	return RB_OK;
}

/* Go on from point to point until all roles are past the next failure, or to the end. */
static int scout(struct state *s, struct scouting *x, struct rb_error *err)
{
	x->rows = QUIET_ROWS;
	for (;;) {
		int64_t next, at;
		bool too_far;

		RB_TRY(consider(s, x));
		next = note_strikes(s);
		at = next_strike(s);
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

static void add(struct state *s, const struct totals *t)
{
	s->sum[STATE_COMPUTE] += t->computed;
	s->sum[STATE_CAPPED] += t->capped;
	s->r->repeated += t->repeated;
	s->r->supported += t->supported;
}

/* Which failures one repair is for: all until the others stop. */
static void collect(struct state *s, int64_t stop, bool strike)
{
	for (int r = 0; r < s->np; r++) {
		s->died[r] = NEVER;
		s->dead[r] = false;
	}
	for (size_t i = 0; i < s->count; i++) {
		const int64_t at = s->strike[i];
		const int role = s->list[i].role;

		if (s->over[i] || at == NEVER || at > stop)
			continue;
		s->over[i] = strike;
		s->r->failures += strike;
		s->died[role] = s->dead[role] ? least(s->died[role], at) : at;
		s->dead[role] = true;
	}
}

/* Is the run over before anything strikes? */
static bool has_ended(const struct state *s, int64_t at)
{
	if (s->walk.iter < s->m->steps)
		return false;
	for (int r = 0; r < s->np; r++)
		if (walk_reached(&s->walk, r) > at)
			return false;
	return true;
}

static int strike(struct state *s, int64_t at, bool *ended, struct rb_error *err)
{
	const int64_t stop = at + ticks_of(s->m->costs.detect_s);
	struct totals t = { .computed = 0 };
	struct early early = { .row = NULL };
	int rc;

	collect(s, stop, false);
	rc = settle(s, stop, &t, &early, err);
	if (rc == RB_OK) {
		add(s, &s->until_base);
		add(s, &t);
		*ended = has_ended(s, at);
		if (!*ended) {
			collect(s, stop, true);
			rc = recover(s, stop, &early, err);
		}
	}
	early_free(&early);
	return rc;
}

static void end_at_point(struct state *s, const struct totals *t)
{
	add(s, t);
	for (int r = 0; r < s->np; r++)
		s->r->end[r] = (int64_t)s->now.end[r];
}

static void end_of_walk(struct state *s)
{
	for (int r = 0; r < s->np; r++)
		s->r->end[r] = walk_reached(&s->walk, r);
}

/* What follows the last repair, up to the next one or the end. */
static int play_part(struct state *s, bool *ended, struct rb_error *err)
{
	struct scouting x = { .rows = QUIET_ROWS };
	bool known = false;
	int64_t at;
	int rc = RB_OK;

	for (size_t i = 0; i < s->count; i++)
		s->strike[i] = s->list[i].at >= 0 ? s->list[i].at : NEVER;
	if (!s->started)
		rc = leave_repair(s, &x.t, &known, err);
	if (rc == RB_OK && s->started)
		rc = scout(s, &x, err);
	give_back(s, x.candidate.end);
	RB_TRY(rc);
	at = next_strike(s);
	*ended = false;
	if (s->started && s->now.row == s->m->steps && (at == NEVER || s->now.most <= at)) {
		*ended = true;
		end_at_point(s, &x.t);
	} else if (at == NEVER && !s->started) {
		*ended = true;
		add(s, &x.t);
		end_of_walk(s);
	} else if (at == NEVER) {
		rc = rb_fail(err, RB_EINVAL, "the run lasts longer than %g s, the last time that a double has exactly",
			     seconds_of(TICKS_MAX));
	} else {
		rc = strike(s, at, ended, err);
		if (rc == RB_OK && *ended)
			end_of_walk(s);
	}
	give_back(s, s->base.end);
	give_back(s, s->now.end);
	s->base.end = s->now.end = NULL;
	s->until_base = (struct totals){ .computed = 0 };
	s->started = false;
	return rc;
}

/* What is needed only if there are failures. */
static int init_failures(struct state *s)
{
	const size_t n = (size_t)s->np;
	struct since *x = &s->since;
	int64_t *numbers = calloc(13 * n, sizeof *numbers);

	x->from = numbers; /* the beginning of it all */
	if (!numbers)
		return RB_ENOMEM;
	x->ready = numbers + n, x->stop = numbers + 2 * n, x->saved = numbers + 3 * n, x->line = numbers + 4 * n;
	x->under_way = numbers + 5 * n;
	s->died = numbers + 6 * n, s->until = numbers + 7 * n, s->front = numbers + 8 * n, s->high = numbers + 9 * n;
	s->saved = numbers + 10 * n, s->line = numbers + 11 * n, s->off = numbers + 12 * n;
	for (size_t r = 0; r < n; r++)
		x->under_way[r] = NEVER;
	s->dead = calloc(n, sizeof *s->dead);
	s->past = calloc(n, sizeof *s->past);
	s->at = calloc(n, sizeof *s->at);
	s->over = calloc(s->count, sizeof *s->over);
	s->strike = malloc(s->count * sizeof *s->strike);
	if (!s->dead || !s->past || !s->at || !s->over || !s->strike)
		return RB_ENOMEM;
	s->walks = true;
	return walk_init(&s->walk, s->m, x, &s->programs, &s->logs);
}

static int start(struct state *s)
{
	s->since.last_copy = NEVER;
	RB_TRY(programs_init(&s->programs, s->m));
	RB_TRY(log_costs_init(&s->logs, s->m));
	s->quiet = (struct quiet){ .m = s->m, .programs = &s->programs, .logs = &s->logs, .threads = s->quiet.threads };
	if (s->count > 0)
		RB_TRY(init_failures(s));
	s->now.end = calloc((size_t)s->np, sizeof *s->now.end);
	s->base.end = s->count > 0 ? calloc((size_t)s->np, sizeof *s->base.end) : NULL;
	s->started = true;
	return s->now.end && (s->base.end || s->count == 0) ? RB_OK : RB_ENOMEM;
}

static void finish(struct state *s)
{
	if (s->walks)
		walk_free(&s->walk);
	early_free(&s->since.early);
	decision_free(&s->since.now);
	quiet_free(&s->quiet);
	log_costs_free(&s->logs);
	programs_free(&s->programs);
	for (int i = 0; i < POINTS; i++)
		free(s->spare[i]);
	free(s->base.end);
	free(s->now.end);
	free(s->since.from);
	free(s->dead);
	free(s->past);
	free(s->at);
	free(s->over);
	free(s->strike);
}

int simulate_fast(const struct model *m, int threads, const struct failure *list, size_t count, struct result *r,
		  struct rb_error *err)
{
	struct state s = { .m = m, .np = m->pattern->np, .list = list, .count = count, .r = r };
	bool ended = false;
	int rc = result_init(r, m->pattern->np);

	s.quiet.threads = threads;
	if (rc == RB_OK)
		rc = start(&s);
	while (rc == RB_OK && !ended)
		rc = play_part(&s, &ended, err);
	finish(&s);
	if (rc == RB_OK)
		result_close(r, m, s.sum);
	else
		result_free(r);
	return rc == RB_ENOMEM ? rb_fail(err, rc, "out of memory for %d roles", m->pattern->np) : rc;
}
