#include "ft/msg/logging_port.h"

#include "base/clock.h"
#include "ft/log/crossing.h"

#include <stdlib.h>
#include <string.h>

static struct logging_port *port_of(struct msg *m)
{
	return (struct logging_port *)m;
}

/* With data-flow rollback nobody ever needs a message of a reduction again, so the policy is not
 * asked. */
static bool is_of_reduction(const struct logging_port *p)
{
	return p->flow && p->flow->in_reduction;
}

/* Does the policy leave what is sent to dst to its receiver? */
static bool is_for_receiver(const struct logging_port *p, int dst)
{
	return p->inbox && policy_by_receiver(&p->policy, p->policy.role, dst);
}

/* Memory for a message that this role does not log. */
static void *outside_log(struct logging_port *p, int dst, int tag, size_t bytes)
{
	if (is_of_reduction(p))
		return arena_take(&p->plain.scratch, bytes);
	if (log_skip(&p->log, dst) != RB_OK)
		return NULL;
	if (!p->kept || (p->inbox && !is_for_receiver(p, dst)))
		return arena_take(&p->plain.scratch, bytes);
	return kept_append(p->kept, (struct place){ p->iter, p->number }, dst, tag, bytes);
}

static void *in_log(struct logging_port *p, int dst, int tag, size_t bytes)
{
	void *payload = log_append(&p->log, dst, tag, bytes);

	if (payload && p->flow)
		p->log.entry[p->log.count - 1].place = (uint16_t)p->number;
	return payload;
}

/* Memory for a message: in the log if the policy says so, else until the iteration ends. */
static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct logging_port *p = port_of(m);
	bool logged = !is_of_reduction(p) && !is_for_receiver(p, dst) &&
		      p->policy.ops->admits(&p->policy, &p->log, dst, bytes);
	void *payload = logged ? in_log(p, dst, tag, bytes) : outside_log(p, dst, tag, bytes);

	if (p->flow && !is_of_reduction(p) && p->number > PLACE_MAX)
		link_too_many(p->plain.link); /* the push returns it */
	return plain_take(&p->plain, payload, dst, tag, bytes);
}

static void operation(struct logging_port *p, bool sending)
{
	p->ops++;
	p->number += !is_of_reduction(p);
	if (p->probe)
		p->probe(p->probe_ctx, sending);
}

void logging_wait_ahead(struct logging_port *p)
{
	operation(p, false);
}

bool logging_is_needed(const struct logging_port *p, struct place place)
{
	return p->flow && place_among(p->flow->needed, p->flow->needs, place);
}

void *logging_stored(const struct logging_port *p, struct place place)
{
	const struct kept_iteration *kept = kept_of(p->kept, place.iter);
	const struct log_entry *e = log_find(&p->log, place);

	if (e)
		return e->payload;
	for (size_t i = 0; kept && i < kept->count; i++)
		if (kept->message[i].place.number == place.number)
			return kept->message[i].payload;
	return NULL;
}

/* *leaves: the message is sent, since dst does not have it yet. */
static int begin_push(struct logging_port *p, bool *leaves)
{
	const struct place place = { p->iter, p->number };

	if (p->plain.link->status != RB_OK)
		return p->plain.link->status;
	p->pushes++;
	operation(p, true);
	*leaves = crossing(p->iter, p->iter, p->front[p->plain.slot.dst]) == CROSSING_SENT ||
		  logging_is_needed(p, place);
	return RB_OK;
}

static int push(struct msg *m)
{
	bool leaves;

	RB_TRY(begin_push(port_of(m), &leaves));
	return leaves ? plain_push(m) : RB_OK;
}

static void post_here(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	struct logging_port *p = port_of(m);

	if (p->inbox)
		inbox_post(p->inbox, &p->plain, &p->policy, p->front,
			   &(struct inbox_receive){ buf, bytes, src, tag, false });
	else
		plain_post(m, src, tag, buf, bytes);
}

static int wait_with_inbox(struct logging_port *p)
{
	RB_TRY(inbox_expect(p->inbox, &p->plain));
	RB_TRY(link_wait_statuses(p->plain.link, &p->plain.receives, p->inbox->status));
	return inbox_complete(p->inbox, &p->plain, &p->policy);
}

static int wait_here(struct msg *m)
{
	struct logging_port *p = port_of(m);

	operation(p, false);
	return p->inbox ? wait_with_inbox(p) : plain_wait(m);
}

static bool recall(struct msg *m, double *v, size_t n)
{
	struct logging_port *p = port_of(m);

	if (!p->flow)
		return false;
	p->flow->in_reduction = p->iter >= p->flow->newest;
	if (!p->flow->in_reduction && !results_take(&p->flow->results, v, n))
		/* the run ends: nobody would answer a message */
		link_no_result(p->plain.link, p->iter);
	return !p->flow->in_reduction;
}

static int record(struct msg *m, const double *v, size_t n)
{
	struct logging_port *p = port_of(m);

	if (!p->flow)
		return RB_OK;
	p->flow->in_reduction = false;
	return results_add(&p->flow->results, v, n) == RB_OK ? RB_OK
							     : link_no_memory(p->plain.link);
}

static const struct port_ops untimed = {
	.reserve = reserve,
	.push = push,
	.post = post_here,
	.wait = wait_here,
	.carries_data = true,
	.recall = recall,
	.record = record,
};

static double now(struct logging_port *p)
{
	p->spent.readings++;
	return clock_monotonic();
}

static void *timed_reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct logging_port *p = port_of(m);
	double begin = now(p);
	void *payload = reserve(m, dst, tag, bytes);

	p->taken = now(p);
	p->spent.log += p->taken - begin;
	return payload;
}

