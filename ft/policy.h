/* ft/policy.h - which messages are logged: "is this (iteration, channel) logged?"
 *
 * A policy decides nothing else. Who rolls back follows from what is in the logs
 * (ft/rollback.h): `none` thereby is global rollback, `all` is local rollback. */
#ifndef FT_POLICY_H
#define FT_POLICY_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct policy_ops {
	const char *name;
	const char *summary; /* one line for `rollbench list` */
	/* Asked once per message from the caller to role dst in iteration iter. */
	bool (*logs)(int64_t iter, int dst);
};

extern const struct policy_ops *const policy_registry[]; /* NULL-terminated */
/* NULL if unknown; err then lists the names there are. */
const struct policy_ops *policy_find(const char *name, struct rb_error *err);

#endif
