/* Where failures find the roles, and what follows. */
#include "forecast/fast/state.h"

#include "forecast/time/near.h"
#include "base/share.h"
#include "forecast/fast/locate_tiles.h"

#include "base/status.h"

#include <string.h>

/* What a role has computed of an iteration until then. */
static int64_t computed(const struct part *p, int64_t limit)
{
	return computed_before(p->begin, p->start, p->end, p->work, limit);
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

/* What is done for many roles: part of it, by one thread. */
struct over_roles {
	struct state *s;
	int64_t stop;
	const struct decision *next;
	int64_t open, all; /* sums and minima of all parts */
	int64_t target, first;
};

static void begin_roles(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct over_roles *o = arg;
	struct state *s = o->s;
	int64_t open = 0;

	memset(s->past + first, 0, (size_t)(end - first) * sizeof *s->past);
	for (int64_t r = first; r < end; r++) {
		s->front[r] = s->base.end ? s->base.row : s->since.from[r];
		s->until[r] = s->died[r] != NEVER ? s->died[r] : o->stop;
		open += s->front[r] < s->m->steps;
	}
	pthread_mutex_lock(lock);
	o->open += open;
	pthread_mutex_unlock(lock);
}

int locate(struct state *s, int64_t stop, struct totals *t, struct sent_before *before,
	   struct rb_error *err)
{
	const bool tiles = locate_fits_tiles(s), joining = !s->base.end && locate_fits_joining(s);
	struct over_roles o = { .s = s, .stop = stop };

	if (s->base.end && !tiles)
		walk_restart_at(&s->walk, s->base.row, s->base.end);
	else if (!s->base.end && !joining)
		RB_TRY(walk_restart(&s->walk));
	share_out(s->failure_free.threads, s->np, SHARE_PIECE, begin_roles, &o);
	s->open = (int)o.open;
	if (joining || (tiles && s->base.end))
		return locate_by_tiles(s, joining, stop, t, err);
	while (is_open(s)) {
		if (tiles && s->walk.plain)
			return locate_by_tiles(s, false, stop, t, err);
		RB_TRY(walk_row(&s->walk, err));
		account_row(s, t);
		note_failures_of_walk(s);
		if (s->m->reach == REPAIR_AFFECTED)
			RB_TRY(sent_before_enter(before, &s->walk, s->until));
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
			if (d->stopped[r] &&
			    (s->front[r] < s->target || walk_resume(&s->walk, r) > s->until[r]))
				return false;
	return true;
}

/* Checkpoints up to a front, of a role that takes them `late` iterations later than the schedule
 * says. */
struct due {
	int64_t front, late;
	int64_t last;    /* the newest one before the front */
	bool real, here; /* it is not the initial state; one is due at the front */
};

static struct due due_before(const struct model *m, int64_t front, int64_t late)
{
	const int64_t last = schedule_newest(m->schedule, front - 1 - late);

	return (struct due){ front, late, last + late, schedule_due(m->schedule, last),
			     schedule_due(m->schedule, front - late) };
}

/* The newest checkpoint that the role has taken. */
static int64_t newest_saved(const struct state *s, int role, const struct due *d)
{
	const int64_t front = s->front[role];
	int64_t newest = s->since.saved[role];

	if (front > 0 && d->real && d->last >= s->since.from[role] && d->last > newest)
		newest = d->last;
	if (d->here && front < s->m->steps && front > newest && s->past[role] &&
	    s->at[role].saved <= s->until[role])
		newest = front;
	return newest;
}

static void take_stock_of(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct over_roles *o = arg;
	struct state *s = o->s;
	struct due d = { .front = -1 };
	int64_t all = s->m->steps, highest = 0;

	for (int64_t r = first; r < end; r++) {
		const int64_t late = s->m->line == LINE_OWN ? r % s->m->schedule.interval : 0;

		if (s->front[r] != d.front || late != d.late)
			d = due_before(s->m, s->front[r], late);
		s->saved[r] = newest_saved(s, (int)r, &d);
		s->high[r] = s->front[r] > s->high[r] ? s->front[r] : s->high[r];
		highest = s->high[r] > highest ? s->high[r] : highest;
		all = smaller(all, s->saved[r]);
	}
	pthread_mutex_lock(lock);
	s->highest = highest > s->highest ? highest : s->highest;
	o->all = smaller(o->all, all);
	pthread_mutex_unlock(lock);
}

static void draw_line(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct over_roles *o = arg;
	struct state *s = o->s;

	(void)lock;
	for (int64_t r = first; r < end; r++)
		s->line[r] = s->m->line == LINE_OWN ? s->saved[r] : o->all;
}

/* The state in which failures find the roles. */
static void take_stock(struct state *s)
{
	struct over_roles o = { .s = s, .all = s->m->steps };

	share_out(s->failure_free.threads, s->np, SHARE_PIECE, take_stock_of, &o);
	share_out(s->failure_free.threads, s->np, SHARE_PIECE, draw_line, &o);
}

static void go_on(struct state *s, int role, int64_t stop)
{
	struct since *x = &s->since;
	const bool left = s->front[role] < s->m->steps;

	x->ready[role] = left ? s->at[role].reached : walk_reached(&s->walk, role);
	x->under_way[role] = left && s->at[role].begin <= stop ? s->at[role].begin : NEVER;
	if (x->under_way[role] == NEVER ||
	    s->saved[role] < s->front[role]) /* else it is taken in this iteration */
		x->saved[role] = s->saved[role];
}

/* What roles have done until a repair stops them. */
struct ended {
	tick_sum compute, off;
	int64_t stopped;
};

/* Where a role goes on, and when. */
static void set_off(struct state *s, const struct decision *d, int role, int64_t stop,
		    struct ended *e)
{
	struct since *x = &s->since;
	const int64_t again = stop + 1 + ticks_of(s->m->costs.repair_s);

	if (!d->stopped[role]) {
		go_on(s, role, stop);
		return;
	}
	if (s->front[role] < s->m->steps && s->at[role].begin <= s->until[role]) {
		e->compute += computed(&s->at[role], s->until[role] + 1);
		e->stopped += !d->back[role];
	}
	x->under_way[role] = NEVER;
	s->capped[role] = d->back[role] ? NEVER : s->front[role];
	x->stop[role] = again;
	x->ready[role] = again + (d->back[role] ? ticks_of(s->m->costs.restore_s) : 0);
	x->saved[role] = d->back[role] ? s->line[role] : s->saved[role];
	if (s->died[role] == NEVER)
		return;
	/* It may have died in a repair that was to replace it. */
	e->off += again - (s->off[role] > s->died[role] ? s->off[role] : s->died[role] + 1);
	s->off[role] = again;
}

/* What is known of all roles behind the repair. */
static void gather(struct state *s, const struct over_roles *part, const struct since *x,
		   const struct ended *e)
{
	struct since *all = &s->since;

	all->first = smaller(all->first, x->first);
	all->last = x->last > all->last ? x->last : all->last;
	all->last_copy = x->last_copy > all->last_copy ? x->last_copy : all->last_copy;
	all->stopped_until =
		x->stopped_until > all->stopped_until ? x->stopped_until : all->stopped_until;
	s->target = part->target > s->target ? part->target : s->target;
	s->sum[STATE_COMPUTE] += e->compute;
	s->sum[STATE_OFF] += e->off;
	s->r->stopped += e->stopped;
}

static void set_off_part(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock)
{
	struct over_roles *o = arg, part = { .first = o->s->m->steps };
	struct state *s = o->s;
	struct since *all = &s->since,
		     x = { .first = s->m->steps, .last = NEVER, .last_copy = NEVER };
	struct ended e = { .compute = 0 };

	for (int64_t r = first; r < end; r++) {
		const bool copied = o->next->end[r].iter >= 0;

		set_off(s, o->next, (int)r, o->stop, &e);
		part.target = s->front[r] > part.target ? s->front[r] : part.target;
		part.first = smaller(part.first, s->front[r]);
		all->line[r] = s->line[r];
		all->from[r] = o->next->from[r];
		x.first = smaller(x.first, copied ? all->line[r] : all->from[r]);
		x.last = all->from[r] > x.last ? all->from[r] : x.last;
		x.stopped_until = all->stop[r] > x.stopped_until ? all->stop[r] : x.stopped_until;
		if (copied) {
			const int64_t copy = decision_last_of_copy(o->next, (int)r, s->line[r]);

			x.last_copy = copy > x.last_copy ? copy : x.last_copy;
		}
	}
	pthread_mutex_lock(lock);
	gather(s, &part, &x, &e);
	o->first = smaller(o->first, part.first);
	pthread_mutex_unlock(lock);
}

int recover(struct state *s, int64_t stop, struct sent_before *before, struct rb_error *err)
{
	struct since *x = &s->since;
	struct situation found = { s->dead, s->line, s->front, false, x->now.copies };
	struct decision next;
	struct over_roles o = { .s = s, .stop = stop, .next = &next, .first = s->m->steps };

	take_stock(s);
	found.stop_all = !is_recovered(s);
	RB_TRY(decide_near(&next, s->m, &found, s->failure_free.threads, err));
	if (s->m->watch)
		s->m->watch(s->m->watched, &found, &next);
	s->r->repairs++;
	s->r->overlaps += found.stop_all;
	s->target = 0;
	x->first = s->m->steps;
	x->last = x->last_copy = NEVER;
	x->stopped_until = 0;
	x->again_until = model_repeats_alike(s->m) ? 0 : s->highest;
	x->copies = stop + 1 + ticks_of(s->m->costs.repair_s) + ticks_of(s->m->costs.restore_s);
	share_out(s->failure_free.threads, s->np, SHARE_PIECE, set_off_part, &o);
	decision_free(&x->now);
	x->now = next;
	RB_TRY(sent_before_append(before, &x->before));
	x->before = *before;
	*before = (struct sent_before){ .row = NULL };
	sent_before_drop(&x->before, o.first);
	return sent_before_forget_lost(&x->before, &x->now, &s->programs, err);
}
