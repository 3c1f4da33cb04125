#include "ft/msg/logging_port.h"

#include <string.h>

static struct logging_port *port_of(struct msg *m)
{
	return (struct logging_port *)m;
}

static void *in_log(struct msg *m, int dst, int tag, size_t bytes)
{
	struct logging_port *p = port_of(m);
	void *payload = log_append(&p->log, dst, tag, bytes);

	if (payload && p->cursor->at.number <= PLACE_MAX)
		p->log.entry[p->log.count - 1].place = (uint16_t)p->cursor->at.number;
	return layer_take(m, payload, dst, tag, bytes);
}

static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct logging_port *p = port_of(m);

	if (!p->nothing && !policy_by_receiver(&p->policy, p->policy.role, dst) &&
	    p->policy.ops->admits(&p->policy, &p->log, dst, bytes))
		return in_log(m, dst, tag, bytes);
	if (log_skip(&p->log, dst) != RB_OK)
		return layer_take(m, NULL, dst, tag, bytes);
	return layer_reserve(m, dst, tag, bytes);
}

static int push(struct msg *m)
{
	struct logging_port *p = port_of(m);
	const struct place place = p->cursor->at;

	if (p->layer.plain->link->status != RB_OK)
		return p->layer.plain->link->status;
	cursor_pass(p->cursor, true);
	return demand_has(p->demand, place, p->layer.plain->slot.dst) ? layer_push(m) : RB_OK;
}

static int wait_here(struct msg *m)
{
	cursor_pass(port_of(m)->cursor, false);
	return layer_wait(m);
}

static const struct port_ops ops = {
	.reserve = reserve,
	.push = push,
	.post = layer_post,
	.wait = wait_here,
	.carries_data = true,
};

int logging_init(struct logging_port *p, struct plain_port *plain, struct cursor *cursor,
		 const struct demand *demand, const struct policy *policy)
{
	memset(p, 0, sizeof *p);
	layer_init(&p->layer, &ops, plain);
	p->cursor = cursor;
	p->demand = demand;
	p->policy = *policy;
	p->policy.role = plain->msg.role;
	p->policy.np = plain->msg.np;
	p->nothing = policy_logs_nothing(policy);
	RB_TRY(log_init(&p->log, plain->msg.np));
	p->log.keeps = policy->kept;
	return RB_OK;
}

void logging_free(struct logging_port *p)
{
	log_free(&p->log);
}
