#include "tests/oracle/ref.h"
#include "tests/oracle/ref_rows.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* All that a simulation needs. */
struct run {
	struct ref x;
	const struct failure *list;
	size_t count;
	bool *over;     /* count: has happened */
	bool *dead;     /* np: died since the last repair */
	int64_t *front; /* np: iterations completed */
	/* np: the newest checkpoint when the others stop, and the line that follows */
	int64_t *saved, *line;
	int64_t *off; /* np: until when its time off has been counted */
	/* np: its first iteration behind a recovery for which it did not go back; NEVER */
	int64_t *capped;
	/* the last recovery is over when all roles that it stopped have completed so many */
	int64_t target;
	tick_sum state[STATES];
	struct result *r;
};

/* When this failure happens; NEVER: it already has, or that is not known yet. */
static int64_t fails_at(const struct run *s, size_t i)
{
	const struct failure *f = &s->list[i];
	const struct ref *x = &s->x;
	int64_t at;

	if (s->over[i])
		return NEVER;
	if (f->at >= 0)
		return f->at;
	at = ref_reaches(x, f);
	return at == NEVER || at >= LATER || (s->dead[f->role] && at > x->died[f->role]) ? NEVER
											 : at;
}

/* *which: the failure that does so first. */
static int64_t next_failure(const struct run *s, size_t *which)
{
	int64_t first = NEVER;

	for (size_t i = 0; i < s->count; i++) {
		const int64_t at = fails_at(s, i);

		if (at != NEVER && (first == NEVER || at < first)) {
			first = at;
			*which = i;
		}
	}
	return first;
}

/* Is the role known to be in an iteration that ends later, and its duplicate, too? */
static bool is_past(const struct ref *x, int role, int64_t tick)
{
	const int64_t newest = x->begun - 1;

	if (x->from[role] < x->m->steps)
		return newest >= x->from[role] && x->row[newest].own[role].end > tick;
	return !ref_has_copy(x, role, x->begun) ||
	       (ref_has_copy(x, role, newest) && x->row[newest].copy[role].end > tick);
}

static bool all_past(const struct ref *x, int64_t tick)
{
	for (int r = 0; r < x->np; r++)
		if (!is_past(x, r, tick))
			return false;
	return true;
}

/* What a role has computed of an iteration until then. */
static int64_t computed(const struct ref_part *p, int64_t limit)
{
	return computed_before(p->begin, p->start, p->end, p->work, limit);
}

/* Until when the role has lived in what is looked at. */
static int64_t limit_of(const struct run *s, int role, int64_t stop)
{
	return s->x.died[role] != NEVER ? s->x.died[role] : stop;
}

/* Enter what a role has completed by then. */
static void account_own(struct run *s, int role, int64_t limit)
{
	const struct ref *x = &s->x;
	int64_t i = x->from[role];

	for (; i < x->m->steps && i < x->begun && x->row[i].own[role].end <= limit; i++) {
		const struct ref_part *p = &x->row[i].own[role];

		s->state[STATE_COMPUTE] += p->start - p->begin + p->work;
		s->state[STATE_CAPPED] += i == s->capped[role] ? p->waited : 0;
		s->r->repeated += i < s->x.high[role];
	}
	s->front[role] = i;
	s->x.high[role] = i > s->x.high[role] ? i : s->x.high[role];
}

static void account_copy(struct run *s, int role, int64_t limit)
{
	const struct ref *x = &s->x;

	for (int64_t i = x->line[role]; i < x->begun && ref_has_copy(x, role, i); i++) {
		const struct ref_part *p = &x->row[i].copy[role];

		s->state[STATE_COMPUTE] += computed(p, limit + 1);
		s->r->supported += i < x->now.end[role].iter && p->end <= limit;
	}
}

/* The newest checkpoint that the role has taken. */
static int64_t saved_by(const struct run *s, int role, int64_t limit)
{
	const struct ref *x = &s->x;
	const int64_t front = s->front[role];
	int64_t newest = x->saved[role];

	for (int64_t i = x->from[role]; i <= front && i < x->m->steps; i++)
		if (model_due(x->m, role, i) && i > newest &&
		    (i < front || x->row[i].own[role].saved <= limit))
			newest = i;
	return newest;
}

/* Execute until it is known in which iteration each role is then. */
static int reach(struct run *s, int64_t tick, struct rb_error *err)
{
	while (s->x.begun < s->x.m->steps && !all_past(&s->x, tick))
		RB_TRY(ref_execute(&s->x, err));
	return RB_OK;
}

