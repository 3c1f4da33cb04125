/* The protocol of one process, as data. */
#include "elc/core/process.h"

#include "base/mix.h"
#include "elc/core/number.h"

#include <stdlib.h>

/* All sets of a channel. */
enum { SETS = 6 };

static void sets_of(struct elc_channel *c, struct elc_set *set[SETS])
{
	set[0] = &c->cut_sent;
	set[1] = &c->cut_received;
	set[2] = &c->request;
	set[3] = &c->transit;
	set[4] = &c->orphan;
	set[5] = &c->early;
}

int elc_process_init(struct elc_process *p, int np, int rank, const struct elc_protocol *protocol,
		     enum elc_form form, int64_t committed)
{
	form = protocol->envelopes ? form : ELC_COUNTED;
	*p = (struct elc_process){ .protocol = protocol, .form = form, .unordered = -1 };
	if (elc_line_init(&p->line, np, rank, committed))
		return -1;
	p->with = calloc((size_t)np, sizeof *p->with);
	if (!p->with) {
		elc_line_free(&p->line);
		return -1;
	}
	for (int r = 0; r < np; r++) {
		struct elc_set *set[SETS];

		elc_log_init(&p->with[r].sent, form);
		elc_log_init(&p->with[r].received, form);
		sets_of(&p->with[r], set);
		for (int s = 0; s < SETS; s++)
			elc_set_init(set[s], form);
		elc_catch_free(&p->with[r].catch);
	}
	return 0;
}

static void release(struct elc_message *m)
{
	free(m->data);
	free(m);
}

/* Caught messages that nobody holds any more end with the line. */
static void let_go(struct elc_process *p)
{
	for (size_t i = 0; i < p->caught.n; i++) {
		p->caught.m[i]->caught = false;
		p->caught.m[i]->lines += p->caught.m[i]->chosen;
		if (p->caught.m[i]->delivered)
			release(p->caught.m[i]);
	}
	p->caught.n = 0;
}

void elc_process_free(struct elc_process *p)
{
	let_go(p);
	for (size_t i = 0; i < p->held.n; i++)
		release(p->held.m[i]);
	free(p->held.m);
	free(p->caught.m);
	for (int r = 0; p->with && r < p->line.np; r++) {
		struct elc_channel *c = &p->with[r];
		struct elc_set *set[SETS];

		elc_log_free(&c->sent);
		elc_log_free(&c->received);
		sets_of(c, set);
		for (int s = 0; s < SETS; s++)
			elc_set_free(set[s]);
		elc_sums_free(&c->window);
		elc_sums_free(&c->expected);
		elc_catch_free(&c->catch);
	}
	free(p->with);
	elc_collectives_free(p);
	elc_line_free(&p->line);
	*p = (struct elc_process){ .protocol = p->protocol, .form = p->form };
}

/* What logs count a message as. */
static elc_key kind_of(const struct elc_process *p, elc_key key)
{
	return p->protocol->envelopes ? key : elc_number_key(key);
}

/* 0: a message with this stamp was sent in the interval that is open here; below: before that, so
 * that it is in transit; above: after it, so that it is early. */
static int64_t age(const struct elc_process *p, int64_t stamp)
{
	return stamp - elc_line_epoch(&p->line);
}

/* May a message that has come since the own cut be in transit? */
static bool candidate(const struct elc_process *p, int64_t stamp)
{
	return p->line.phase == ELC_CUT && (p->protocol->envelopes || age(p, stamp) < 0);
}

/* Between the own cut and the peer's request. */
static bool in_window(const struct elc_process *p, int peer)
{
	return p->line.phase == ELC_CUT && !elc_line_has_request(&p->line, peer);
}

bool elc_process_wants_sum(const struct elc_process *p, int dest, elc_key key)
{
	return in_window(p, dest) ||
	       (p->with[dest].expected.left && elc_sums_next(&p->with[dest].expected, key));
}

int elc_process_send(struct elc_process *p, int dest, elc_key key, uint32_t crc, uint64_t bytes)
{
	struct elc_channel *c = &p->with[dest];
	const struct elc_sum *next = c->expected.left ? elc_sums_next(&c->expected, key) : NULL;
	const struct elc_sum sum = { key, crc, 0, bytes };

	if (next && (next->crc != crc || next->bytes != bytes))
		return ELC_DIFFERENT;
	p->events++;
	/* What was expected at the cut belongs to the line, also if it is sent after the window. */
	c->sent_mix += p->protocol->envelopes ? 0 : mix(key);
	if (elc_log_add(&c->sent, kind_of(p, key)) ||
	    ((in_window(p, dest) || (next && p->line.phase == ELC_CUT)) &&
	     elc_sums_add(&c->window, sum)))
		return -1;
	if (!next)
		return ELC_SEND;
	elc_sums_done(&c->expected, next);
	p->suppressed++;
	return ELC_SUPPRESS;
}

