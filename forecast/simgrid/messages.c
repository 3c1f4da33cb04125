#include "forecast/simgrid/world.h"

#include "base/grow.h"
#include "base/status.h"

#include <simgrid/host.h>
#include <stdlib.h>

static struct message *find(const struct process *p, int from, int64_t iter, int tag, int nth)
{
	for (size_t i = 0; i < p->count; i++) {
		struct message *m = p->in[i];

		if (m->from == from && m->iter == iter && m->tag == tag && m->nth == nth)
			return m;
	}
	return NULL;
}

static void arrive(struct message *m)
{
	struct process *p = m->to;

	m->there = true;
	if (p->waiting) {
		p->waiting = false;
		sg_sem_release(p->wake);
	}
}

/* An actor for each message, so that it does not depend on what becomes of its sender. */
static void carry(void *message)
{
	struct message *m = message;
	struct world *w = m->to->w;
	sg_host_t from = w->role[m->from].host, to = w->role[m->to->role].host;
	/* On a network, only the bytes occupy links. */
	const int64_t latency = w->m->platform.network.kind == NETWORK_UNSHARED
					? 0
					: ticks_of(w->m->costs.latency_s);

	if (from == to) {
		world_sleep(m->ticks);
	} else {
		world_sleep(latency);
		/* Without bytes, only SimGrid's own latency is left. */
		sg_host_sendto(from, to, (double)(m->ticks - latency));
		world_round_up(w);
	}
	arrive(m);
}

static void launch(struct message *m)
{
	sg_actor_t carrier;

	if (m->ticks == 0)
		arrive(m);
	else
		world_start(&carrier, "message", m->to->w->role[m->from].host, carry, m,
			    STACK_MESSAGE);
}

/* Send a message to a process, if it has not got it yet and can need it. */
static void post(struct process *to, int from, int64_t iter, const struct step *s)
{
	struct message **list, *m;

	if (!to || iter < to->iter ||
	    (to->duplicate && iter > last_of_duplicate(to->w, to->role)) ||
	    find(to, from, iter, s->tag, s->nth))
		return;
	list = grow(to->in, to->count + 1, &to->room, sizeof *list);
	to->in = list ? list : to->in;
	m = list ? malloc(sizeof *m) : NULL;
	if (!m)
		world_fail(to->w, RB_ENOMEM, "out of memory");
	*m = (struct message){ to, from, s->tag, s->nth, iter, s->ticks, !to->open, false };
	to->in[to->count++] = m;
	if (to->open)
		launch(m);
}

static enum source source_of(const struct world *w, int from, const struct process *to,
			     int64_t iter, int32_t place)
{
	return decision_source(&w->now, from, to->role, to->duplicate, iter, place);
}

void messages_send(struct process *p, const struct step *s)
{
	const struct world *w = p->w;
	struct process *to[] = { w->role[s->peer].own, w->role[s->peer].copy };

	for (int i = 0; i < 2; i++)
		if (to[i] && (!p->duplicate ||
			      source_of(w, p->role, to[i], p->iter, s->place) == SOURCE_DUPLICATE))
			post(to[i], p->role, p->iter, s);
}

/* Does anybody send what a process receives? With dataflow:flat it may be that nobody does, and a
 * role may have a copy. */
static bool is_sent(struct process *p, const struct step *receive)
{
	struct world *w = p->w;
	struct program peer = { .step = NULL };
	bool sent = true;

	if (receive->reduction && p->iter < w->now.known)
		return false;
	if (!w->now.np || !(w->now.flat || w->now.copies) || p->iter >= w->now.from[receive->peer])
		return true;
	program_load(w, &peer, receive->peer, p->iter);
	for (size_t i = 0; i < peer.count; i++) {
		const struct step *s = &peer.step[i];

		if (s->kind == PATTERN_SEND && s->peer == p->role && s->tag == receive->tag &&
		    s->nth == receive->nth)
			sent = source_of(w, receive->peer, p, p->iter, s->place) != SOURCE_NONE;
	}
	free(peer.step);
	return sent;
}

static bool all_there(struct process *p)
{
	for (; p->posted < p->done; p->posted++) {
		const struct step *s = &p->program.step[p->posted];
		const struct message *m;

		if (s->kind != PATTERN_RECEIVE)
			continue;
		m = find(p, s->peer, p->iter, s->tag, s->nth);
		if (!(m && m->there) && is_sent(p, s))
			return false;
	}
	return true;
}

void messages_wait(struct process *p)
{
	p->waits = world_now(p->w);
	while (!all_there(p)) {
		if (p->capped)
			energy_cap(p, true);
		p->waiting = true;
		sg_sem_acquire(p->wake);
	}
	energy_cap(p, false);
	p->waited += world_now(p->w) - p->waits;
	p->waits = NEVER;
}

void messages_forget(struct process *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++)
		if (p->in[i]->iter >= p->iter || !p->in[i]->there) /* its actor will write to it */
			p->in[kept++] = p->in[i];
		else
			free(p->in[i]);
	p->count = kept;
}

void messages_release(struct process *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct message *m = p->in[i];

		if (m->held && p->w->role[m->from].died == NEVER) {
			m->held = false;
			launch(m);
		}
	}
}

static void replay_to(struct process *to, int from, int64_t iter, const struct step *s)
{
	if (to && !to->open &&
	    (iter >= to->w->now.from[from] ||
	     source_of(to->w, from, to, iter, s->place) == SOURCE_SENT))
		post(to, from, iter, s);
}

/* What a role has sent in an iteration by now. A role that was not stopped does not send it again
 * in its front iteration either. */
static void replay_iteration(struct world *w, struct program *g, int role, int64_t iter)
{
	const struct process *p = w->role[role].own;
	const bool all = iter < p->iter;

	program_load(w, g, role, iter);
	for (size_t i = 0; i < (all ? g->count : p->done); i++) {
		const struct step *s = &g->step[i];

		if (s->kind != PATTERN_SEND || (s->reduction && iter < w->now.known))
			continue;
		replay_to(w->role[s->peer].own, role, iter, s);
		replay_to(w->role[s->peer].copy, role, iter, s);
	}
}

void messages_replay(struct world *w)
{
	struct program g = { .step = NULL };
	int64_t first = w->m->steps;

	for (int r = 0; r < w->np; r++) {
		const struct role *role = &w->role[r];

		if (!role->own->open && role->own->iter < first)
			first = role->own->iter;
		if (role->copy && role->copy->iter < first)
			first = role->copy->iter;
	}
	for (int r = 0; r < w->np; r++) {
		const struct process *p = w->role[r].own;
		const bool goes_on = p->open && p->iter < w->m->steps;

		for (int64_t i = first; i < p->iter + goes_on; i++)
			replay_iteration(w, &g, r, i);
	}
	free(g.step);
}
