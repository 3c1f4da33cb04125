#include "ft/msg/keeping_port.h"

#include <string.h>

static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct keeping_port *p = (struct keeping_port *)m;
	void *payload = kept_append(&p->kept, p->cursor->at, dst, tag, bytes);

	return layer_take(m, payload, dst, tag, bytes);
}

static const struct port_ops ops = {
	.reserve = reserve,
	.push = layer_push,
	.post = layer_post,
	.wait = layer_wait,
	.carries_data = true,
};

void keeping_init(struct keeping_port *p, struct plain_port *plain, const struct cursor *cursor)
{
	memset(p, 0, sizeof *p);
	layer_init(&p->layer, &ops, plain);
	p->cursor = cursor;
}

void keeping_free(struct keeping_port *p)
{
	kept_free(&p->kept);
}
