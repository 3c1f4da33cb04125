#include "ft/role/expected_log.h"

#include "base/grow.h"
#include "base/status.h"

#include <string.h>

enum { SAMPLE = 50 }; /* iterations: two outer ones of CG */

static int enter_send(struct expected_log *e, const struct pattern_operation *o)
{
	if (policy_by_receiver(&e->policy, e->policy.role, o->peer) ||
	    !e->policy.ops->admits(&e->policy, &e->log, o->peer, o->bytes))
		return log_skip(&e->log, o->peer);
	RB_TRY(log_note(&e->log, o->peer, o->tag, o->bytes));
	e->log.entry[e->log.count - 1].place = (uint16_t)e->number;
	return RB_OK;
}

static int note_receive(struct expected_log *e, const struct pattern_operation *o)
{
	struct expected_receive *list =
		grow(e->receive, e->receives + 1, &e->receive_room, sizeof *list);

	if (!list)
		return RB_ENOMEM;
	e->receive = list;
	list[e->receives++] =
		(struct expected_receive){ o->kind == PATTERN_WAIT ? -1 : o->peer, o->tag };
	return RB_OK;
}

static int note_arrival(void *ctx, int dst, int tag, size_t bytes)
{
	struct expected_log *e = ctx;
	struct expected_arrival *list;

	if (dst != e->policy.role)
		return RB_OK;
	list = grow(e->arrival, e->arrivals + 1, &e->arrival_room, sizeof *list);
	if (!list)
		return RB_ENOMEM;
	e->arrival = list;
	list[e->arrivals++] = (struct expected_arrival){ e->source, tag, bytes, false };
	return RB_OK;
}

/* The next message from that role with this tag. A message can be shorter than its receive, so the
 * senders are asked. */
static int find_arrival(struct expected_log *e, int64_t iter, const struct expected_receive *r,
			size_t *bytes)
{
	bool known = false;

	for (size_t i = 0; i < e->arrivals && !known; i++)
		known = e->arrival[i].source == r->source;
	e->source = r->source;
	if (!known)
		RB_TRY(pattern_sends(e->pattern, r->source, iter, note_arrival, e));
	for (size_t i = 0; i < e->arrivals; i++) {
		struct expected_arrival *a = &e->arrival[i];

		if (a->taken || a->source != r->source || a->tag != r->tag)
			continue;
		a->taken = true;
		*bytes = a->bytes;
		return RB_OK;
	}
	return RB_EINVAL;
}

/* The same as when the wait of a run ends (ft/msg/receiver_port.c). */
static int enter_received(struct expected_log *e, int64_t iter, const struct expected_receive *r)
{
	size_t bytes;

	if (r->source < 0 || !policy_by_receiver(&e->policy, r->source, e->policy.role))
		return RB_OK;
	RB_TRY(find_arrival(e, iter, r, &bytes));
	if (!e->policy.ops->admits(&e->policy, &e->received, r->source, bytes))
		return log_skip(&e->received, r->source);
	return log_note(&e->received, r->source, r->tag, bytes);
}

/* What no wait has completed is not received. */
static int enter_receives(struct expected_log *e, int64_t iter)
{
	size_t complete = e->receives;

	while (complete > 0 && e->receive[complete - 1].source >= 0)
		complete--;
	for (size_t i = 0; i < complete; i++)
		RB_TRY(enter_received(e, iter, &e->receive[i]));
	return RB_OK;
}

static int enter(void *ctx, const struct pattern_operation *o)
{
	struct expected_log *e = ctx;

	if (e->dataflow && o->reduction)
		return RB_OK;
	if (o->kind == PATTERN_SEND)
		RB_TRY(enter_send(e, o));
	else if (e->policy.by_receivers)
		RB_TRY(note_receive(e, o));
	e->number += o->kind != PATTERN_RECEIVE;
	return RB_OK;
}

