#include "ft/msg/inbox.h"

#include "base/grow.h"
#include "ft/log/crossing.h"

#include <string.h>

int inbox_init(struct inbox *x, int np)
{
	memset(x, 0, sizeof *x);
	return received_init(&x->received, np);
}

void inbox_free(struct inbox *x)
{
	received_free(&x->received);
	kept_free(&x->kept);
	free(x->posted);
	free(x->status);
}

/* Has this role a copy of what it receives now, which the sender will not send again? */
static bool is_there(const struct inbox *x, const struct policy *policy, const int64_t *front,
		     int src)
{
	const int64_t iter = x->received.iter;

	return x->received.repeats && policy_by_receiver(policy, src, policy->role) &&
	       crossing(iter, front[src], iter) == CROSSING_REPLAYED;
}

void inbox_post(struct inbox *x, struct plain_port *p, const struct policy *policy,
		const int64_t *front, const struct inbox_receive *r)
{
	struct inbox_receive *list = grow(x->posted, x->count + 1, &x->room, sizeof *list);

	if (!list) {
		link_no_memory(p->link); /* the wait returns it */
		return;
	}
	x->posted = list;
	list[x->count] = *r;
	list[x->count].again = is_there(x, policy, front, r->src);
	if (!list[x->count++].again)
		plain_post(&p->msg, r->src, r->tag, r->buf, r->bytes);
}

int inbox_expect(struct inbox *x, struct plain_port *p)
{
	MPI_Status *list = grow(x->status, (size_t)p->receives.count, &x->statuses, sizeof *list);

	if (!list)
		return link_no_memory(p->link);
	x->status = list;
	return RB_OK;
}

static int take_again(struct inbox *x, struct plain_port *p, const struct inbox_receive *r)
{
	const struct log_entry *e = received_again(&x->received, r->src, r->tag);

	if (!e || e->bytes > r->bytes)
		return link_no_copy(p->link, x->received.iter, r->src);
	memcpy(r->buf, e->payload, e->bytes);
	x->messages++;
	x->bytes += e->bytes;
	return RB_OK;
}

/* bytes: that arrived. */
static int keep(struct inbox *x, struct plain_port *p, const struct policy *policy,
		const struct inbox_receive *r, size_t bytes)
{
	struct log *l = &x->received.log;
	void *payload;

	if (!policy->ops->admits(policy, l, r->src, bytes))
		return log_skip(l, r->src) == RB_OK ? RB_OK : link_no_memory(p->link);
	payload = log_append(l, r->src, r->tag, bytes);
	if (!payload)
		return link_no_memory(p->link);
	memcpy(payload, r->buf, bytes);
	return RB_OK;
}

int inbox_complete(struct inbox *x, struct plain_port *p, const struct policy *policy)
{
	const MPI_Status *status = x->status;

	for (size_t i = 0; i < x->count; i++) {
		const struct inbox_receive *r = &x->posted[i];
		int bytes = 0;

		if (r->again) {
			RB_TRY(take_again(x, p, r));
			continue;
		}
		MPI_Get_count(status++, MPI_BYTE, &bytes);
		if (!policy_by_receiver(policy, r->src, policy->role))
			continue;
		if (x->received.repeats)
			received_again(&x->received, r->src, r->tag); /* it is the same message */
		else
			RB_TRY(keep(x, p, policy, r, (size_t)bytes));
	}
	x->count = 0;
	return RB_OK;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Where there is a cap, this log is the only one, and its own peak counts. */
void inbox_commit(struct inbox *x, int64_t sent)
{
	received_commit(&x->received);
	x->both_peak = larger(x->both_peak,
			      larger(x->received.log.bytes_peak, x->received.log.bytes + sent));
}
