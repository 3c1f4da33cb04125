/* ft/log/policy.h - which messages are logged: "is this (iteration, channel) logged?"
 *
 * A policy decides nothing else. Who rolls back follows from what is in the logs (ft/recovery/closure.h):
 * `none` gives global rollback, `all` local rollback, `window` one after the other, `budget` rollback chains,
 * `teams` the hierarchical protocols. A policy is a name and perhaps parameters behind a colon: "window:10".
 * It has no state of its own: what it needs to know is in the log, so that a replacement that starts with an
 * empty log decides like the process it replaces. */
#ifndef FT_LOG_POLICY_H
#define FT_LOG_POLICY_H

#include "base/error.h"
#include "ft/log/log.h"

#include <stdbool.h>
#include <stdint.h>

struct policy {
	const struct policy_ops *ops;
	int64_t amount;   /* iterations, bytes or roles: the number behind the colon */
	bool clusters;    /* budget: switch off by clusters rather than the heaviest channel */
	bool by_node;     /* teams: the roles that started on one node */
	int role, np;     /* whose sends it judges */
	const int *node;  /* np: where each role started; NULL: all on one node */
};

struct policy_ops {
	const char *name;
	const char *form;    /* "window:K" */
	const char *summary; /* one line for `rollbench list` */
	/* Read the text behind the colon (NULL: there is none) into the policy. RB_OK or
	 * RB_EINVAL; err then says what was expected. NULL: no parameters. */
	int (*parse)(struct policy *p, const char *args, struct rb_error *err);
	/* Asked once per message from p->role to dst in the log's current iteration. May switch
	 * channels off to make room. */
	bool (*admits)(const struct policy *p, struct log *l, int dst, size_t bytes);
};

extern const struct policy_ops policy_off, policy_none, policy_all; /* others are known by name only */
extern const struct policy_ops *const policy_registry[]; /* NULL-terminated */

/* Find and parse; role, np and node are left for the caller. RB_OK, or RB_EINVAL with the known policies in
 * err. */
int policy_parse(struct policy *p, const char *text, struct rb_error *err);

#endif
