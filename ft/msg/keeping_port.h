/* ft/msg/keeping_port.h - what the policy does not log is kept for one iteration more: below the
 * logging port, with data-flow rollback (ft/log/kept.h; private to ft/). */
#ifndef FT_MSG_KEEPING_PORT_H
#define FT_MSG_KEEPING_PORT_H

#include "ft/log/kept.h"
#include "ft/msg/cursor.h"
#include "ft/msg/layer.h"

struct keeping_port {
	struct layer layer;
	const struct cursor *cursor;
	struct kept kept;
};

/* plain, cursor: the owner's. */
void keeping_init(struct keeping_port *p, struct plain_port *plain, const struct cursor *cursor);
void keeping_free(struct keeping_port *p);

#endif
