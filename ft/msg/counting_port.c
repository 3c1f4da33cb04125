#include "ft/msg/counting_port.h"

#include <stdlib.h>
#include <string.h>

static struct counting_port *port_of(struct msg *m)
{
	return (struct counting_port *)m;
}

/* Kernels may pack something, which nobody reads: every message gets the same memory. */
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

void counting_init(struct counting_port *p, int role, int np, counting_visit *visit, void *ctx)
{
	memset(p, 0, sizeof *p);
	p->msg = (struct msg){ &counting_ops, role, np };
	p->visit = visit;
	p->ctx = ctx;
}

void counting_free(struct counting_port *p)
{
	free(p->slot.payload);
	free(p->spill);
	memset(p, 0, sizeof *p);
}