int expected_log_open(struct expected_log *e, const struct pattern *pattern,
		      const struct policy *policy, bool dataflow, int role)
{
	*e = (struct expected_log){ .dataflow = dataflow, .pattern = pattern, .policy = *policy };
	e->policy.role = role;
	e->policy.np = pattern->np;
	if (policy->by_receivers)
		RB_TRY(log_init(&e->received, pattern->np));
	if (log_init(&e->log, pattern->np) != RB_OK) {
		expected_log_free(e);
		return RB_ENOMEM;
	}
	e->log.keeps = policy->kept;
	return RB_OK;
}

void expected_log_free(struct expected_log *e)
{
	log_free(&e->log);
	log_free(&e->received);
	free(e->receive);
	free(e->arrival);
}

void expected_log_commit(struct expected_log *e)
{
	log_commit(&e->log);
	if (e->policy.by_receivers)
		log_commit(&e->received);
}

void expected_log_mark(struct expected_log *e, int64_t c)
{
	log_mark(&e->log, c);
	if (e->policy.by_receivers)
		log_mark(&e->received, c);
}

void expected_log_restart(struct expected_log *e, int64_t c)
{
	log_restart(&e->log, c);
	if (e->policy.by_receivers)
		log_restart(&e->received, c);
}

/* A log that has just come to c by itself has the status of c. */
int expected_log_resume(struct expected_log *e, struct schedule s, int64_t c)
{
	if (e->log.keeps && e->log.begin.iter != c) {
		for (int64_t i = 0; i < c; i++) {
			if (i == 0 || schedule_due(s, i))
				expected_log_restart(e, i);
			RB_TRY(expected_log_enter(e, i));
			expected_log_commit(e);
		}
	}
	expected_log_restart(e, c);
	return RB_OK;
}

int64_t expected_log_fresh(const struct expected_log *e)
{
	return e->log.fresh + e->received.fresh;
}

int64_t expected_log_drops(const struct expected_log *e)
{
	return e->log.drops + e->received.drops;
}

int64_t expected_log_peak(const struct expected_log *e)
{
	int64_t one = e->log.bytes_peak > e->received.bytes_peak ? e->log.bytes_peak
								 : e->received.bytes_peak;

	return e->both_peak > one ? e->both_peak : one;
}

int expected_log_enter(struct expected_log *e, int64_t iter)
{
	log_begin(&e->log, iter);
	if (e->policy.by_receivers)
		log_begin(&e->received, iter);
	e->number = 0;
	e->receives = e->arrivals = 0;
	RB_TRY(e->pattern->operations(e->pattern, e->policy.role, iter, enter, e));
	RB_TRY(enter_receives(e, iter));
	if (e->log.bytes + e->received.bytes > e->both_peak)
		e->both_peak = e->log.bytes + e->received.bytes;
	return RB_OK;
}

static struct expected_size size_of(const struct log *l)
{
	struct expected_size size = { (int64_t)l->count, 0 };

	for (size_t i = 0; i < l->count; i++)
		size.bytes = (int64_t)arena_after((size_t)size.bytes, l->entry[i].bytes);
	return size;
}

static void extrapolate(struct expected_size *size, int64_t from, int64_t to)
{
	size->messages = size->messages * to / from;
	size->bytes = size->bytes * to / from;
}

int expected_log_size(struct expected_log *e, int64_t iterations, struct expected_size *sent,
		      struct expected_size *received)
{
	int64_t sample = iterations < SAMPLE ? iterations : SAMPLE;

	for (int64_t i = 0; i < sample; i++) {
		RB_TRY(expected_log_enter(e, i));
		expected_log_commit(e);
	}
	*sent = size_of(&e->log);
	*received = size_of(&e->received);
	/* Other policies may log less in the rest, so they are not extrapolated. */
	if (sample < iterations &&
	    (e->policy.ops == &policy_all || e->policy.ops == &policy_receiver)) {
		extrapolate(sent, sample, iterations);
		extrapolate(received, sample, iterations);
	}
	return RB_OK;
}
