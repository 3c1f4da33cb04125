/* Teams: only messages that cross team borders are logged, so a team rolls back together (the
 * hierarchical protocols that the memory-constrained-logging paper compares with, Sect. II-D). */
#include "base/status.h"
#include "base/text.h"
#include "ft/log/policy.h"

#include <string.h>

static int parse(struct policy *p, const char *args, struct rb_error *err)
{
	p->by_node = args && strcmp(args, "node") == 0;
	if (!p->by_node && !text_integer(args, 1, INT32_MAX, &p->amount))
		return rb_fail(err, RB_EINVAL, "--policy teams:%s: expected teams:N, N roles in a team, "
			       "or teams:node", args ? args : "");
	return RB_OK;
}

static int64_t team(const struct policy *p, int role)
{
	if (!p->by_node)
		return role / p->amount;
	return p->node ? p->node[role] : 0;
}

static bool admits(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	(void)l, (void)bytes;
	return team(p, p->role) != team(p, dst);
}

const struct policy_ops policy_teams = {
	.name = "teams",
	.form = "teams:N|node",
	.summary = "log what crosses teams of N roles (or nodes): a team rolls back together",
	.parse = parse,
	.admits = admits,
};
