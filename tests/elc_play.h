/* A small message system in one process, to play the protocol of elc/core: programs that send and
 * receive, a network that delays, control messages in any order, crashes. Every message has a
 * number, so an observer knows what crosses a line. Markers travel among the messages. */
#ifndef ELC_PLAY_H
#define ELC_PLAY_H

#include "tests/elc_play_calls.h"

/* ---- the network ---- */

static bool fits(const struct elc_pending *want, const struct message *m)
{
	return (want->peer == ELC_ANY || want->peer == m->from) &&
	       want->comm == elc_key_comm(m->key) &&
	       (want->tag == ELC_ANY || want->tag == elc_key_tag(m->key));
}

static void *copy_of(int64_t id)
{
	int64_t *data = malloc(sizeof *data);

	assert_non_null(data);
	*data = id;
	return data;
}

/* A marker goes to the process when the messages that were sent before it have come. */
static void place_marker(struct play *w, int from, int to)
{
	struct message *m = w->waiting[from][to];
	struct elc_process *e = &w->player[to].e;

	if (!m || (!w->reads && !elc_markers_due(e, from, &m->set)))
		return;
	assert_int_equal(elc_process_on_request(e, from, m->id, &m->set), 0);
	w->waiting[from][to] = NULL;
}

/* The receive posted first that matches, as in MPI. */
static void arrive(struct play *w, int i)
{
	struct message *m = &w->net[i];
	struct slot *first = NULL;

	m->arrived = true;
	m->gone = m->marker || w->reads;
	if (m->marker)
		w->waiting[m->from][m->to] = m;
	else if (w->reads)
		assert_int_equal(elc_process_take(&w->player[m->to].e, m->from, m->key, m->stamp,
						  copy_of(m->id), sizeof m->id),
				 0);
	place_marker(w, m->from, m->to);
	if (m->gone)
		return;
	for (int s = 0; s < SLOTS; s++) {
		struct slot *at = &w->player[m->to].slot[s];

		if (at->active && !at->done && at->matched < 0 && fits(&at->want, m) &&
		    (!first || at->want.order < first->want.order))
			first = at;
	}
	if (first)
		first->matched = i;
	m->gone = first;
}

/* Must b, which was sent before m, arrive before it? */
static bool before(const struct play *w, const struct message *b, const struct message *m)
{
	if (b->from != m->from || b->to != m->to)
		return false;
	if (w->order == PER_CHANNEL || b->marker || m->marker)
		return w->order == PER_CHANNEL || (b->marker && m->marker);
	return b->key == m->key ||
	       (w->order == PER_COMMUNICATOR && elc_key_comm(b->key) == elc_key_comm(m->key));
}

static void arrive_one(struct play *w)
{
	const int i = w->sent ? (int)draw(w, (uint64_t)w->sent) : 0;
	const struct message *m = &w->net[i];

	if (!w->sent || m->arrived)
		return;
	for (int k = 0; k < i; k++)
		if (!w->net[k].arrived && before(w, &w->net[k], m))
			return;
	arrive(w, i);
}

/* The first message that has arrived, matches no receive yet, and fits; -1: none. Messages from one
 * source are in order of sending. */
static int unexpected(const struct play *w, int me, const struct elc_pending *want)
{
	for (int i = 0; i < w->sent; i++)
		if (w->net[i].to == me && w->net[i].arrived && !w->net[i].gone &&
		    fits(want, &w->net[i]))
			return i;
	return -1;
}

/* ---- the programs' operations ---- */

static void received(struct player *p, int from, elc_key key, int64_t id)
{
	p->program.received[from][index_of(key)]++;
	p->program.ids[from][index_of(key)] += id;
}

/* No receive is pending, so it has got the first ones of each envelope, each of them once. */
static void check_received(const struct play *w, int me)
{
	const struct program *p = &w->player[me].program;

	for (int from = 0; from < w->np; from++)
		for (int k = 0; k < KEYS; k++)
			assert_int_equal(p->ids[from][k],
					 p->received[from][k] * (p->received[from][k] - 1) / 2);
}

