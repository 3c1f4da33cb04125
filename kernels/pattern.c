/* The pattern of a kernel: it makes its message calls to a port that sends nothing and reports each send. */
#include "kernels/pattern.h"

#include "ft/msg/port.h"

#include <stdlib.h>

struct counting_port {
	struct msg msg;
	pattern_visit *visit;
	void *ctx;
	struct port_slot slot; /* its payload has room for the longest message so far */
	size_t room;
	int status;            /* RB_OK or RB_ENOMEM */
	void *spill;
};

static struct counting_port *port_of(struct msg *m)
{
	return (struct counting_port *)m;
}

/* A kernel may pack data that nobody reads, so all messages get the same memory. */
static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct counting_port *p = port_of(m);

	if (bytes >= p->room) {
		free(p->slot.payload);
		p->slot.payload = calloc(1, bytes + 1);
		p->room = p->slot.payload ? bytes + 1 : 0;
	}
	p->slot.bytes = bytes;
	p->slot.dst = dst;
	p->slot.tag = tag;
	if (p->slot.payload)
		return p->slot.payload;
	p->status = RB_ENOMEM;
	return port_spill(&p->spill, bytes);
}

static int push(struct msg *m)
{
	struct counting_port *p = port_of(m);

	return p->status != RB_OK ? p->status : p->visit(p->ctx, p->slot.dst, p->slot.tag, p->slot.bytes);
}

static void post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	(void)m, (void)src, (void)tag, (void)buf, (void)bytes;
}

static int wait_here(struct msg *m)
{
	return port_of(m)->status;
}

static const struct port_ops counting_ops = {
	.reserve = reserve,
	.push = push,
	.post = post,
	.wait = wait_here,
	.carries_data = false,
};

static int sends(const struct pattern *pattern, int role, int64_t iter, pattern_visit *visit, void *ctx)
{
	const struct kernel_pattern *p = (const struct kernel_pattern *)pattern;
	struct counting_port port = { .msg = { &counting_ops, role, pattern->np }, .visit = visit, .ctx = ctx };
	int rc = p->kernel->pattern(p->args, role, pattern->np, iter, &port.msg);

	free(port.slot.payload);
	free(port.spill);
	return rc;
}

struct kernel_pattern kernel_pattern(const struct kernel_ops *kernel, const struct kernel_args *args, int np)
{
	return (struct kernel_pattern){ { np, sends }, kernel, args };
}
