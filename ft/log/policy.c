#include "ft/log/policy.h"

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool admits_nothing(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	(void)p, (void)l, (void)dst, (void)bytes;
	return false;
}

static bool admits_everything(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	(void)p, (void)l, (void)dst, (void)bytes;
	return true;
}

static int64_t no_iteration(const struct policy *p)
{
	(void)p;
	return 0;
}

static int64_t every_iteration(const struct policy *p)
{
	(void)p;
	return INT64_MAX;
}

/* More than a policy: ft/player.c, ft/role/unprotected.c and the launcher leave out what protection
 * needs. */
const struct policy_ops policy_off = {
	.name = "off",
	.form = "off",
	.summary =
		"no protection at all, no failures allowed: what the others are measured against",
	.admits = admits_nothing,
	.first_iterations = no_iteration,
};

const struct policy_ops policy_none = {
	.name = "none",
	.form = "none",
	.summary = "log nothing: every role rolls back (global rollback)",
	.admits = admits_nothing,
	.first_iterations = no_iteration,
};

const struct policy_ops policy_all = {
	.name = "all",
	.form = "all",
	.summary = "log every message: only the dead roles roll back (local rollback)",
	.admits = admits_everything,
	.first_iterations = every_iteration,
};

static int parse_receiver(struct policy *p, const char *args, struct rb_error *err)
{
	p->by_receivers = true;
	if (args)
		return rb_fail(err, RB_EINVAL, "--policy receiver:%s: receiver takes no parameter",
			       args);
	return RB_OK;
}

static bool every_channel(const struct policy *p, int source, int receiver)
{
	(void)p, (void)source, (void)receiver;
	return true;
}

const struct policy_ops policy_receiver = {
	.name = "receiver",
	.form = "receiver",
	.summary = "the receiver keeps every message: the dead roles and all that sent to them "
		   "roll back",
	.parse = parse_receiver,
	.by_receiver = every_channel,
	.admits = admits_everything,
};

#define POLICY(name) extern const struct policy_ops policy_##name;
#include "ft/log/policy_list.h"
#undef POLICY

#define POLICY(name) &policy_##name,
const struct policy_ops *const policy_registry[] = {
#include "ft/log/policy_list.h"
	NULL
};
#undef POLICY

static int unknown(const char *text, struct rb_error *err)
{
	char known[256] = "";
	size_t used = 0;

	for (const struct policy_ops *const *p = policy_registry; *p && used < sizeof known; p++)
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
					 used ? ", " : "", (*p)->form);
	return rb_fail(err, RB_EINVAL, "--policy %s: unknown policy; there are: %s", text, known);
}

int policy_parse(struct policy *p, const char *text, struct rb_error *err)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	memset(p, 0, sizeof *p);
	for (const struct policy_ops *const *o = policy_registry; *o; o++) {
		if (strlen((*o)->name) != length || strncmp((*o)->name, text, length) != 0)
			continue;
		p->ops = *o;
		if ((*o)->parse)
			return (*o)->parse(p, colon ? colon + 1 : NULL, err);
		if (colon)
			return rb_fail(err, RB_EINVAL, "--policy %s: %s takes no parameter", text,
				       (*o)->name);
		return RB_OK;
	}
	return unknown(text, err);
}
