#include "ft/role/expected_log.h"

#include "base/status.h"

enum { SAMPLE = 50 }; /* iterations: two outer ones of CG */

static int enter_send(struct expected_log *e, const struct pattern_operation *o)
{
	if (!e->policy.ops->admits(&e->policy, &e->log, o->peer, o->bytes))
		return log_skip(&e->log, o->peer);
	RB_TRY(log_note(&e->log, o->peer, o->tag, o->bytes));
	e->log.entry[e->log.count - 1].place = (uint16_t)e->number;
	return RB_OK;
}

static int enter(void *ctx, const struct pattern_operation *o)
{
	struct expected_log *e = ctx;

	if (e->dataflow && o->reduction)
		return RB_OK;
	if (o->kind == PATTERN_SEND)
		RB_TRY(enter_send(e, o));
	e->number += o->kind != PATTERN_RECEIVE;
	return RB_OK;
}

int expected_log_open(struct expected_log *e, const struct pattern *pattern, const struct policy *policy, bool dataflow,
		      int role)
{
	e->dataflow = dataflow;
	e->pattern = pattern;
	e->policy = *policy;
	e->policy.role = role;
	e->policy.np = pattern->np;
	return log_init(&e->log, pattern->np);
}

int expected_log_enter(struct expected_log *e, int64_t iter)
{
	log_begin(&e->log, iter);
	e->number = 0;
	return e->pattern->operations(e->pattern, e->policy.role, iter, enter, e);
}

int expected_log_size(struct expected_log *e, int64_t iterations, int64_t *messages, int64_t *bytes)
{
	int64_t sample = iterations < SAMPLE ? iterations : SAMPLE;

	for (int64_t i = 0; i < sample; i++) {
		RB_TRY(expected_log_enter(e, i));
		log_commit(&e->log);
	}
	*messages = (int64_t)e->log.count;
	*bytes = 0;
	for (size_t i = 0; i < e->log.count; i++)
		*bytes = (int64_t)arena_after((size_t)*bytes, e->log.entry[i].bytes);
	/* Other policies may log less in the rest, so they are not extrapolated. */
	if (sample < iterations && e->policy.ops == &policy_all) {
		*messages = *messages * iterations / sample;
		*bytes = *bytes * iterations / sample;
	}
	return RB_OK;
}
