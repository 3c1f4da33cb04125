#include "ft/msg/plain_port.h"

#include <stdlib.h>
#include <string.h>

static struct plain_port *port_of(struct msg *m)
{
	return (struct plain_port *)m;
}

static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct plain_port *p = port_of(m);

	return plain_take(p, arena_take(&p->scratch, bytes), dst, tag, bytes);
}

int plain_push(struct msg *m)
{
	struct plain_port *p = port_of(m);

	if (p->link->status != RB_OK)
		return p->link->status;
	return link_send(p->link, &p->sends, p->slot.payload, p->slot.bytes, p->slot.dst,
			 p->slot.tag);
}

void plain_post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	struct plain_port *p = port_of(m);

	/* plain_wait() returns its status */
	link_receive(p->link, &p->receives, buf, bytes, src, tag);
}

int plain_wait(struct msg *m)
{
	struct plain_port *p = port_of(m);

	return link_wait_statuses(p->link, &p->receives,
				  p->status ? p->status : MPI_STATUSES_IGNORE);
}

static const struct port_ops ops = {
	.reserve = reserve,
	.push = plain_push,
	.post = plain_post,
	.wait = plain_wait,
	.carries_data = true,
};

void plain_init(struct plain_port *p, struct link *link)
{
	memset(p, 0, sizeof *p);
	p->msg = (struct msg){ &ops, link->role, link->np };
	p->link = link;
}

void plain_free(struct plain_port *p)
{
	arena_free(&p->scratch);
	requests_free(&p->sends);
	requests_free(&p->receives);
	free(p->spill);
	memset(p, 0, sizeof *p);
}

void plain_begin(struct plain_port *p)
{
	arena_reset(&p->scratch);
}

int plain_flush(struct plain_port *p)
{
	return link_wait(p->link, &p->sends);
}

void plain_drain(struct plain_port *p)
{
	requests_drain(&p->receives);
	requests_drain(&p->sends);
}
