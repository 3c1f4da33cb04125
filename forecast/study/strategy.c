#include "forecast/study/strategy.h"

#include "base/status.h"
#include "base/text.h"
#include "forecast/study/dendrogram.h"
#include "forecast/study/online.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum strategy_kind kind;
	bool whole, reset;
	const char *matrix;
} known[] = {
	{ "heaviest", STRATEGY_HEAVIEST, false, false, NULL },
	{ "clusters", STRATEGY_CLUSTERS, false, false, NULL },
	{ "clusters:whole", STRATEGY_CLUSTERS, true, false, NULL },
	{ "dendrogram", STRATEGY_DENDROGRAM, false, false, NULL },
	{ "dendrogram:whole", STRATEGY_DENDROGRAM, true, false, NULL },
	{ "online", STRATEGY_ONLINE, false, false, NULL },
	{ "online:reset", STRATEGY_ONLINE, false, true, NULL },
	{ "budget", STRATEGY_BUDGET, false, false, "heaviest" },
	{ "budget:clusters", STRATEGY_BUDGET, false, false, "clusters:whole" },
	{ "budget:online", STRATEGY_BUDGET, false, true, "heaviest" },
	{ "budget:online:kept", STRATEGY_BUDGET, false, false, "heaviest" },
};

static const char receiver[] = ":receiver";

static bool find_known(struct strategy *s, const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(name, known[i].name) != 0 || (s->by_receivers && strstr(name, "online")))
			continue;
		s->kind = known[i].kind;
		s->whole = known[i].whole;
		s->reset = known[i].reset;
		if (known[i].matrix)
			snprintf(s->matrix, sizeof s->matrix, "%s%s", known[i].matrix,
				 s->by_receivers ? receiver : "");
		return true;
	}
	return false;
}

int strategy_parse(struct strategy *s, const char *text, struct rb_error *err)
{
	char name[STRATEGY_NAME];
	int64_t team;

	*s = (struct strategy){ .kind = STRATEGY_TEAMS,
				.by_receivers = text_ends_with(text, receiver) };
	snprintf(s->name, sizeof s->name, "%s", text);
	if (strcmp(text, "receiver") == 0) {
		s->kind = STRATEGY_RECEIVER;
		s->by_receivers = true;
		return RB_OK;
	}
	snprintf(name, sizeof name, "%.*s",
		 (int)(strlen(text) - (s->by_receivers ? sizeof receiver - 1 : 0)), text);
	if (find_known(s, name))
		return RB_OK;
	if (strncmp(name, "teams:", 6) != 0 || !text_integer(name + 6, 1, INT32_MAX, &team))
		return rb_fail(
			err, RB_EINVAL,
			"--strategy %.60s: expected heaviest, clusters, clusters:whole, "
			"dendrogram, dendrogram:whole, online, online:reset, budget, "
			"budget:clusters, budget:online, budget:online:kept, teams:N or receiver, "
			"separated by commas, and :receiver behind one without online",
			text);
	s->team = (int)team;
	return RB_OK;
}

static bool is_by_receiver(const struct strategy *s, int source, int receiver_rank)
{
	return s->by_receivers && source != receiver_rank &&
	       (s->kind != STRATEGY_TEAMS || source / s->team == receiver_rank / s->team);
}

void strategy_lost(const struct strategy *s, const struct exchange *e, bool *lost)
{
	for (size_t i = 0; i < e->count; i++)
		lost[i] = is_by_receiver(s, e->source[i], e->receiver[i]);
}

/* One channel of the rank that is to decide. */
struct choice {
	size_t channel;
	int32_t receiver;
	int64_t distance; /* smaller ones are switched off first */
	int64_t bytes;
};

static int by_preference(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->receiver > y->receiver) - (x->receiver < y->receiver);
}

/* Of the smallest binary cluster with both ranks: 1 for {4,5}, 2 for {4..7}. */
static int binary_distance(int a, int b)
{
	int levels = 0;

	for (; a != b; a /= 2, b /= 2)
		levels++;
	return levels;
}

static int64_t distance(const struct strategy *s, const struct dendrogram *d, int a, int b)
{
	if (s->kind == STRATEGY_CLUSTERS)
		return binary_distance(a, b);
	/* Clusters that are joined at a larger height are nearer. */
	return s->kind == STRATEGY_DENDROGRAM ? INT64_MAX - dendrogram_height(d, a, b) : 0;
}