bool elc_process_wants_copy(const struct elc_process *p, int peer, elc_key key, int64_t stamp)
{
	return !p->with[peer].settled && candidate(p, p->protocol->stamp(p, peer, key, stamp));
}

static struct elc_message *new_message(const struct elc_process *p, int peer, elc_key key,
				       int64_t stamp, void *data, size_t bytes)
{
	struct elc_message *m = malloc(sizeof *m);

	if (m)
		*m = (struct elc_message){ .peer = peer,
					   .key = key,
					   .kind = kind_of(p, key),
					   .stamp = stamp,
					   .bytes = bytes,
					   .data = data };
	return m;
}

static int catch (struct elc_process *p, struct elc_message *m)
{
	struct elc_channel *c = &p->with[m->peer];

	m->caught = true;
	if (c->identified)
		elc_catch_add(&c->catch, m);
	return elc_messages_add(&p->caught, m);
}

static int log_receive(struct elc_process *p, int peer, elc_key key, int64_t stamp)
{
	struct elc_channel *c = &p->with[peer];

	p->events++;
	if (age(p, stamp) > 0)
		return age(p, stamp) > 1 ? -2 : elc_set_add(&c->early, key, 1);
	c->received_mix += p->protocol->envelopes ? 0 : mix(key);
	return elc_log_add(&c->received, kind_of(p, key));
}

int elc_process_receive(struct elc_process *p, int peer, elc_key key, int64_t stamp, uint64_t order,
			void *data, size_t bytes)
{
	const int64_t of = p->protocol->stamp(p, peer, key, stamp);
	const int rc = age(p, of) < 0 && !data ? -2 : log_receive(p, peer, key, of);

	if (rc)
		return rc;
	if (p->protocol->received && age(p, of) == 0)
		p->protocol->received(p, peer, key, order);
	if (data) {
		struct elc_message *m = new_message(p, peer, key, of, data, bytes);

		if (!m)
			return -1;
		m->order = order;
		m->delivered = true;
		return catch (p, m);
	}
	return 0;
}

int elc_process_take(struct elc_process *p, int peer, elc_key key, int64_t stamp, void *data,
		     size_t bytes)
{
	const int64_t of = p->protocol->stamp(p, peer, key, stamp);
	struct elc_message *m = new_message(p, peer, key, of, data, bytes);

	if (!m)
		return -1;
	m->order = elc_process_order(p);
	if (elc_messages_add(&p->held, m))
		return -1;
	return candidate(p, of) ? catch (p, m) : 0;
}

const struct elc_message *elc_process_find(const struct elc_process *p, int peer, uint32_t comm,
					   int tag)
{
	for (size_t i = 0; i < p->held.n; i++) {
		const struct elc_message *m = p->held.m[i];

		if (!m->matched && (peer == ELC_ANY || peer == m->peer) &&
		    comm == elc_key_comm(m->key) && (tag == ELC_ANY || tag == elc_key_tag(m->key)))
			return m;
	}
	return NULL;
}

static size_t place_of(const struct elc_process *p, const struct elc_message *m)
{
	size_t at = 0;

	while (p->held.m[at] != m)
		at++;
	return at;
}

void elc_process_match(struct elc_process *p, const struct elc_message *m)
{
	p->held.m[place_of(p, m)]->matched = true;
	p->matched++;
}

int elc_process_deliver(struct elc_process *p, const struct elc_message *m)
{
	const int rc = log_receive(p, m->peer, m->key, m->stamp);
	const size_t at = place_of(p, m);

	if (rc)
		return rc;
	p->matched -= m->matched;
	p->held.m[at]->delivered = true;
	if (!m->caught)
		release(p->held.m[at]);
	elc_messages_remove(&p->held, at);
	return 0;
}

/* Both logs are here: what crosses the line between this peer and us? */
static int identify(struct elc_process *p, int peer)
{
	struct elc_channel *c = &p->with[peer];
	const int rc = p->protocol->identify(p, peer);

	if (rc)
		return rc;
	c->identified = true;
	if (elc_catch_begin(&c->catch, &c->transit))
		return -1;
	for (size_t i = 0; i < p->caught.n; i++)
		if (p->caught.m[i]->peer == peer)
			elc_catch_add(&c->catch, p->caught.m[i]);
	return 0;
}

