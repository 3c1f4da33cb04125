#include "forecast/simgrid/world.h"

#include "base/status.h"

/* The iteration in which a failure may happen that does not do so by the clock. */
static int64_t iteration_of(const struct world *w, const struct failure *f)
{
	int64_t iter = f->iter;

	while (f->at == AT_CHECKPOINT && iter < w->m->steps && !model_due(w->m, f->role, iter))
		iter++;
	return iter;
}

bool failures_any(const struct process *p, int64_t point)
{
	const struct world *w = p->w;

	for (size_t i = 0; i < w->count && !p->duplicate; i++)
		if (w->list[i].at == point && !w->happened[i] && w->list[i].role == p->role &&
		    iteration_of(w, &w->list[i]) == p->iter)
			return true;
	return false;
}

void failures_announce(struct process *p, int64_t point)
{
	struct world *w = p->w;

	for (size_t i = 0; i < w->count; i++)
		if (w->list[i].at == point && !w->happened[i] && w->list[i].role == p->role &&
		    iteration_of(w, &w->list[i]) == p->iter) {
			w->due[i] = world_now(w);
			sg_sem_release(w->news);
		}
}

static void fail(struct world *w, size_t i)
{
	struct role *role = &w->role[w->list[i].role];

	w->happened[i] = true;
	w->r->failures++;
	if (w->stop == NEVER)
		w->stop = w->due[i] + ticks_of(w->m->costs.detect_s);
	if (role->died != NEVER)
		return;
	role->died = w->due[i];
	energy_switch(w, w->list[i].role, true);
	process_halt(role->own);
	if (role->copy)
		process_halt(role->copy);
}

/* The newest checkpoint that all roles have, or each its own. */
static void find_line(struct world *w)
{
	int64_t all = w->m->steps;

	for (int r = 0; r < w->np; r++)
		all = w->role[r].saved < all ? w->role[r].saved : all;
	for (int r = 0; r < w->np; r++)
		w->line[r] = w->m->line == LINE_OWN ? w->role[r].saved : all;
}

static bool is_recovered(const struct world *w)
{
	for (int r = 0; r < w->np && w->now.np; r++)
		if (w->now.stopped[r] && (!w->role[r].resumed || w->role[r].front < w->target))
			return false;
	return true;
}

static void take_decision(struct world *w)
{
	const bool recovered = is_recovered(w);
	struct situation s = { w->dead, w->line, w->front, !recovered, w->now.copies };
	struct decision next;
	int rc;

	find_line(w);
	w->target = 0;
	for (int r = 0; r < w->np; r++) {
		w->dead[r] = w->role[r].died != NEVER;
		w->front[r] = w->role[r].front;
		w->target = w->front[r] > w->target ? w->front[r] : w->target;
	}
	w->r->repairs++;
	w->r->overlaps += !recovered;
	rc = decide(&next, w->m, &s, w->err);
	if (rc != RB_OK)
		world_fail(w, rc, w->err->text);
	decision_free(&w->now);
	w->now = next;
}

/* What the role was doing is over. */
static void take_down(struct world *w, int r)
{
	struct role *role = &w->role[r];
	const bool back = w->now.back[r];

	w->r->stopped += !back && role->own->actor && role->own->begun;
	process_halt(role->own);
	if (role->copy)
		process_halt(role->copy);
	role->copy = NULL;
	role->gate = NEVER;
	role->resumed = false;
	w->running += role->over;
	role->over = false;
	if (back) {
		role->saved = w->line[r];
		role->front = w->line[r];
	}
	if (role->died != NEVER) {
		/* It may have died in a repair that was to replace it. */
		w->state[STATE_OFF] +=
			w->again - (role->off > role->died ? role->off : role->died + 1);
		role->off = w->again;
		energy_replace(w, r);
		role->died = NEVER;
	}
}

static void set_up(struct world *w, int r)
{
	struct role *role = &w->role[r];

	role->own = process_new(w, r, false, w->now.back[r], w->now.from[r]);
	role->own->capped = !w->now.back[r];
	if (last_of_duplicate(w, r) != NEVER)
		role->copy = process_new(w, r, true, true, w->line[r]);
}

static void repair(struct world *w)
{
	w->again = w->stop + 1 + ticks_of(w->m->costs.repair_s);
	w->stop = NEVER;
	take_decision(w);
	for (int r = 0; r < w->np; r++)
		if (w->now.stopped[r]) {
			take_down(w, r);
			set_up(w, r);
		}
	messages_replay(w);
}

/* The repair is over. Who has died since then waits for the next one. */
static void go_on(struct world *w)
{
	w->again = NEVER;
	for (int r = 0; r < w->np; r++) {
		struct role *role = &w->role[r];

		if (role->own->open || role->died != NEVER)
			continue;
		role->own->open = true;
		if (role->copy)
			role->copy->open = true;
		process_start(role->copy ? role->copy : role->own);
	}
	for (struct process *p = w->newest; p; p = p->older)
		if (p->open)
			messages_release(p);
}

/* When the next event is, in half ticks; *which: a failure, or count. NEVER: none is known. */
static int64_t next_event(const struct world *w, size_t *which)
{
	int64_t next = NEVER;

	*which = w->count;
	for (size_t i = 0; i < w->count; i++)
		if (!w->happened[i] && w->due[i] != NEVER &&
		    (next == NEVER || 2 * w->due[i] + 1 < next)) {
			next = 2 * w->due[i] + 1;
			*which = i;
		}
	if (w->stop != NEVER && (next == NEVER || 2 * w->stop + 1 < next)) {
		next = 2 * w->stop + 1;
		*which = w->count;
	}
	if (w->again != NEVER && (next == NEVER || 2 * w->again < next)) {
		next = 2 * w->again;
		*which = w->count;
	}
	return next;
}

static void handle(struct world *w, int64_t at, size_t which)
{
	if (which < w->count)
		fail(w, which);
	else if (w->again != NEVER && at == 2 * w->again)
		go_on(w);
	else
		repair(w);
}

void failures_control(void *world)
{
	struct world *w = world;

	while (w->running > 0 || w->stop != NEVER) {
		size_t which;
		const int64_t next = next_event(w, &which), now = world_half_ticks(w);
		/* If nothing happens until the last tick, nothing will. */
		const int64_t until = next != NEVER ? next : 2 * TICK_LIMIT;

		if (next == now)
			handle(w, next, which);
		else if (sg_sem_acquire_timeout(w->news, seconds_of(until - now) / 2) &&
			 next == NEVER)
			world_fail(w, RB_EINVAL,
				   "the roles wait for each other, or the run is longer than "
				   "2^52 ticks");
	}
	w->ended = true;
	sg_actor_kill_all();
}
