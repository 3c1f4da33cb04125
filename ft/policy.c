#include "ft/policy.h"

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool logs_nothing(int64_t iter, int dst)
{
	(void)iter;
	(void)dst;
	return false;
}

static bool logs_everything(int64_t iter, int dst)
{
	(void)iter;
	(void)dst;
	return true;
}

static const struct policy_ops policy_none = {
	.name = "none",
	.summary = "log nothing: every role rolls back (global rollback)",
	.logs = logs_nothing,
};

static const struct policy_ops policy_all = {
	.name = "all",
	.summary = "log every message: only the dead roles roll back (local rollback)",
	.logs = logs_everything,
};

const struct policy_ops *const policy_registry[] = { &policy_none, &policy_all, NULL };

const struct policy_ops *policy_find(const char *name, struct rb_error *err)
{
	char known[128] = "";
	size_t used = 0;

	for (const struct policy_ops *const *p = policy_registry; *p; p++) {
		if (strcmp((*p)->name, name) == 0)
			return *p;
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
					 used ? ", " : "", (*p)->name);
	}
	rb_fail(err, RB_EINVAL, "--policy %s: unknown policy; there are: %s", name, known);
	return NULL;
}