/* A copy of a closed log, as it would come with a request. */
static int copy(const struct elc_set *from, struct elc_set *to)
{
	elc_set_init(to, from->form);
	for (size_t i = 0; i < from->n; i++)
		if (elc_set_add(to, from->entry[i].key, from->entry[i].num))
			return -1;
	return 0;
}

int elc_process_cut(struct elc_process *p)
{
	int rc = 0;

	if (elc_line_cut(&p->line))
		return -2;
	for (int r = 0; r < p->line.np; r++) {
		struct elc_channel *c = &p->with[r];

		elc_sums_free(&c->window);
		elc_set_free(&c->cut_sent);
		elc_catch_free(&c->catch);
		c->identified = c->settled = false;
		if (elc_log_close(&c->sent, &c->cut_sent) ||
		    elc_log_close(&c->received, &c->cut_received) || p->protocol->ask(p, r))
			return -1;
		c->cut_received_mix = c->received_mix;
		c->sent_mix = c->received_mix = 0;
	}
	for (size_t i = 0; i < p->held.n; i++)
		if (candidate(p, p->held.m[i]->stamp) && catch (p, p->held.m[i]))
			return -1;
	if (copy(&p->with[p->line.rank].cut_sent, &p->with[p->line.rank].request) ||
	    elc_collectives_cut(p))
		return -1;
	for (int r = 0; rc == 0 && r < p->line.np; r++)
		if (elc_line_has_request(&p->line, r))
			rc = identify(p, r);
	return rc;
}

const struct elc_set *elc_process_request(const struct elc_process *p, int dest)
{
	return &p->with[dest].cut_sent;
}

int elc_process_on_request(struct elc_process *p, int from, int64_t number, struct elc_set *set)
{
	if (elc_line_request(&p->line, from, number))
		return -2;
	elc_collectives_request(p, from, set);
	p->with[from].request = *set;
	elc_set_init(set, p->form);
	return p->line.phase == ELC_CUT ? identify(p, from) : 0;
}

bool elc_process_missing(const struct elc_process *p, int peer, uint32_t comm)
{
	const struct elc_channel *c = &p->with[peer];

	return p->line.phase == ELC_CUT && c->identified && !c->settled &&
	       elc_catch_missing(&c->catch, comm);
}

void elc_process_choose(struct elc_process *p, int peer)
{
	for (int r = 0; r < p->line.np; r++)
		if (peer == ELC_ANY || peer == r)
			elc_catch_forget(&p->with[r].catch);
	for (size_t i = 0; i < p->caught.n; i++)
		if (peer == ELC_ANY || peer == p->caught.m[i]->peer)
			elc_catch_choose(&p->with[p->caught.m[i]->peer].catch, p->caught.m[i]);
}

const struct elc_message *elc_process_kept_longer(const struct elc_process *p, int64_t lines)
{
	for (size_t i = 0; i < p->caught.n; i++)
		if (p->caught.m[i]->chosen && p->caught.m[i]->lines >= lines)
			return p->caught.m[i];
	return NULL;
}

bool elc_process_ready(struct elc_process *p, const struct elc_pending *pending, size_t npending)
{
	bool all = p->line.phase == ELC_CUT && elc_line_all_requested(&p->line);

	for (int r = 0; p->line.phase == ELC_CUT && r < p->line.np; r++) {
		struct elc_channel *c = &p->with[r];

		c->settled = c->settled ||
			     (c->identified && p->protocol->settled(p, r, pending, npending));
		all = all && c->settled;
	}
	return all && elc_collectives_ready(p);
}

int elc_process_completed(struct elc_process *p)
{
	if (elc_line_completed(&p->line))
		return -2;
	let_go(p);
	elc_collectives_completed(p);
	return 0;
}

int elc_process_commit(struct elc_process *p, int64_t number)
{
	return elc_line_commit(&p->line, number) ? -2 : 0;
}

int elc_process_expect(struct elc_process *p, int dest, const struct elc_set *orphan, elc_key *key)
{
	struct elc_channel *c = &p->with[dest];
	const int rc = elc_sums_keep(&c->window, orphan, key);

	if (rc)
		return rc;
	c->expected = c->window;
	c->window = (struct elc_sums){ .sum = NULL };
	return 0;
}
