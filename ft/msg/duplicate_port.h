/* ft/msg/duplicate_port.h - messages of a duplicate, a second state of a role that repeats
 * iterations for others (private to ft/).
 *
 * A duplicate executes a role's program from its entry in the recovery line up to a place, where
 * the port returns RB_STOPPED (ft/recovery/cone.h). It sends what others lack and nothing else, and
 * receives only what a wait that it executes completes, so that no message is left over: receives
 * are posted when their wait comes. Results of reductions over all roles are those that the role
 * has recorded.
 *
 * A duplicate may go on behind its role's part of the cone, without messages that are nowhere. What
 * it computes there can be wrong. So what it sends from there on is what the role has in its log or
 * has kept, if there is that. */
#ifndef FT_MSG_DUPLICATE_PORT_H
#define FT_MSG_DUPLICATE_PORT_H

#include "ft/msg/ports.h"

struct duplicate_case {
	const struct ports *of;       /* of the role: what others lack, and its results */
	struct place part, end;       /* of the cone, and of the duplicate */
	const struct absence *absent; /* messages that are not received, sorted */
	size_t absences;
};

struct duplicate_port {
	struct plain_port plain;
	struct duplicate_case x;
	struct place at; /* the operation that comes next */
	size_t taken;    /* numbers of this iteration's results */
	struct duplicate_receive {
		int src, tag;
		void *buf;
		size_t bytes;
	} posted[MSG_POST_MAX];
	int receives;
};

/* The role's own ports have the same link; both outlive this one, and so does the list. */
void duplicate_init(struct duplicate_port *p, const struct duplicate_case *x);
void duplicate_free(struct duplicate_port *p);
void duplicate_begin(struct duplicate_port *p, int64_t iter); /* an iteration */

#endif
