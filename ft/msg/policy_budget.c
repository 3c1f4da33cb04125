/* A hard cap on the bytes of a role's log (memory-constrained-logging paper, Sect. IV): when the
 * next payload would exceed it, channels are switched off and forgotten until it fits. Ties go to
 * the smallest role. What is off stays off until the next checkpoint empties the log. */
#include "base/status.h"
#include "base/text.h"
#include "ft/msg/policy.h"

#include <string.h>

/* "4096", "64K", "2M", "1G". */
static bool parse_bytes(const char *text, const char *end, int64_t *out)
{
	static const char units[] = "KMG";
	int64_t unit = 1;
	const char *at, *stop = text;

	if (!text || !text_digits(&stop, out))
		return false;
	for (at = units; stop < end && *at; at++) {
		unit *= 1024;
		if (*stop == *at)
			break;
	}
	if (stop < end && *at)
		stop++;
	else
		unit = 1;
	if (stop != end || *out > INT64_MAX / unit)
		return false;
	*out *= unit;
	return true;
}

static int parse(struct policy *p, const char *args, struct rb_error *err)
{
	const char *end = args ? strchr(args, ':') : NULL;
	bool ok;

	p->clusters = end && strcmp(end, ":clusters") == 0;
	ok = !end || p->clusters || strcmp(end, ":heaviest") == 0;
	if (args && !end)
		end = args + strlen(args);
	if (!ok || !parse_bytes(args, end, &p->amount))
		return rb_fail(err, RB_EINVAL, "--policy budget:%s: expected budget:BYTES, perhaps with "
			       "K, M or G (or PERCENT%% of what `all` needs), and perhaps :heaviest or "
			       ":clusters", args ? args : "");
	return RB_OK;
}

static int heaviest(const struct log *l, int dst, int64_t bytes)
{
	int64_t most = -1;
	int found = dst;

	for (int d = 0; d < l->np; d++) {
		int64_t weight = l->held[d] + (d == dst ? bytes : 0);

		if (!l->off[d] && weight > most) {
			most = weight;
			found = d;
		}
	}
	return found;
}

/* The nearest level of the dendrogram with something to win: of 8 roles, role 5 has the clusters
 * {4,5}, {4..7}, {0..7} (Sect. V-B, Table V). */
static void switch_off_cluster(const struct policy *p, struct log *l, int dst)
{
	for (int64_t size = 2;; size *= 2) {
		int64_t first = p->role / size * size;
		bool any = false;

		for (int64_t d = first; d < first + size && d < l->np; d++) {
			if (l->off[d] || (l->held[d] == 0 && d != dst))
				continue;
			log_switch_off(l, (int)d);
			any = true;
		}
		if (any || size >= l->np)
			return;
	}
}

static bool admits(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	while (!l->off[dst] && l->bytes + (int64_t)bytes > p->amount) {
		if (p->clusters)
			switch_off_cluster(p, l, dst);
		else
			log_switch_off(l, heaviest(l, dst, (int64_t)bytes));
	}
	return !l->off[dst];
}

const struct policy_ops policy_budget = {
	.name = "budget",
	.form = "budget:BYTES[:heaviest|clusters]",
	.summary = "log at most BYTES a role: channels are switched off as needed (rollback chains)",
	.parse = parse,
	.admits = admits,
};