/* Switch channels of one rank off until the rest fits. Returns the bytes of the rest. */
static int64_t fit(const struct strategy *s, struct choice *list, size_t count, long double cap,
		   bool *off)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += list[i].bytes;
	if ((long double)sum <= cap)
		return sum;
	qsort(list, count, sizeof *list, by_preference);
	for (size_t i = 0; i < count; i++) {
		const bool same_cluster =
			s->whole && i > 0 && list[i].distance == list[i - 1].distance;

		if ((long double)sum <= cap && !same_cluster)
			break;
		off[list[i].channel] = true;
		sum -= list[i].bytes;
	}
	return sum;
}

static int64_t apply_to(const struct strategy *s, const struct exchange *e,
			const struct dendrogram *d, int rank, long double cap, struct choice *list,
			bool *off)
{
	size_t count = 0;

	for (size_t i = e->first[rank]; i < e->first[rank + 1]; i++) {
		const int32_t to = e->receiver[i];

		if (to != rank && e->bytes[i] > 0)
			list[count++] =
				(struct choice){ i, to, distance(s, d, rank, to), e->bytes[i] };
	}
	return fit(s, list, count, cap, off);
}

static int apply_cap(const struct strategy *s, const struct exchange *e, double theta, bool *off,
		     int64_t *log)
{
	const long double cap = (long double)theta * (long double)exchange_largest_log(e) / 100;
	struct choice *list = malloc(exchange_most_channels(e) * sizeof *list);
	struct dendrogram d = { 0 };
	int rc = list ? RB_OK : RB_ENOMEM;

	if (rc == RB_OK && s->kind == STRATEGY_DENDROGRAM)
		rc = dendrogram_make(&d, e);
	for (int r = 0; rc == RB_OK && r < e->np; r++) {
		const int64_t rest = apply_to(s, e, &d, r, cap, list, off);

		*log = rest > *log ? rest : *log;
	}
	dendrogram_free(&d);
	free(list);
	return rc;
}

static void apply_teams(const struct strategy *s, const struct exchange *e, bool *off, int64_t *log)
{
	for (int r = 0; r < e->np; r++) {
		int64_t rest = 0;

		for (size_t i = e->first[r]; i < e->first[r + 1]; i++) {
			off[i] = e->receiver[i] != r && e->receiver[i] / s->team == r / s->team;
			rest += !off[i] && e->receiver[i] != r ? e->bytes[i] : 0;
		}
		*log = rest > *log ? rest : *log;
	}
}

/* The receivers choose, so their matrix is the transposed one. */
static int apply_received(const struct strategy *s, const struct exchange *e, double theta,
			  bool *off, int64_t *log)
{
	struct exchange t;
	size_t *index;
	bool *chosen;
	int rc;

	RB_TRY(exchange_transpose(&t, &index, e));
	chosen = calloc(e->count + 1, sizeof *chosen);
	rc = chosen ? apply_cap(s, &t, theta, chosen, log) : RB_ENOMEM;
	for (size_t i = 0; rc == RB_OK && i < e->count; i++)
		off[index[i]] = chosen[i];
	free(chosen);
	free(index);
	exchange_free(&t);
	return rc;
}

/* Nothing is off; a rank has what it sends to other teams, and what it receives from those that
 * leave it to their receivers. */
static int apply_uncapped(const struct strategy *s, const struct exchange *e, int64_t *log)
{
	int64_t *held = calloc((size_t)e->np, sizeof *held);

	if (!held)
		return RB_ENOMEM;
	for (size_t i = 0; i < e->count; i++)
		if (e->source[i] != e->receiver[i])
			held[is_by_receiver(s, e->source[i], e->receiver[i]) ? e->receiver[i]
									     : e->source[i]] +=
				e->bytes[i];
	for (int r = 0; r < e->np; r++)
		*log = held[r] > *log ? held[r] : *log;
	free(held);
	return RB_OK;
}

int strategy_apply(const struct strategy *s, const struct exchange *e, double theta,
		   const struct timing *t, bool *off, int64_t *log)
{
	*log = 0;
	memset(off, 0, e->count * sizeof *off);
	if (!strategy_has_cap(s) && s->by_receivers)
		return apply_uncapped(s, e, log);
	if (s->kind == STRATEGY_TEAMS) {
		apply_teams(s, e, off, log);
		return RB_OK;
	}
	if (s->kind == STRATEGY_BUDGET)
		return RB_EINVAL;
	if (s->kind == STRATEGY_ONLINE)
		return online_apply(s->reset, e, theta, t, off, log);
	return s->by_receivers ? apply_received(s, e, theta, off, log)
			       : apply_cap(s, e, theta, off, log);
}
