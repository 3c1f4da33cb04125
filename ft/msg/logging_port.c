#include "ft/msg/logging_port.h"

#include "base/clock.h"
#include "ft/log/crossing.h"

#include <string.h>

static struct logging_port *port_of(struct msg *m)
{
	return (struct logging_port *)m;
}

/* Memory for a message: in the log if the policy says so, else until the iteration ends. */
static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct logging_port *p = port_of(m);
	void *payload = NULL;

	if (p->policy.ops->admits(&p->policy, &p->log, dst, bytes))
		payload = log_append(&p->log, dst, tag, bytes);
	else if (log_skip(&p->log, dst) == RB_OK)
		payload = arena_take(&p->plain.scratch, bytes);
	return plain_take(&p->plain, payload, dst, tag, bytes);
}

static void operation(struct logging_port *p, bool sending)
{
	p->ops++;
	if (p->probe)
		p->probe(p->probe_ctx, sending);
}

void logging_wait_ahead(struct logging_port *p)
{
	operation(p, false);
}

/* *leaves: the message is sent, since dst does not have it yet. */
static int begin_push(struct logging_port *p, bool *leaves)
{
	if (p->plain.link->status != RB_OK)
		return p->plain.link->status;
	p->pushes++;
	operation(p, true);
	*leaves = crossing(p->iter, p->iter, p->front[p->plain.slot.dst]) == CROSSING_SENT;
	return RB_OK;
}

static int push(struct msg *m)
{
	bool leaves;

	RB_TRY(begin_push(port_of(m), &leaves));
	return leaves ? plain_push(m) : RB_OK;
}

static int wait_here(struct msg *m)
{
	operation(port_of(m), false);
	return plain_wait(m);
}

static const struct port_ops untimed = {
	.reserve = reserve,
	.push = push,
	.post = plain_post,
	.wait = wait_here,
	.carries_data = true,
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

static int timed_wait(struct msg *m)
{
	struct logging_port *p = port_of(m);

	operation(p, false);
	return timed_link_wait(p, &p->plain.receives);
}

/* The same with clock readings, for the iterations that are sampled. */
static const struct port_ops timed = {
	.reserve = timed_reserve,
	.push = timed_push,
	.post = plain_post,
	.wait = timed_wait,
	.carries_data = true,
};

int logging_init(struct logging_port *p, struct link *link, const struct policy *policy)
{
	memset(p, 0, sizeof *p);
	plain_init(&p->plain, link);
	p->plain.msg.ops = &untimed;
	p->policy = *policy;
	p->policy.role = link->role;
	p->policy.np = link->np;
	return log_init(&p->log, link->np);
}

void logging_free(struct logging_port *p)
{
	log_free(&p->log);
	plain_free(&p->plain);
}

void logging_begin(struct logging_port *p, int64_t iter, bool is_timed)
{
	plain_begin(&p->plain);
	p->plain.msg.ops = is_timed ? &timed : &untimed;
	p->iter = iter;
	p->pushes = p->ops = 0;
	log_begin(&p->log, iter);
}

int logging_flush(struct logging_port *p)
{
	return p->plain.msg.ops == &timed ? timed_link_wait(p, &p->plain.sends) : plain_flush(&p->plain);
}

/* All sends have left; only a replay could still point into the log. */
void logging_commit(struct logging_port *p, bool replaying)
{
	log_commit(&p->log);
	if (p->log.dead > 0 && !replaying)
		log_compact(&p->log);
}

void logging_abort(struct logging_port *p)
{
	plain_drain(&p->plain);
	log_abort(&p->log);
}
