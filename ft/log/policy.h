/* ft/log/policy.h - who keeps a message: its sender, its receiver or nobody
 * (memory-constrained-logging paper, Sect. I and Fig. 1: each channel logs outgoing, incoming or no
 * communication).
 *
 * A policy decides nothing else. Who rolls back follows from what is in the logs
 * (ft/recovery/closure.h): `none` gives global rollback, `all` local rollback, `window` one after
 * the other, `budget` rollback chains, `teams` the hierarchical protocols. A policy is a name and
 * perhaps parameters behind a colon: "window:10". It has no state of its own: what it needs to know
 * is in the log, so that a replacement that starts with an empty log decides like the process it
 * replaces. If what it needs to know is older than the log, it is in the checkpoint
 * (log_status). */
#ifndef FT_LOG_POLICY_H
#define FT_LOG_POLICY_H

#include "base/error.h"
#include "ft/log/log.h"

#include <stdbool.h>
#include <stdint.h>

struct policy {
	const struct policy_ops *ops;
	int64_t amount; /* iterations, bytes or roles: the number behind the colon */
	bool clusters;  /* budget: switch off by clusters rather than the heaviest channel */
	/* budget: look at the cap before the message is added, and switch off one channel at
	 * most */
	bool online;
	/* then: what is off stays off behind a checkpoint, so the log keeps the status of
	 * channels */
	bool kept;
	bool by_node;      /* teams: the roles that started on one node */
	bool by_receivers; /* some messages are to be kept by their receivers */
	int role, np;      /* whose log it judges */
	const int *node;   /* np: where each role started; NULL: all on one node */
};

struct policy_ops {
	const char *name;
	const char *form;    /* "window:K" */
	const char *summary; /* one line for `rollbench list` */
	/* Read the text behind the colon (NULL: there is none) into the policy. RB_OK or
	 * RB_EINVAL; err then says what was expected. NULL: no parameters. */
	int (*parse)(struct policy *p, const char *args, struct rb_error *err);
	/* Which end of the channel is to keep its messages: the same answer on both ends and at all
	 * times. NULL: the sender. */
	bool (*by_receiver)(const struct policy *p, int source, int receiver);
	/* Does p->role keep a message of the log's current iteration? Asked once per message at the
	 * end that is to keep it: peer is the other end, and l the log of what was sent, or that of
	 * what was received. May switch channels off to make room. */
	bool (*admits)(const struct policy *p, struct log *l, int peer, size_t bytes);
	/* For how many iterations of each interval, from the checkpoint on, it admits all messages;
	 * none afterwards. NULL: it asks who sends, to whom or what is in the log. */
	int64_t (*first_iterations)(const struct policy *p);
};

static inline bool policy_by_receiver(const struct policy *p, int source, int receiver)
{
	return p->ops->by_receiver && p->ops->by_receiver(p, source, receiver);
}

static inline bool policy_logs_nothing(const struct policy *p)
{
	return p->ops->first_iterations && p->ops->first_iterations(p) == 0;
}

/* others are known by name only */
extern const struct policy_ops policy_off, policy_none, policy_all, policy_receiver;
extern const struct policy_ops *const policy_registry[]; /* NULL-terminated */

/* Find and parse; role, np and node are left for the caller. RB_OK, or RB_EINVAL with the known
 * policies in err. */
int policy_parse(struct policy *p, const char *text, struct rb_error *err);

#endif
