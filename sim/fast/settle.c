/* Where failures find the roles, and what follows. */
#include "sim/fast/state.h"

#include "sim/fast/near.h"

#include "base/status.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* How much of a piece of `length` ticks that begins at `begin` lies before `limit`. */
static int64_t part_before(int64_t begin, int64_t length, int64_t limit)
{
	return limit <= begin ? 0 : least(length, limit - begin);
}

/* What a role has computed of an iteration until then. */
static int64_t computed(const struct part *p, int64_t limit)
{
	return part_before(p->begin, p->start - p->begin, limit) + part_before(p->end - p->work, p->work, limit);
}

static void account_own(struct state *s, struct totals *t, int role, int64_t iter)
{
	const struct part *p = &s->walk.own[role];
	const struct since *x = &s->since;

	if (s->past[role] || x->from[role] > iter)
		return;
	if (p->end > s->until[role]) {
		s->past[role] = true;
		s->open--;
		s->at[role] = *p;
		return;
	}
	t->computed += p->start - p->begin + p->work;
	t->capped += iter == s->capped[role] ? p->waited : 0;
	t->repeated += iter < s->high[role];
	s->front[role] = iter + 1;
}

static void account_copy(struct state *s, struct totals *t, int role, int64_t iter)
{
	const struct part *p = &s->walk.copy[role];

	if (!since_has_copy(&s->since, role, iter))
		return;
	t->computed += computed(p, s->until[role] + 1);
	t->supported += iter < s->since.now.end[role].iter && p->end <= s->until[role];
}

void account_row(struct state *s, struct totals *t)
{
	for (int i = 0; i < s->walk.active; i++) {
		account_own(s, t, walk_role(&s->walk, i), s->walk.iter - 1);
		account_copy(s, t, walk_role(&s->walk, i), s->walk.iter - 1);
	}
}

/* Is there a role whose iteration at the time of the failure is not known yet? */
static bool is_open(const struct state *s)
{
	return s->walk.iter < s->m->steps && (s->walk.iter <= s->since.last_copy || s->open > 0);
}

int settle(struct state *s, int64_t stop, struct totals *t, struct early *early, struct rb_error *err)
{
	if (s->base.end)
		walk_restart_at(&s->walk, s->base.row, s->base.end);
	else
		RB_TRY(walk_restart(&s->walk));
	s->open = 0;
	for (int r = 0; r < s->np; r++) {
		s->past[r] = false;
		s->front[r] = s->base.end ? s->base.row : s->since.from[r];
		s->until[r] = s->died[r] != NEVER ? s->died[r] : stop;
		s->open += s->front[r] < s->m->steps;
	}
	while (is_open(s)) {
		RB_TRY(walk_row(&s->walk, err));
		account_row(s, t);
		note_strikes_of_walk(s);
		if (s->m->reach == REPAIR_AFFECTED)
			RB_TRY(early_enter(early, &s->walk, s->until));
	}
	return RB_OK;
}

/* Has every role that was stopped done what the last repair gave it to do? */
static bool is_recovered(const struct state *s)
{
	const struct decision *d = &s->since.now;

	if (s->base.end) /* all that the last repair has done was over */
		for (int r = 0; r < s->np && d->np; r++) {
			if (d->stopped[r] && s->front[r] < s->target)
				return false;
		}
	else
		for (int r = 0; r < s->np && d->np; r++)
			if (d->stopped[r] && (s->front[r] < s->target || walk_resume(&s->walk, r) > s->until[r]))
				return false;
	return true;
}

/* The newest checkpoint that the role has taken. */
static int64_t newest_saved(const struct state *s, int role)
{
	const struct model *m = s->m;
	const int64_t front = s->front[role], late = m->line == LINE_OWN ? role % m->schedule.interval : 0;
	const int64_t last = schedule_newest(m->schedule, front - 1 - late) + late;
	int64_t newest = s->since.saved[role];

	if (front > 0 && last >= s->since.from[role] && last > newest && model_due(m, role, last))
		newest = last;
	if (front < m->steps && front > newest && model_due(m, role, front) && s->past[role] &&
	    s->at[role].saved <= s->until[role])
		newest = front;
	return newest;
}