/* Which failures one repair is for: all until the others stop, at this tick. Others get nothing
 * from a dead role, so what they do until then is computed again; this can change when they reach
 * an iteration in which they die. */
static int collect(struct run *s, int64_t stop, struct rb_error *err)
{
	struct ref *x = &s->x;
	size_t which = 0;
	int64_t at;

	while ((at = next_failure(s, &which)) != NEVER && at <= stop) {
		const int role = s->list[which].role;

		s->over[which] = true;
		s->r->failures++;
		if (s->dead[role])
			continue;
		s->dead[role] = true;
		x->died[role] = at;
		ref_rewind(x);
		RB_TRY(reach(s, stop, err));
	}
	return RB_OK;
}

/* For the next one. */
static void bury(struct run *s)
{
	for (int r = 0; r < s->x.np; r++) {
		s->dead[r] = false;
		s->x.died[r] = NEVER;
	}
}

/* Has every role that was stopped done what the last repair gave it to do? */
static bool is_recovered(const struct run *s, int64_t stop)
{
	for (int r = 0; r < s->x.np && s->x.now.np; r++)
		if (s->x.now.stopped[r] &&
		    (s->front[r] < s->target || ref_resume(&s->x, r) > limit_of(s, r, stop)))
			return false;
	return true;
}

/* What was sent by then stays sent. The rest will be sent again. */
static void keep_sent(struct run *s, int64_t stop)
{
	struct ref *x = &s->x;
	int64_t first = x->begun;

	for (int r = 0; r < x->np; r++)
		first = smaller(first, x->line[r]);
	for (int64_t i = first; i < x->begun; i++)
		for (int r = 0; r < x->np; r++)
			for (size_t k = x->row[i].first[r]; k < x->row[i].first[r + 1]; k++) {
				struct ref_op *o = &x->row[i].op[k];

				if (o->own != NEVER && o->own <= limit_of(s, r, stop))
					o->first = o->first == NEVER ? o->own
								     : smaller(o->first, o->own);
				o->own = o->copy = NEVER;
			}
}

/* Where a role goes on, and when. */
static void set_off(struct run *s, const struct decision *d, int role, int64_t stop)
{
	struct ref *x = &s->x;
	const int64_t again = stop + 1 + ticks_of(x->m->costs.repair_s);
	const int64_t begins =
		s->front[role] < x->m->steps ? x->row[s->front[role]].own[role].begin : NEVER;

	if (!d->stopped[role]) {
		x->ready[role] = ref_begin(x, role, s->front[role]);
		x->under_way[role] = begins != NEVER && begins <= stop ? begins : NEVER;
		if (x->under_way[role] == NEVER ||
		    s->saved[role] < s->front[role]) /* else it is taken in this iteration */
			x->saved[role] = s->saved[role];
		return;
	}
	if (s->front[role] < x->m->steps && begins <= limit_of(s, role, stop)) {
		s->state[STATE_COMPUTE] +=
			computed(&x->row[s->front[role]].own[role], limit_of(s, role, stop) + 1);
		s->r->stopped += !d->back[role];
	}
	x->under_way[role] = NEVER;
	s->capped[role] = d->back[role] ? NEVER : s->front[role];
	x->stop[role] = again;
	x->ready[role] = again + (d->back[role] ? ticks_of(x->m->costs.restore_s) : 0);
	x->saved[role] = d->back[role] ? s->line[role] : s->saved[role];
	if (s->x.died[role] == NEVER)
		return;
	/* It may have died in a repair that was to replace it. */
	s->state[STATE_OFF] +=
		again - (s->off[role] > s->x.died[role] ? s->off[role] : s->x.died[role] + 1);
	s->off[role] = again;
}

/* The state in which failures find the roles. */
static void take_stock(struct run *s, int64_t stop)
{
	struct ref *x = &s->x;
	int64_t all = x->m->steps;

	for (int r = 0; r < x->np; r++) {
		account_own(s, r, limit_of(s, r, stop));
		account_copy(s, r, limit_of(s, r, stop));
		s->saved[r] = saved_by(s, r, limit_of(s, r, stop));
		all = smaller(all, s->saved[r]);
	}
	for (int r = 0; r < x->np; r++)
		s->line[r] = x->m->line == LINE_OWN ? s->saved[r] : all;
	keep_sent(s, stop);
}

