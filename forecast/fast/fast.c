#include "forecast/fast/fast.h"

#include "forecast/fast/advance.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static void add(struct state *s, const struct totals *t)
{
	s->sum[STATE_COMPUTE] += t->computed;
	s->sum[STATE_CAPPED] += t->capped;
	s->r->repeated += t->repeated;
	s->r->supported += t->supported;
}

/* Is the run over before anything happens, where the walk has come to its end? */
static bool has_ended(const struct state *s, int64_t at)
{
	for (int r = 0; r < s->np; r++)
		if (walk_reached(&s->walk, r) > at)
			return false;
	return true;
}

/* The first failure that happens by then; count: none. */
static size_t first_failure(const struct state *s, int64_t stop)
{
	size_t first = s->count;

	for (size_t i = 0; i < s->count; i++)
		if (!s->over[i] && s->fails_at[i] != NEVER && s->fails_at[i] <= stop &&
		    (first == s->count || s->fails_at[i] < s->fails_at[first]))
			first = i;
	return first;
}

/* Do failures happen where roles are in an iteration? They may do so later when another role has
 * died. */
static bool any_by_iteration(const struct state *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->over[i] && s->list[i].at < 0)
			return true;
	return false;
}

/* Which failures one repair is for: all until the others stop. Others get nothing from a dead role,
 * so what they do until then is looked at again after each death, if this can change when the next
 * one happens. */
static int collect(struct state *s, int64_t stop, struct totals *t, struct sent_before *before,
		   struct rb_error *err)
{
	bool located = false;
	size_t i;

	while ((i = first_failure(s, stop)) < s->count) {
		const int role = s->list[i].role;

		s->over[i] = true;
		s->r->failures++;
		if (s->dead[role])
			continue;
		s->dead[role] = true;
		s->died[role] = s->fails_at[i];
		located = any_by_iteration(s);
		if (!located)
			continue;
		for (size_t k = 0; k < s->count; k++)
			s->fails_at[k] = s->list[k].at >= 0 ? s->list[k].at : NEVER;
		sent_before_free(before);
		*t = (struct totals){ .computed = 0 };
		RB_TRY(locate(s, stop, t, before, err));
	}
	if (located)
		return RB_OK;
	sent_before_free(before);
	*t = (struct totals){ .computed = 0 };
	return locate(s, stop, t, before, err);
}

static int fail(struct state *s, int64_t at, struct rb_error *err)
{
	const int64_t stop = at + ticks_of(s->m->costs.detect_s);
	struct totals t = { .computed = 0 };
	struct sent_before before = { .row = NULL };
	int rc = collect(s, stop, &t, &before, err);

	if (rc == RB_OK) {
		add(s, &s->until_base);
		add(s, &t);
		rc = recover(s, stop, &before, err);
	}
	sent_before_free(&before);
	for (size_t i = 0; i < s->count; i++) {
		s->dead[s->list[i].role] = false;
		s->died[s->list[i].role] = NEVER;
	}
	return rc;
}

/* Ticks take the place of times, in the same memory: it is not the first use of other pages. Those
 * below 2^52 are in the low bits of their sum with 2^52, which vectors can do. */
static void times_to_ticks(double *list, int count, int64_t most)
{
	const int64_t exponent = INT64_C(0x433) << 52;

	for (int r = 0; r < count && most < INT64_C(1) << 52; r++) {
		const double sum = list[r] + 0x1p52;
		int64_t ticks;

		memcpy(&ticks, &sum, sizeof ticks);
		ticks -= exponent;
		memcpy(&list[r], &ticks, sizeof ticks);
	}
	for (int r = 0; r < count && most >= INT64_C(1) << 52; r++) {
		const int64_t ticks = (int64_t)list[r];

		memcpy(&list[r], &ticks, sizeof ticks);
	}
}

static void end_at_point(struct state *s, const struct totals *t)
{
	add(s, t);
	times_to_ticks(s->now.end, s->np, s->now.most);
	free(s->r->end);
	s->r->end = (int64_t *)(void *)s->now.end;
	if (s->base.end == s->now.end)
		s->base.end = NULL;
	s->now.end = NULL;
}

static void end_of_walk(struct state *s)
{
	for (int r = 0; r < s->np; r++)
		s->r->end[r] = walk_reached(&s->walk, r);
}

