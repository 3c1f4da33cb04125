#include "forecast/simgrid/world.h"

#include "base/status.h"

#include <stdlib.h>

struct process *process_new(struct world *w, int role, bool duplicate, bool loads, int64_t from)
{
	struct process *p = calloc(1, sizeof *p);

	if (!p)
		world_fail(w, RB_ENOMEM, "out of memory");
	*p = (struct process){ .w = w,
			       .role = role,
			       .duplicate = duplicate,
			       .loads = loads,
			       .iter = from,
			       .waits = NEVER,
			       .busy = NEVER,
			       .wake = sg_sem_init(0),
			       .older = w->newest };
	w->newest = p;
	return p;
}

void process_free(struct process *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->in[i]);
	free(p->in);
	free(p->program.step);
	if (p->logs)
		expected_log_free(&p->log);
	sg_sem_destroy(p->wake);
	free(p);
}

int64_t last_of_duplicate(const struct world *w, int role)
{
	const struct place end = w->now.np ? w->now.end[role] : (struct place){ -1, 0 };
	/* If it ends before the first operation of an iteration, it does not begin this
	 * iteration. */
	const int64_t last = end.number > 0 ? end.iter : end.iter - 1;

	return end.iter >= 0 && last >= w->line[role] ? last : NEVER;
}

static void compute(struct process *p, int64_t ticks)
{
	if (ticks == 0)
		return;
	p->busy = world_now(p->w);
	sg_actor_execute((double)ticks);
	world_round_up(p->w);
	p->w->state[STATE_COMPUTE] += world_now(p->w) - p->busy;
	p->busy = NEVER;
}

/* Has this role still to come to the barrier before iteration iter? */
static bool is_to_come(const struct role *r, int64_t iter)
{
	return r->gate != iter && r->own->iter <= iter && r->saved < iter &&
	       !(r->own->iter == iter && r->own->begun);
}

static void pass_barrier(struct process *p)
{
	struct world *w = p->w;
	bool last = true;

	w->role[p->role].gate = p->iter;
	for (int r = 0; r < w->np; r++)
		last = last && !is_to_come(&w->role[r], p->iter);
	if (!last) {
		sg_sem_acquire(p->wake);
		return;
	}
	for (int r = 0; r < w->np; r++)
		if (w->role[r].gate == p->iter) {
			w->role[r].gate = NEVER;
			w->role[r].own->begun = true;
			if (r != p->role && w->role[r].own->actor) /* it may have died here */
				sg_sem_release(w->role[r].own->wake);
		}
}

static void begin_own(struct process *p)
{
	const struct model *m = p->w->m;
	struct role *role = &p->w->role[p->role];

	if (model_due(m, p->role, p->iter) && role->saved < p->iter) {
		if (m->line == LINE_BARRIER)
			pass_barrier(p);
		p->begun = true;
		if (ticks_of(m->costs.checkpoint_s) > 0)
			failures_announce(p, AT_CHECKPOINT);
		compute(p, ticks_of(m->costs.checkpoint_s));
		role->saved = p->iter;
	}
	p->begun = true;
	failures_announce(p, AT_START);
	if (m->costs.log_bytes_per_s > 0)
		compute(p, ticks_of((double)program_logged(p, p->iter) / m->costs.log_bytes_per_s));
	failures_announce(p, AT_SEND);
}

/* A role that dies before it has completed the iteration does so when a tick of its work is
 * left. */
static void work(struct process *p)
{
	int64_t ticks = model_work(p->w->m, p->role, p->iter,
				   p->duplicate || p->iter < p->w->role[p->role].high);

	if (failures_any(p, AT_COMMIT)) {
		if (ticks == 0)
			world_fail(p->w, RB_EINVAL,
				   "engine simgrid has the point `commit` only if the iteration "
				   "has work");
		compute(p, ticks - 1);
		failures_announce(p, AT_COMMIT);
		ticks = 1;
	}
	compute(p, ticks);
}

/* Sends and waits. false: the duplicate ends here. */
static bool communicate(struct process *p)
{
	const struct decision *d = &p->w->now;

	for (p->done = 0; p->done < p->program.count; p->done++) {
		const struct step *s = &p->program.step[p->done];

		if (p->duplicate && s->kind != PATTERN_RECEIVE && !s->reduction &&
		    !place_before((struct place){ p->iter, s->place }, d->end[p->role]))
			return false;
		if (s->reduction && p->iter < d->known)
			continue;
		if (s->kind == PATTERN_SEND)
			messages_send(p, s);
		else if (s->kind == PATTERN_WAIT)
			messages_wait(p);
	}
	return !p->duplicate || p->iter < d->end[p->role].iter;
}

static void complete(struct process *p)
{
	struct world *w = p->w;
	struct role *role = &w->role[p->role];

	if (p->duplicate) {
		w->r->supported++;
	} else {
		w->r->repeated += p->iter < role->high;
		role->front = p->iter + 1;
		role->high = role->front > role->high ? role->front : role->high;
		w->state[STATE_CAPPED] += p->capped ? p->waited : 0;
		p->capped = false;
	}
	p->begun = false;
	p->iter++;
	messages_forget(p);
}

/* false: the duplicate has ended. */
static bool iterate(struct process *p)
{
	p->done = p->posted = 0;
	p->waited = 0;
	if (!p->duplicate)
		begin_own(p);
	program_load(p->w, &p->program, p->role, p->iter);
	if (!communicate(p))
		return false;
	work(p);
	complete(p);
	if (world_now(p->w) > TICK_LIMIT)
		world_fail(
			p->w, RB_EINVAL,
			"the run is longer than 2^52 ticks, which engine simgrid cannot represent");
	return true;
}

static void play_duplicate(void *process)
{
	struct process *p = process;
	const int64_t last = last_of_duplicate(p->w, p->role);

	world_sleep(ticks_of(p->w->m->costs.restore_s));
	while (p->iter <= last && iterate(p))
		continue;
	p->actor = NULL;
	process_start(p->w->role[p->role].own);
}

static void play_own(void *process)
{
	struct process *p = process;
	struct role *role = &p->w->role[p->role];

	if (p->loads)
		world_sleep(ticks_of(p->w->m->costs.restore_s));
	role->resumed = true;
	while (p->iter < p->w->m->steps)
		iterate(p);
	role->over = true;
	role->end = world_now(p->w);
	p->actor = NULL;
	if (--p->w->running == 0)
		sg_sem_release(p->w->news);
}

void process_start(struct process *p)
{
	world_start(&p->actor, "role", p->w->role[p->role].host,
		    p->duplicate ? play_duplicate : play_own, p, STACK_PROCESS);
}

/* What it has begun in this tick is counted to its end. SimGrid must not wake it any more: an ended
 * actor stays in the queue of its semaphore. */
void process_halt(struct process *p)
{
	if (!p->actor)
		return;
	if (p->busy != NEVER)
		p->w->state[STATE_COMPUTE] += (world_half_ticks(p->w) + 1) / 2 - p->busy;
	p->busy = NEVER;
	if (p->capped)
		p->w->capped_half +=
			2 * p->waited +
			(p->waits != NEVER ? world_half_ticks(p->w) - 2 * p->waits : 0);
	energy_cap(p, false);
	p->waiting = false;
	sg_actor_kill(p->actor);
	p->actor = NULL;
}
