/* A hard cap on the bytes of a role's log (memory-constrained-logging paper, Sect. IV): when the
 * next payload would exceed it, channels are switched off and forgotten until it fits. Ties go to
 * the smallest role. What is off stays off until the next checkpoint empties the log. With
 * :receiver the cap is on what a role has received, and it is the receiver that switches channels
 * off.
 *
 * With :online, channels are switched off as in the paper's Alg. 1: before a message is added, the
 * log is compared with the cap, and if it is larger, the one channel with the most bytes so far is
 * switched off. So the log exceeds the cap by one message at most: the last message lies on a
 * channel that is on, so the heaviest channel has at least as many bytes. Alg. 1 counts the bytes
 * that each channel has sent. Since the checkpoint, these are the bytes that the channel has in the
 * log, as long as it is on, and nobody asks for those of a channel that is off.
 *
 * With :online:kept, the bytes are those since the run began, and what is off stays off, as in line
 * 29 of Alg. 1. Then the heaviest channel may have less in the log than the last message, so the
 * log can exceed the cap by more than a message. */
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

/* ":clusters:receiver": each at most once, the strategy first. Alg. 1 is about what is sent, so
 * :online stands alone. */
static bool parse_choices(struct policy *p, const char *text)
{
	static const char heaviest[] = ":heaviest", clusters[] = ":clusters";

	p->kept = strcmp(text, ":online:kept") == 0;
	p->online = p->kept || strcmp(text, ":online") == 0;
	if (p->online)
		return true;
	p->clusters = strncmp(text, clusters, sizeof clusters - 1) == 0;
	if (p->clusters || strncmp(text, heaviest, sizeof heaviest - 1) == 0)
		text += sizeof clusters - 1;
	p->by_receivers = strcmp(text, ":receiver") == 0;
	return p->by_receivers || *text == '\0';
}

static bool by_receiver(const struct policy *p, int source, int receiver)
{
	(void)source, (void)receiver;
	return p->by_receivers;
}

static int parse(struct policy *p, const char *args, struct rb_error *err)
{
	const char *end = args ? args + strcspn(args, ":") : NULL;

	if (!parse_bytes(args, end, &p->amount) || !parse_choices(p, end))
		return rb_fail(
			err, RB_EINVAL,
			"--policy budget:%s: expected budget:BYTES, perhaps with K, M or G (or "
			"PERCENT%% of what `all` needs), and perhaps :online or :online:kept, or "
			":heaviest or :clusters, and :receiver",
			args ? args : "");
	return RB_OK;
}

/* The channel that is on and has the most bytes, those of a message to dst included; dst, or -1, if
 * none has any. They are the bytes in the log or, if the log keeps the status of channels, all that
 * were sent. Ties go to the smallest role. */
static int heaviest(const struct log *l, int dst, int64_t bytes)
{
	int64_t most = log_held(l, dst) + bytes;
	int found = dst;

	for (int i = 0; i < l->channels.count; i++) {
		const struct log_channel *ch = &l->channels.list[i];
		int64_t weight =
			(l->keeps ? ch->sent : ch->held) + (ch->receiver == dst ? bytes : 0);

		if (!ch->off && (weight > most || (weight == most && ch->receiver < found))) {
			most = weight;
			found = ch->receiver;
		}
	}
	return found;
}

/* The smallest cluster with a channel to switch off: of 8 roles, role 5 has the clusters {4,5},
 * {4..7}, {0..7} (Sect. V-B, Table V). */
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

/* The paper's SENDMSG, lines 7 to 10. */
static bool admits_online(const struct policy *p, struct log *l, int dst)
{
	const int most = l->bytes > p->amount ? heaviest(l, -1, 0) : -1;

	if (most >= 0 && log_switch_off(l, most) != RB_OK)
		return false;
	return !log_is_off(l, dst);
}

static bool admits(const struct policy *p, struct log *l, int dst, size_t bytes)
{
	if (p->online)
		return admits_online(p, l, dst);
	while (!log_is_off(l, dst) && l->bytes + (int64_t)bytes > p->amount) {
		int rc = p->clusters ? switch_off_cluster(p, l, dst)
				     : log_switch_off(l, heaviest(l, dst, (int64_t)bytes));

		if (rc != RB_OK)
			return false; /* out of memory: log_skip() then says so */
	}
	return !log_is_off(l, dst);
}

const struct policy_ops policy_budget = {
	.name = "budget",
	.form = "budget:BYTES[:online[:kept]|[:heaviest|clusters][:receiver]]",
	.summary =
		"log at most BYTES a role: channels are switched off as needed (rollback chains)",
	.parse = parse,
	.by_receiver = by_receiver,
	.admits = admits,
};
