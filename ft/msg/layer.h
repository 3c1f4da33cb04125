/* ft/msg/layer.h - a port that stands on another one (private to ft/).
 *
 * Its struct begins with a struct layer. Its table of operations has layer_*() for each operation
 * that it leaves to the port below. A payload stays where the layer that had memory for it has put
 * it, and layer_take() tells the lowest port where that is, so a message is never copied on its way
 * down. */
#ifndef FT_MSG_LAYER_H
#define FT_MSG_LAYER_H

#include "ft/msg/plain_port.h"

struct layer {
	struct msg msg;
	struct msg *below;        /* ft/msg/ports.c sets it */
	struct plain_port *plain; /* the lowest one, the owner's */
};

static inline void layer_init(struct layer *l, const struct port_ops *ops, struct plain_port *plain)
{
	*l = (struct layer){ { ops, plain->msg.role, plain->msg.np }, NULL, plain };
}

static inline struct msg *layer_below(struct msg *m)
{
	return ((struct layer *)m)->below;
}

/* Put a layer on a port. Returns the layer as a port. */
static inline struct msg *layer_on(struct layer *l, struct msg *below)
{
	l->below = below;
	return &l->msg;
}

/* plain_take() of the lowest port. */
static inline void *layer_take(struct msg *m, void *payload, int dst, int tag, size_t bytes)
{
	return plain_take(((struct layer *)m)->plain, payload, dst, tag, bytes);
}

static inline void *layer_reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	return msg_reserve(layer_below(m), dst, tag, bytes);
}

static inline int layer_push(struct msg *m)
{
	return msg_push(layer_below(m));
}

static inline void layer_post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	msg_post(layer_below(m), src, tag, buf, bytes);
}

static inline int layer_wait(struct msg *m)
{
	return msg_wait(layer_below(m));
}

static inline bool layer_recall(struct msg *m, double *v, size_t n)
{
	struct msg *below = layer_below(m);

	return below->ops->recall && below->ops->recall(below, v, n);
}

static inline int layer_record(struct msg *m, const double *v, size_t n)
{
	struct msg *below = layer_below(m);

	return below->ops->record ? below->ops->record(below, v, n) : RB_OK;
}

#endif