static void play_send(struct play *w, int me, const struct op *op)
{
	struct player *p = &w->player[me];
	const elc_key key = elc_key_of((uint32_t)op->comm, op->tag);
	const int64_t id = p->program.sent[op->peer][index_of(key)]++;
	const bool wanted = elc_process_wants_sum(&p->e, op->peer, key);
	const int fate = elc_process_send(&p->e, op->peer, key, wanted ? sum_of(me, key, id) : 0,
					  wanted ? sizeof id : 0);

	assert_in_range(fate, ELC_SEND, ELC_SUPPRESS);
	w->suppressed += fate == ELC_SUPPRESS;
	if (fate == ELC_SEND) {
		assert_true(w->sent < NET);
		w->net[w->sent++] = (struct message){ .from = me,
						      .to = op->peer,
						      .key = key,
						      .id = id,
						      .stamp = elc_process_stamp(&p->e) };
	}
	p->program.pc++;
}

static void play_post(struct play *w, int me, const struct op *op)
{
	struct player *p = &w->player[me];
	struct slot *s = &p->slot[op->slot];
	const struct elc_message *held =
		elc_process_find(&p->e, op->peer, (uint32_t)op->comm, op->tag);

	*s = (struct slot){ .active = true,
			    .done = held,
			    .matched = -1,
			    .want = { elc_process_order(&p->e), op->peer, (uint32_t)op->comm,
				      op->tag } };
	if (held) {
		received(p, held->peer, held->key, *(int64_t *)held->data);
		assert_int_equal(elc_process_deliver(&p->e, held), 0);
	} else if (!w->reads) {
		s->matched = unexpected(w, me, &s->want);
		if (s->matched >= 0)
			w->net[s->matched].gone = true;
	}
	p->program.pc++;
}

static void play_wait(struct play *w, int me, const struct op *op)
{
	struct player *p = &w->player[me];
	struct slot *s = &p->slot[op->slot];
	const struct elc_message *held =
		s->done || !w->reads
			? NULL
			: elc_process_find(&p->e, s->want.peer, s->want.comm, s->want.tag);
	void *data;

	if (held) {
		received(p, held->peer, held->key, *(int64_t *)held->data);
		assert_int_equal(elc_process_deliver(&p->e, held), 0);
	} else if (!s->done) {
		const struct message *m = s->matched >= 0 ? &w->net[s->matched] : NULL;

		if (!m)
			return;
		place_marker(w, m->from, me);
		received(p, m->from, m->key, m->id);
		data = elc_process_wants_copy(&p->e, m->from, m->key, m->stamp) ? copy_of(m->id)
										: NULL;
		assert_int_equal(elc_process_receive(&p->e, m->from, m->key, m->stamp,
						     s->want.order, data, sizeof m->id),
				 0);
		place_marker(w, m->from, me);
	}
	s->active = false;
	p->program.pc++;
}

static void tell(struct play *w, int kind, int from, int to, int64_t number,
		 const struct elc_set *set)
{
	struct control *c = &w->control[w->controls++];

	assert_true(w->controls < 8 * NP * NP);
	*c = (struct control){ kind, from, to, number, { .form = w->player[from].e.form } };
	for (size_t i = 0; set && i < set->n; i++)
		assert_int_equal(elc_set_add(&c->set, set->entry[i].key, set->entry[i].num), 0);
	if (kind == REQUEST && w->protocol == &elc_markers) {
		assert_true(w->sent < NET);
		w->net[w->sent++] = (struct message){
			.from = from, .to = to, .id = number, .marker = true, .set = c->set
		};
		w->controls--;
	}
}

static void play_safe(struct play *w, int me)
{
	struct player *p = &w->player[me];
	bool active = false;

	p->program.pc++;
	for (int s = 0; s < SLOTS; s++)
		active = active || p->slot[s].active;
	for (int s = 0; s < CALLS; s++)
		active = active || p->call[s].active;
	if (active || !elc_line_may_begin(&p->e.line) || (!elc_line_due(&p->e.line) && draw(w, 3)))
		return;
	check_received(w, me);
	p->cut = p->program;
	assert_int_equal(elc_process_cut(&p->e), 0);
	for (int r = 0; r < w->np; r++)
		if (r != me)
			tell(w, REQUEST, me, r, elc_line_number(&p->e.line),
			     elc_process_request(&p->e, r));
}

static void play_op(struct play *w, int me)
{
	struct player *p = &w->player[me];
	const struct op *op = &p->op[p->program.pc];

	if (p->program.pc == p->ops)
		return;
	switch (op->kind) {
	case OP_SEND:
		play_send(w, me, op);
		break;
	case OP_POST:
		play_post(w, me, op);
		break;
	case OP_WAIT:
		play_wait(w, me, op);
		break;
	case OP_SAFE:
		play_safe(w, me);
		break;
	case OP_BEGIN:
		play_begin(w, me, op);
		break;
	case OP_END:
		play_end(w, me, op);
		break;
	}
}

#endif