/* What was sent to a role before it was stopped is lost, if its sender sends it again. */
static void lose_sent(struct ref *x, const struct decision *d)
{
	for (int64_t i = 0; i < x->loaded; i++)
		for (int r = 0; r < x->np; r++)
			for (size_t k = x->row[i].first[r]; k < x->row[i].first[r + 1]; k++) {
				struct ref_op *o = &x->row[i].op[k];

				if (o->kind == PATTERN_SEND && d->stopped[r] &&
				    d->stopped[o->peer] && i >= d->from[r])
					o->first = NEVER;
			}
}

static int repair(struct run *s, int64_t first, struct rb_error *err)
{
	struct ref *x = &s->x;
	const int64_t stop = first + ticks_of(x->m->costs.detect_s);
	struct situation found = { s->dead, s->line, s->front, false, x->now.copies };
	struct decision next;

	RB_TRY(collect(s, stop, err));
	take_stock(s, stop);
	found.stop_all = !is_recovered(s, stop);
	RB_TRY(decide(&next, x->m, &found, err));
	if (x->m->watch)
		x->m->watch(x->m->watched, &found, &next);
	lose_sent(x, &next);
	s->r->repairs++;
	s->r->overlaps += found.stop_all;
	s->target = 0;
	for (int r = 0; r < x->np; r++) {
		set_off(s, &next, r, stop);
		s->target = s->front[r] > s->target ? s->front[r] : s->target;
	}
	x->copies = stop + 1 + ticks_of(x->m->costs.repair_s) + ticks_of(x->m->costs.restore_s);
	x->begun = x->m->steps;
	for (int r = 0; r < x->np; r++) {
		x->line[r] = s->line[r];
		x->from[r] = next.from[r];
		x->begun = smaller(x->begun, next.end[r].iter >= 0 ? x->line[r] : x->from[r]);
	}
	x->base = x->begun;
	decision_free(&x->now);
	x->now = next;
	bury(s);
	return RB_OK;
}

static int play(struct run *s, struct rb_error *err)
{
	struct ref *x = &s->x;

	bury(s);
	for (;;) {
		size_t which;
		const int64_t at = next_failure(s, &which);
		const bool known = at != NEVER && all_past(x, at + ticks_of(x->m->costs.detect_s));
		bool ended = true;

		if (!known && x->begun < x->m->steps) {
			RB_TRY(ref_execute(x, err));
			continue;
		}
		for (int r = 0; r < x->np && x->begun == x->m->steps; r++)
			ended = ended && (at == NEVER || ref_begin(x, r, x->m->steps) <= at);
		if (x->begun == x->m->steps && ended)
			break;
		RB_TRY(repair(s, at, err));
	}
	for (int r = 0; r < x->np; r++) {
		account_own(s, r, TICKS_MAX);
		account_copy(s, r, TICKS_MAX);
		s->r->end[r] = ref_begin(x, r, x->m->steps);
	}
	return RB_OK;
}

static int run(struct run *s, struct rb_error *err)
{
	struct ref *x = &s->x;
	const size_t n = (size_t)x->np;
	int64_t *numbers = calloc(13 * n, sizeof *numbers);
	int rc = RB_ENOMEM;

	s->dead = calloc(n, sizeof *s->dead);
	s->over = calloc(s->count + 1, sizeof *s->over);
	x->row = calloc((size_t)x->m->steps, sizeof *x->row);
	if (numbers && s->dead && s->over && x->row) {
		x->from = numbers, x->ready = numbers + n, x->stop = numbers + 2 * n,
		x->saved = numbers + 3 * n;
		x->line = numbers + 4 * n, x->under_way = numbers + 5 * n;
		s->front = numbers + 6 * n, x->high = numbers + 7 * n, s->saved = numbers + 8 * n,
		s->line = numbers + 9 * n;
		s->off = numbers + 10 * n, s->capped = numbers + 11 * n, x->died = numbers + 12 * n;
		for (size_t r = 0; r < n; r++)
			x->under_way[r] = s->capped[r] = NEVER;
		rc = play(s, err);
	}
	ref_rows_free(x);
	decision_free(&x->now);
	free(numbers);
	free(s->dead);
	free(s->over);
	return rc;
}

int simulate_ref(const struct model *m, const struct failure *list, size_t count, struct result *r,
		 struct rb_error *err)
{
	struct run s = {
		.x = { .m = m, .np = m->pattern->np }, .list = list, .count = count, .r = r
	};
	int rc = result_init(r, m->pattern->np);

	if (rc == RB_OK)
		rc = run(&s, err);
	if (rc == RB_OK)
		result_close(r, m, s.state);
	else
		result_free(r);
	return rc == RB_ENOMEM ? rb_fail(err, rc, "out of memory for %d roles x %lld iterations",
					 m->pattern->np, (long long)m->steps)
			       : rc;
}
