#include "ft/recovery/gaps.h"

#include "base/grow.h"
#include "base/status.h"

#include <stdlib.h>

/* What was sent to one receiver in the iteration that is looked at, and what is left of it. */
struct traffic {
	int32_t receiver;
	int sent, logged, kept;
};

struct listing {
	const struct gaps_case *x;
	struct gap *gap;
	size_t gaps, gap_room;
	struct traffic *traffic;
	size_t receivers, traffic_room;
	size_t entry; /* of the log: the first one of this iteration or later */
};

static int count(struct listing *l, struct traffic more)
{
	struct traffic *list;

	for (size_t i = 0; i < l->receivers; i++)
		if (l->traffic[i].receiver == more.receiver) {
			l->traffic[i].sent += more.sent;
			l->traffic[i].logged += more.logged;
			l->traffic[i].kept += more.kept;
			return RB_OK;
		}
	list = grow(l->traffic, l->receivers + 1, &l->traffic_room, sizeof *list);
	if (!list)
		return RB_ENOMEM;
	l->traffic = list;
	list[l->receivers++] = more;
	return RB_OK;
}

static int count_sent(void *ctx, const struct pattern_operation *o)
{
	if (o->kind != PATTERN_SEND || o->reduction)
		return RB_OK;
	return count(ctx, (struct traffic){ o->peer, .sent = 1 });
}

static int count_logged(struct listing *l, int64_t iter)
{
	const struct log *log = l->x->log;

	for (; l->entry < log->count && log_iter(log, &log->entry[l->entry]) <= iter; l->entry++) {
		const struct log_entry *e = &log->entry[l->entry];

		if (log_iter(log, e) == iter)
			RB_TRY(count(l, (struct traffic){ e->dst, .logged = 1 }));
	}
	return RB_OK;
}

static int count_kept(struct listing *l, int64_t iter)
{
	const struct kept_iteration *kept = l->x->kept ? kept_of(l->x->kept, iter) : NULL;

	for (size_t i = 0; kept && i < kept->count; i++)
		RB_TRY(count(l, (struct traffic){ kept->message[i].dst, .kept = 1 }));
	return RB_OK;
}

/* Continue the newest gap to that receiver, if it ends here and is of the same kind, or begin
 * one. */
static int add_gap(struct listing *l, int32_t receiver, int64_t iter, bool kept)
{
	struct gap *list;

	for (size_t i = l->gaps; i-- > 0;)
		if (l->gap[i].receiver == receiver) {
			if (l->gap[i].to != iter || l->gap[i].kept != kept)
				break;
			l->gap[i].to++;
			return RB_OK;
		}
	list = grow(l->gap, l->gaps + 1, &l->gap_room, sizeof *list);
	if (!list)
		return RB_ENOMEM;
	l->gap = list;
	list[l->gaps++] = (struct gap){ l->x->role, receiver, iter, iter + 1, kept };
	return RB_OK;
}

static int look_at(struct listing *l, int64_t iter)
{
	const struct pattern *pattern = l->x->pattern;
	const bool last = iter == l->x->front - 1;

	l->receivers = 0;
	RB_TRY(pattern->operations(pattern, l->x->role, iter, count_sent, l));
	RB_TRY(count_logged(l, iter));
	if (last)
		RB_TRY(count_kept(l, iter));
	for (size_t i = 0; i < l->receivers; i++) {
		const struct traffic *t = &l->traffic[i];

		if (t->logged < t->sent)
			RB_TRY(add_gap(l, t->receiver, iter,
				       last && t->logged + t->kept == t->sent));
	}
	return RB_OK;
}

int gaps_list(struct gap **list, size_t *count, const struct gaps_case *x)
{
	struct listing l = { .x = x };
	int rc = RB_OK;

	for (int64_t i = x->oldest; rc == RB_OK && i < x->front; i++)
		rc = look_at(&l, i);
	free(l.traffic);
	if (rc != RB_OK) {
		free(l.gap);
		l.gap = NULL;
		l.gaps = 0;
	}
	*list = l.gap;
	*count = l.gaps;
	return rc;
}

size_t gaps_cut(struct gap *list, size_t count, int64_t oldest)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		if (list[i].to <= oldest)
			continue;
		list[left] = list[i];
		if (list[left].from < oldest)
			list[left].from = oldest;
		left++;
	}
	return left;
}
