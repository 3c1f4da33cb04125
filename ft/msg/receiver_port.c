#include "ft/msg/receiver_port.h"

#include "base/grow.h"
#include "ft/log/crossing.h"

#include <stdlib.h>
#include <string.h>

static struct receiver_port *port_of(struct msg *m)
{
	return (struct receiver_port *)m;
}

static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct receiver_port *p = port_of(m);
	void *payload;

	if (!policy_by_receiver(p->policy, p->policy->role, dst))
		return layer_reserve(m, dst, tag, bytes);
	payload = kept_append(&p->kept, p->cursor->at, dst, tag, bytes);
	return layer_take(m, payload, dst, tag, bytes);
}

/* Has this role a copy of what it receives now, which the sender will not send again? */
static bool is_there(const struct receiver_port *p, int src)
{
	const int64_t iter = p->received.iter;

	return p->received.repeats && policy_by_receiver(p->policy, src, p->policy->role) &&
	       crossing(iter, p->demand->front[src], iter) == CROSSING_REPLAYED;
}

static void post_here(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	struct receiver_port *p = port_of(m);
	struct receiver_post *list = grow(p->posted, p->count + 1, &p->room, sizeof *list);
	const bool again = is_there(p, src);

	if (!list) {
		link_no_memory(p->layer.plain->link); /* the wait returns it */
		return;
	}
	p->posted = list;
	list[p->count++] = (struct receiver_post){ buf, bytes, src, tag, again };
	if (!again)
		layer_post(m, src, tag, buf, bytes);
}

/* How long messages are is known from the statuses of their receives. */
static int ask_for_statuses(struct receiver_port *p)
{
	MPI_Status *list =
		grow(p->status, (size_t)p->layer.plain->receives.count, &p->statuses, sizeof *list);

	if (!list)
		return link_no_memory(p->layer.plain->link);
	p->status = list;
	p->layer.plain->status = list;
	return RB_OK;
}

static int take_again(struct receiver_port *p, const struct receiver_post *r)
{
	const struct log_entry *e = received_again(&p->received, r->src, r->tag);

	if (!e || e->bytes > r->bytes)
		return link_no_copy(p->layer.plain->link, p->received.iter, r->src);
	memcpy(r->buf, e->payload, e->bytes);
	p->messages++;
	p->bytes += e->bytes;
	return RB_OK;
}

/* bytes: that arrived. */
static int keep(struct receiver_port *p, const struct receiver_post *r, size_t bytes)
{
	struct log *l = &p->received.log;
	void *payload;

	if (!p->policy->ops->admits(p->policy, l, r->src, bytes))
		return log_skip(l, r->src) == RB_OK ? RB_OK : link_no_memory(p->layer.plain->link);
	payload = log_append(l, r->src, r->tag, bytes);
	if (!payload)
		return link_no_memory(p->layer.plain->link);
	memcpy(payload, r->buf, bytes);
	return RB_OK;
}

static int complete(struct receiver_port *p)
{
	const MPI_Status *status = p->status;

	for (size_t i = 0; i < p->count; i++) {
		const struct receiver_post *r = &p->posted[i];
		int bytes = 0;

		if (r->again) {
			RB_TRY(take_again(p, r));
			continue;
		}
		MPI_Get_count(status++, MPI_BYTE, &bytes);
		if (!policy_by_receiver(p->policy, r->src, p->policy->role))
			continue;
		if (p->received.repeats)
			received_again(&p->received, r->src, r->tag); /* it is the same message */
		else
			RB_TRY(keep(p, r, (size_t)bytes));
	}
	p->count = 0;
	return RB_OK;
}

static int wait_here(struct msg *m)
{
	struct receiver_port *p = port_of(m);

	int rc;

	RB_TRY(ask_for_statuses(p));
	rc = layer_wait(m);
	p->layer.plain->status = NULL;
	return rc == RB_OK ? complete(p) : rc;
}

static const struct port_ops ops = {
	.reserve = reserve,
	.push = layer_push,
	.post = post_here,
	.wait = wait_here,
	.carries_data = true,
};

int receiver_init(struct receiver_port *p, struct plain_port *plain, const struct cursor *cursor,
		  const struct demand *demand, const struct policy *policy)
{
	memset(p, 0, sizeof *p);
	layer_init(&p->layer, &ops, plain);
	p->cursor = cursor;
	p->demand = demand;
	p->policy = policy;
	return received_init(&p->received, plain->msg.np);
}

void receiver_free(struct receiver_port *p)
{
	received_free(&p->received);
	kept_free(&p->kept);
	free(p->posted);
	free(p->status);
}

void receiver_begin(struct receiver_port *p, int64_t iter)
{
	kept_begin(&p->kept, iter);
	received_begin(&p->received, iter);
	p->count = 0;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Where there is a cap, this log is the only one, and its own peak counts. */
void receiver_commit(struct receiver_port *p, int64_t sent)
{
	received_commit(&p->received);
	p->both_peak = larger(p->both_peak,
			      larger(p->received.log.bytes_peak, p->received.log.bytes + sent));
}
