#include "contract/port.h"

#include <stdio.h>
#include <stdlib.h>

int msg_role(const struct msg *m)
{
	return m->role;
}

int msg_np(const struct msg *m)
{
	return m->np;
}

void *msg_reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	return m->ops->reserve(m, dst, tag, bytes);
}

int msg_push(struct msg *m)
{
	return m->ops->push(m);
}

void msg_post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	m->ops->post(m, src, tag, buf, bytes);
}

int msg_wait(struct msg *m)
{
	return m->ops->wait(m);
}

void msg_copied(struct msg *m, size_t bytes)
{
	if (m->ops->copied)
		m->ops->copied(m, bytes);
}

void msg_part(struct msg *m, enum msg_part part, const char *name)
{
	if (m->ops->part)
		m->ops->part(m, part, name);
}

void *port_spill(void **spill, size_t bytes)
{
	free(*spill);
	*spill = calloc(1, bytes ? bytes : 1);
	if (!*spill) {
		fprintf(stderr, "rollbench: out of memory for a message of %zu bytes\n", bytes);
		abort();
	}
	return *spill;
}