/* What follows the last repair, up to the next one or the end. */
static int play_part(struct state *s, bool *ended, struct rb_error *err)
{
	struct advance x = { .candidate.end = NULL };
	bool known = false;
	int64_t at;
	int rc = RB_OK;

	for (size_t i = 0; i < s->count; i++)
		s->fails_at[i] = s->list[i].at >= 0 ? s->list[i].at : NEVER;
	if (!s->started)
		rc = advance_behind_repair(s, &x.t, &known, err);
	if (rc == RB_OK && s->started)
		rc = advance_points(s, &x, err);
	if (x.candidate.end != s->base.end && x.candidate.end != s->now.end)
		advance_give_back(s, x.candidate.end);
	RB_TRY(rc);
	at = next_failure(s);
	*ended = false;
	if (s->started && s->now.row == s->m->steps && (at == NEVER || s->now.most <= at)) {
		*ended = true;
		end_at_point(s, &x.t);
	} else if (!s->started && !known && (at == NEVER || has_ended(s, at))) {
		*ended = true;
		add(s, &x.t);
		end_of_walk(s);
	} else if (at == NEVER) {
		rc = rb_fail(
			err, RB_EINVAL,
			"the run lasts longer than %g s, the last time that a double has exactly",
			seconds_of(TICKS_MAX));
	} else {
		rc = fail(s, at, err);
	}
	if (s->base.end != s->now.end)
		advance_give_back(s, s->base.end);
	advance_give_back(s, s->now.end);
	s->base.end = s->now.end = NULL;
	s->until_base = (struct totals){ .computed = 0 };
	s->started = false;
	return rc;
}

/* The iteration in which a failure may happen that does not do so by the clock. */
static int64_t fails_in(const struct model *m, const struct failure *f)
{
	int64_t iter = f->iter;

	while (f->at == AT_CHECKPOINT && iter < m->steps && !model_due(m, f->role, iter))
		iter++;
	return iter;
}

/* What is needed only if there are failures. */
static int init_failures(struct state *s)
{
	const size_t n = (size_t)s->np;
	struct since *x = &s->since;
	int64_t *numbers = calloc(14 * n, sizeof *numbers);

	x->from = numbers; /* the beginning of it all */
	if (!numbers)
		return RB_ENOMEM;
	x->ready = numbers + n, x->stop = numbers + 2 * n, x->saved = numbers + 3 * n,
	x->line = numbers + 4 * n;
	x->under_way = numbers + 5 * n;
	s->died = numbers + 6 * n, s->until = numbers + 7 * n, s->front = numbers + 8 * n,
	s->high = numbers + 9 * n;
	s->saved = numbers + 10 * n, s->line = numbers + 11 * n, s->off = numbers + 12 * n;
	s->capped = numbers + 13 * n;
	x->high = s->high;
	for (size_t r = 0; r < n; r++)
		x->under_way[r] = s->died[r] = s->capped[r] = NEVER;
	s->dead = calloc(n, sizeof *s->dead);
	s->past = calloc(n, sizeof *s->past);
	s->at = calloc(n, sizeof *s->at);
	s->over = calloc(s->count, sizeof *s->over);
	s->fails_at = malloc(2 * s->count * sizeof *s->fails_at);
	if (!s->dead || !s->past || !s->at || !s->over || !s->fails_at)
		return RB_ENOMEM;
	s->fails_in = s->fails_at + s->count;
	for (size_t i = 0; i < s->count; i++)
		s->fails_in[i] = fails_in(s->m, &s->list[i]);
	s->walks = true;
	return walk_init(&s->walk, s->m, x, s->died, &s->programs, &s->logs);
}

static int start(struct state *s)
{
	s->since.last_copy = NEVER;
	RB_TRY(programs_init(&s->programs, s->m));
	RB_TRY(log_costs_init(&s->logs, s->m));
	s->failure_free = (struct failure_free){ .m = s->m,
						 .programs = &s->programs,
						 .logs = &s->logs,
						 .threads = s->failure_free.threads };
	if (s->count > 0)
		RB_TRY(init_failures(s));
	s->now.end = times_zero((size_t)s->np);
	s->base.end = s->count > 0 ? times_zero((size_t)s->np) : NULL;
	s->started = true;
	return s->now.end && (s->base.end || s->count == 0) ? RB_OK : RB_ENOMEM;
}

static void finish(struct state *s)
{
	if (s->walks)
		walk_free(&s->walk);
	sent_before_free(&s->since.before);
	decision_free(&s->since.now);
	failure_free_free(&s->failure_free);
	log_costs_free(&s->logs);
	programs_free(&s->programs);
	for (int i = 0; i < POINTS; i++)
		free(s->spare[i]);
	free(s->rows);
	if (s->base.end != s->now.end)
		free(s->base.end);
	free(s->now.end);
	free(s->since.from);
	free(s->dead);
	free(s->past);
	free(s->at);
	free(s->over);
	free(s->fails_at);
}

int simulate_fast(const struct model *m, int threads, const struct failure *list, size_t count,
		  struct result *r, struct rb_error *err)
{
	struct state s = { .m = m, .np = m->pattern->np, .list = list, .count = count, .r = r };
	bool ended = false;
	int rc = result_init(r, m->pattern->np);

	s.failure_free.threads = threads;
	if (rc == RB_OK)
		rc = start(&s);
	while (rc == RB_OK && !ended)
		rc = play_part(&s, &ended, err);
	finish(&s);
	if (rc == RB_OK)
		result_close(r, m, s.sum);
	else
		result_free(r);
	return rc == RB_ENOMEM ? rb_fail(err, rc, "out of memory for %d roles", m->pattern->np)
			       : rc;
}
