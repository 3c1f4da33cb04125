/* ft/msg/logging_port.h - the log of the sender (private to ft/).
 *
 * Send suppression and replay follow the send wrapper of the message-logging-kernels paper (Alg.
 * 3), but generically: a message to a role that is past its iteration is logged and not sent
 * (ft/log/demand.h), and replay_begin() (ft/msg/replay.h) sends from the log what a role still
 * lacks. Kernels do not notice it. */
#ifndef FT_MSG_LOGGING_PORT_H
#define FT_MSG_LOGGING_PORT_H

#include "ft/log/demand.h"
#include "ft/log/log.h"
#include "ft/log/policy.h"
#include "ft/msg/cursor.h"
#include "ft/msg/layer.h"

struct logging_port {
	struct layer layer; /* what the policy does not log gets its memory from the port below */
	struct cursor *cursor;
	const struct demand *demand;
	struct policy policy;
	bool nothing; /* the policy logs no message at all, so it is not asked for each */
	struct log log;
};

/* plain, cursor, demand: the owner's. policy is copied; its role and np are set here. RB_OK or
 * RB_ENOMEM; logging_free() in both cases. */
int logging_init(struct logging_port *p, struct plain_port *plain, struct cursor *cursor,
		 const struct demand *demand, const struct policy *policy);
void logging_free(struct logging_port *p);

#endif
