#include "ft/msg/timed_port.h"

#include "base/clock.h"

#include <stddef.h>
#include <string.h>

static struct timed_port *of_upper(struct msg *m)
{
	return (struct timed_port *)m;
}

static struct timed_port *of_lower(struct msg *m)
{
	return (struct timed_port *)((char *)m - offsetof(struct timed_port, lower));
}

static double now(struct timed_port *p)
{
	p->readings++;
	return clock_monotonic();
}

static void *upper_reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct timed_port *p = of_upper(m);
	double begin = now(p);
	void *payload = layer_reserve(m, dst, tag, bytes);

	p->taken = now(p);
	p->log += p->taken - begin;
	return payload;
}

/* What has arrived may be logged, too. */
static int upper_wait(struct msg *m)
{
	struct timed_port *p = of_upper(m);

	RB_TRY(layer_wait(m));
	p->log += now(p) - p->arrived;
	return RB_OK;
}

static const struct port_ops upper = {
	.reserve = upper_reserve,
	.push = layer_push,
	.post = layer_post,
	.wait = upper_wait,
	.carries_data = true,
	.recall = layer_recall,
	.record = layer_record,
};

static int lower_push(struct msg *m)
{
	struct timed_port *p = of_lower(m);
	double begin = now(p);
	int rc = layer_push(m);

	p->pack += begin - p->taken;
	p->communicate += now(p) - begin;
	return rc;
}

static int lower_wait(struct msg *m)
{
	struct timed_port *p = of_lower(m);
	double begin = now(p);
	int rc = layer_wait(m);

	p->arrived = now(p);
	p->communicate += p->arrived - begin;
	return rc;
}

static const struct port_ops lower = {
	.reserve = layer_reserve,
	.push = lower_push,
	.post = layer_post,
	.wait = lower_wait,
	.carries_data = true,
};

void timed_init(struct timed_port *p, struct plain_port *plain)
{
	memset(p, 0, sizeof *p);
	layer_init(&p->upper, &upper, plain);
	layer_init(&p->lower, &lower, plain);
}

int timed_flush(struct timed_port *p)
{
	double begin = now(p);
	int rc = plain_flush(p->lower.plain);

	p->communicate += now(p) - begin;
	return rc;
}
