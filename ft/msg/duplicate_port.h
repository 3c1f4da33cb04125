/* ft/msg/duplicate_port.h - messages of a duplicate, a second state of a role that repeats iterations for others (private
 * to ft/).
 *
 * A duplicate executes a role's program from its entry in the recovery line up to a place, where the port returns
 * RB_STOPPED (ft/recovery/cone.h). It sends what others lack and nothing else, and receives only what a wait that it
 * executes completes, so that no message is left over: receives are posted when their wait comes. Results of reductions
 * over all roles are those that the role has recorded. */
#ifndef FT_MSG_DUPLICATE_PORT_H
#define FT_MSG_DUPLICATE_PORT_H

#include "ft/msg/logging_port.h"

struct duplicate_port {
	struct plain_port plain;
	const struct logging_port *of; /* of the role: what others lack, and its results */
	struct place end, at;          /* at: the operation that comes next */
	size_t taken;                  /* numbers of this iteration's results */
	struct duplicate_receive {
		int src, tag;
		void *buf;
		size_t bytes;
	} posted[MSG_POST_MAX];
	int receives;
};

/* of: the role's own port, with the same link; both outlive this one. */
void duplicate_init(struct duplicate_port *p, const struct logging_port *of, struct place end);
void duplicate_free(struct duplicate_port *p);
void duplicate_begin(struct duplicate_port *p, int64_t iter); /* an iteration */

#endif
