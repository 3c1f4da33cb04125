#include "ft/msg/results_port.h"

#include <string.h>

static struct results_port *port_of(struct msg *m)
{
	return (struct results_port *)m;
}

static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct results_port *p = port_of(m);

	if (p->in_reduction)
		return msg_reserve(p->past, dst, tag, bytes);
	if (p->cursor->at.number > PLACE_MAX)
		link_too_many(p->layer.plain->link); /* the push returns it */
	return layer_reserve(m, dst, tag, bytes);
}

static int push(struct msg *m)
{
	struct results_port *p = port_of(m);

	if (!p->in_reduction)
		return layer_push(m);
	if (p->layer.plain->link->status != RB_OK)
		return p->layer.plain->link->status;
	cursor_count(p->cursor, true);
	return demand_of_role(p->demand, p->cursor->at.iter, p->layer.plain->slot.dst)
		       ? msg_push(p->past)
		       : RB_OK;
}

static int wait_here(struct msg *m)
{
	struct results_port *p = port_of(m);

	if (!p->in_reduction)
		return layer_wait(m);
	cursor_count(p->cursor, false);
	return msg_wait(p->past);
}

static bool recall(struct msg *m, double *v, size_t n)
{
	struct results_port *p = port_of(m);

	p->in_reduction = p->cursor->at.iter >= p->newest;
	if (!p->in_reduction && !results_take(&p->results, v, n))
		/* the run ends: nobody would answer a message */
		link_no_result(p->layer.plain->link, p->cursor->at.iter);
	return !p->in_reduction;
}

static int record(struct msg *m, const double *v, size_t n)
{
	struct results_port *p = port_of(m);

	p->in_reduction = false;
	return results_add(&p->results, v, n) == RB_OK ? RB_OK
						       : link_no_memory(p->layer.plain->link);
}

static const struct port_ops ops = {
	.reserve = reserve,
	.push = push,
	.post = layer_post,
	.wait = wait_here,
	.carries_data = true,
	.recall = recall,
	.record = record,
};

void results_port_init(struct results_port *p, struct plain_port *plain, struct cursor *cursor,
		       const struct demand *demand)
{
	memset(p, 0, sizeof *p);
	layer_init(&p->layer, &ops, plain);
	p->cursor = cursor;
	p->demand = demand;
}

void results_port_free(struct results_port *p)
{
	results_free(&p->results);
}

void results_port_begin(struct results_port *p, int64_t iter)
{
	p->in_reduction = false;
	results_begin(&p->results, iter);
}