static int timed_push(struct msg *m)
{
	struct logging_port *p = port_of(m);
	double begin;
	bool leaves;
	int rc;

	RB_TRY(begin_push(p, &leaves));
	if (!leaves)
		return RB_OK;
	begin = now(p);
	p->spent.pack += begin - p->taken;
	rc = plain_push(m);
	p->spent.communicate += now(p) - begin;
	return rc;
}

static int timed_link_wait(struct logging_port *p, struct requests *r)
{
	double begin = now(p);
	int rc = link_wait(p->plain.link, r);

	p->spent.communicate += now(p) - begin;
	return rc;
}

static int timed_wait_with_inbox(struct logging_port *p)
{
	double begin = now(p), arrived;
	int rc;

	RB_TRY(inbox_expect(p->inbox, &p->plain));
	RB_TRY(link_wait_statuses(p->plain.link, &p->plain.receives, p->inbox->status));
	arrived = now(p);
	rc = inbox_complete(p->inbox, &p->plain, &p->policy);
	p->spent.communicate += arrived - begin;
	p->spent.log += now(p) - arrived;
	return rc;
}

static int timed_wait(struct msg *m)
{
	struct logging_port *p = port_of(m);

	operation(p, false);
	return p->inbox ? timed_wait_with_inbox(p) : timed_link_wait(p, &p->plain.receives);
}

/* The same with clock readings, for the iterations that are sampled. */
static const struct port_ops timed = {
	.reserve = timed_reserve,
	.push = timed_push,
	.post = post_here,
	.wait = timed_wait,
	.carries_data = true,
	.recall = recall,
	.record = record,
};

int logging_init(struct logging_port *p, struct link *link, const struct policy *policy,
		 bool dataflow)
{
	memset(p, 0, sizeof *p);
	plain_init(&p->plain, link);
	p->plain.msg.ops = &untimed;
	p->policy = *policy;
	p->policy.role = link->role;
	p->policy.np = link->np;
	if (dataflow && !(p->flow = calloc(1, sizeof *p->flow)))
		return RB_ENOMEM;
	if (policy->by_receivers && !(p->inbox = calloc(1, sizeof *p->inbox)))
		return RB_ENOMEM;
	if (p->inbox)
		RB_TRY(inbox_init(p->inbox, link->np));
	p->kept = p->flow ? &p->flow->kept : p->inbox ? &p->inbox->kept : NULL;
	RB_TRY(log_init(&p->log, link->np));
	p->log.keeps = policy->kept;
	return RB_OK;
}

void logging_free(struct logging_port *p)
{
	if (p->flow) {
		kept_free(&p->flow->kept);
		results_free(&p->flow->results);
		free(p->flow);
	}
	if (p->inbox)
		inbox_free(p->inbox);
	free(p->inbox);
	log_free(&p->log);
	plain_free(&p->plain);
}

void logging_begin(struct logging_port *p, int64_t iter, bool is_timed)
{
	plain_begin(&p->plain);
	p->plain.msg.ops = is_timed ? &timed : &untimed;
	p->iter = iter;
	p->pushes = p->ops = 0;
	p->number = 0;
	log_begin(&p->log, iter);
	if (p->kept)
		kept_begin(p->kept, iter);
	if (p->inbox) {
		received_begin(&p->inbox->received, iter);
		p->inbox->count = 0;
	}
	if (p->flow) {
		p->flow->in_reduction = false;
		results_begin(&p->flow->results, iter);
	}
}

int logging_flush(struct logging_port *p)
{
	return p->plain.msg.ops == &timed ? timed_link_wait(p, &p->plain.sends)
					  : plain_flush(&p->plain);
}

/* All sends have left; only a replay could still point into the log. */
int logging_commit(struct logging_port *p, bool replaying)
{
	log_commit(&p->log);
	if (p->log.dead > 0 && !replaying)
		log_compact(&p->log);
	if (p->inbox)
		inbox_commit(p->inbox, p->log.bytes);
	return p->flow ? results_commit(&p->flow->results) : RB_OK;
}

void logging_abort(struct logging_port *p)
{
	plain_drain(&p->plain);
	log_abort(&p->log);
	if (p->inbox)
		received_abort(&p->inbox->received);
}

int logging_trim(struct logging_port *p, int64_t c)
{
	if (p->flow)
		results_trim(&p->flow->results, c);
	if (p->inbox)
		RB_TRY(received_trim(&p->inbox->received, c));
	return log_trim(&p->log, c);
}

void logging_mark(struct logging_port *p, int64_t c)
{
	log_mark(&p->log, c);
	if (p->inbox)
		received_mark(&p->inbox->received, c);
}

static void restart_sent(struct logging_port *p, int64_t c)
{
	if (p->flow)
		results_restart(&p->flow->results, c);
	log_restart(&p->log, c);
}

void logging_restart(struct logging_port *p, int64_t c)
{
	restart_sent(p, c);
	if (p->inbox)
		received_restart(&p->inbox->received, c);
}

int logging_roll_back(struct logging_port *p, int64_t c)
{
	restart_sent(p, c);
	return p->inbox ? received_roll_back(&p->inbox->received, c) : RB_OK;
}

int64_t logging_bytes_peak(const struct logging_port *p)
{
	return p->inbox && p->inbox->both_peak > p->log.bytes_peak ? p->inbox->both_peak
								   : p->log.bytes_peak;
}

int64_t logging_bytes_total(const struct logging_port *p)
{
	return p->log.bytes_total + (p->inbox ? p->inbox->received.log.bytes_total : 0);
}