/* The state in which failures find the roles. */
static void take_stock(struct state *s)
{
	int64_t all = s->m->steps;

	for (int r = 0; r < s->np; r++) {
		s->saved[r] = newest_saved(s, r);
		s->high[r] = s->front[r] > s->high[r] ? s->front[r] : s->high[r];
		s->highest = s->high[r] > s->highest ? s->high[r] : s->highest;
		all = least(all, s->saved[r]);
	}
	for (int r = 0; r < s->np; r++)
		s->line[r] = s->m->line == LINE_OWN ? s->saved[r] : all;
}

static void go_on(struct state *s, int role, int64_t stop)
{
	struct since *x = &s->since;
	const bool left = s->front[role] < s->m->steps;

	x->ready[role] = left ? s->at[role].reached : walk_reached(&s->walk, role);
	x->under_way[role] = left && s->at[role].begin <= stop ? s->at[role].begin : NEVER;
	if (x->under_way[role] == NEVER || s->saved[role] < s->front[role]) /* else it is taken in this iteration */
		x->saved[role] = s->saved[role];
}

/* Where a role goes on, and when. */
static void set_off(struct state *s, const struct decision *d, int role, int64_t stop)
{
	struct since *x = &s->since;
	const int64_t again = stop + 1 + ticks_of(s->m->costs.repair_s);

	if (!d->stopped[role]) {
		go_on(s, role, stop);
		return;
	}
	if (s->front[role] < s->m->steps && s->at[role].begin <= s->until[role]) {
		s->sum[STATE_COMPUTE] += computed(&s->at[role], s->until[role] + 1);
		s->r->stopped += !d->back[role];
	}
	x->under_way[role] = NEVER;
	s->capped[role] = d->back[role] ? NEVER : s->front[role];
	x->stop[role] = again;
	x->ready[role] = again + (d->back[role] ? ticks_of(s->m->costs.restore_s) : 0);
	x->saved[role] = d->back[role] ? s->line[role] : s->saved[role];
	if (s->died[role] == NEVER)
		return;
	/* It may have died in a repair that was to replace it. */
	s->sum[STATE_OFF] += again - (s->off[role] > s->died[role] ? s->off[role] : s->died[role] + 1);
	s->off[role] = again;
}

/* The decision holds from now on. */
static void adopt(struct state *s, struct decision *next)
{
	struct since *x = &s->since;

	decision_free(&x->now);
	x->now = *next;
	x->first = s->m->steps;
	x->last = x->last_copy = NEVER;
	x->stopped_until = 0;
	for (int r = 0; r < s->np; r++) {
		int64_t copy;

		x->line[r] = s->line[r];
		x->from[r] = next->from[r];
		copy = since_last_of_copy(x, r);
		x->first = least(x->first, next->end[r].iter >= 0 ? x->line[r] : x->from[r]);
		x->last = x->from[r] > x->last ? x->from[r] : x->last;
		x->last_copy = copy > x->last_copy ? copy : x->last_copy;
		x->stopped_until = x->stop[r] > x->stopped_until ? x->stop[r] : x->stopped_until;
	}
}

int recover(struct state *s, int64_t stop, struct early *early, struct rb_error *err)
{
	struct since *x = &s->since;
	struct decision next;
	int64_t first = s->m->steps;
	bool recovered;

	take_stock(s);
	recovered = is_recovered(s);
	RB_TRY(decide_near(&next, s->m, &(struct situation){ s->dead, s->line, s->front, !recovered }, err));
	s->r->repairs++;
	s->r->overlaps += !recovered;
	s->target = 0;
	for (int r = 0; r < s->np; r++) {
		set_off(s, &next, r, stop);
		s->target = s->front[r] > s->target ? s->front[r] : s->target;
		first = least(first, s->front[r]);
	}
	x->copies = stop + 1 + ticks_of(s->m->costs.repair_s) + ticks_of(s->m->costs.restore_s);
	adopt(s, &next);
	RB_TRY(early_append(early, &x->early));
	x->early = *early;
	*early = (struct early){ .row = NULL };
	early_drop(&x->early, first);
	return early_forget_lost(&x->early, &x->now, &s->programs, err);
}
