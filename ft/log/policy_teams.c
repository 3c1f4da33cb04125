/* Teams: only messages that cross team borders are logged, so a team rolls back together (the
 * hierarchical protocols that the memory-constrained-logging paper compares with, Sect. II-D). With
 * :receiver, the messages within a team are kept by their receivers. Then the roles of the team
 * that have not sent to the dead one keep their state. */
#include "base/status.h"
#include "base/text.h"
#include "ft/log/policy.h"

#include <stdio.h>
#include <string.h>

static int parse(struct policy *p, const char *args, struct rb_error *err)
{
	const char *end = args ? strchr(args, ':') : NULL;
	char size[32] = "";

	snprintf(size, sizeof size, "%.*s", end ? (int)(end - args) : 31, args ? args : "");
	p->by_node = strcmp(size, "node") == 0;
	p->by_receivers = end && strcmp(end, ":receiver") == 0;
	if ((end && !p->by_receivers) ||
	    (!p->by_node && !text_integer(size, 1, INT32_MAX, &p->amount)))
		return rb_fail(
			err, RB_EINVAL,
			"--policy teams:%s: expected teams:N, N roles in a team, or teams:node, "
			"and perhaps :receiver",
			args ? args : "");
	return RB_OK;
}

static int64_t team(const struct policy *p, int role)
{
	if (!p->by_node)
		return role / p->amount;
	return p->node ? p->node[role] : 0;
}

static bool within_team(const struct policy *p, int source, int receiver)
{
	return p->by_receivers && team(p, source) == team(p, receiver);
}

static bool admits(const struct policy *p, struct log *l, int peer, size_t bytes)
{
	(void)l, (void)bytes;
	return p->by_receivers || team(p, p->role) != team(p, peer);
}

const struct policy_ops policy_teams = {
	.name = "teams",
	.form = "teams:N|node[:receiver]",
	.summary = "log what crosses teams of N roles (or nodes): a team rolls back together",
	.parse = parse,
	.by_receiver = within_team,
	.admits = admits,
};
