/* A hard cap on the bytes of a role's log (memory-constrained-logging paper, Sect. IV): when the
 * next payload would exceed it, channels are switched off and forgotten until it fits. Ties go to
 * the smallest role. What is off stays off until the next checkpoint empties the log. */
#include "base/status.h"
#include "base/text.h"
#include "ft/log/policy.h"

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

/* Ties go to the smallest role. */
static int heaviest(const struct log *l, int dst, int64_t bytes)
{
	int64_t most = log_held(l, dst) + bytes;
	int found = dst;

	for (int i = 0; i < l->channels.count; i++) {
		const struct log_channel *ch = &l->channels.list[i];
		int64_t weight = ch->held + (ch->receiver == dst ? bytes : 0);

		if (!ch->off && (weight > most || (weight == most && ch->receiver < found))) {
			most = weight;
			found = ch->receiver;
		}
	}
	return found;
}

/* The smallest cluster with a channel to switch off: of 8 roles, role 5 has the clusters {4,5}, {4..7},
 * {0..7} (Sect. V-B, Table V). */
static int switch_off_cluster(const struct policy *p, struct log *l, int dst)
{
	for (int64_t size = 2;; size *= 2) {
		int64_t first = p->role / size * size;
		bool any = false;

		for (int64_t d = first; d < first + size && d < l->np; d++) {
			if (log_is_off(l, (int)d) || (log_held(l, (int)d) == 0 && d != dst))
				continue;
			RB_TRY(log_switch_off(l, (int)d));
			any = true;
		}
		if (any || size >= l->np)
			return RB_OK;
	}
}

static bool admits(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	while (!log_is_off(l, dst) && l->bytes + (int64_t)bytes > p->amount) {
		int rc = p->clusters ? switch_off_cluster(p, l, dst) :
				       log_switch_off(l, heaviest(l, dst, (int64_t)bytes));

		if (rc != RB_OK)
			return false; /* out of memory: log_skip() then says so */
	}
	return !log_is_off(l, dst);
}

const struct policy_ops policy_budget = {
	.name = "budget",
	.form = "budget:BYTES[:heaviest|clusters]",
	.summary = "log at most BYTES a role: channels are switched off as needed (rollback chains)",
	.parse = parse,
	.admits = admits,
};
