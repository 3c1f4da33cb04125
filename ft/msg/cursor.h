/* ft/msg/cursor.h - where a role is in its program: counts of its message operations (private to
 * ft/). */
#ifndef FT_MSG_CURSOR_H
#define FT_MSG_CURSOR_H

#include "ft/log/place.h"

/* Called at every message operation, where a failure may be injected; `sending`: before a send
 * leaves, else before a wait. The counts say which operation it is. */
typedef void cursor_probe(void *ctx, bool sending);

struct cursor {
	/* of the next send or wait; with data-flow rollback, those of reductions over all roles
	 * have no place */
	struct place at;
	int pushes, ops;     /* sends, and sends and waits, of this iteration so far */
	cursor_probe *probe; /* NULL: none */
	void *ctx;
};

static inline void cursor_begin(struct cursor *c, int64_t iter)
{
	c->at = (struct place){ iter, 0 };
	c->pushes = c->ops = 0;
}

/* An operation without a place. */
static inline void cursor_count(struct cursor *c, bool sending)
{
	c->pushes += sending;
	c->ops++;
	if (c->probe)
		c->probe(c->ctx, sending);
}

static inline void cursor_pass(struct cursor *c, bool sending)
{
	c->at.number++;
	cursor_count(c, sending);
}

#endif
