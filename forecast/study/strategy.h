/* forecast/study/strategy.h - which channels are not logged, so that no log exceeds a cap:
 * memory-constrained message logging on an exchange matrix (memory-constrained-logging paper, Sect.
 * IV and V-B).
 *
 * The cap is a share theta of the largest log that a rank has if everything is logged. Each rank
 * switches its channels off one by one, until the rest fits. Strategies differ in the order:
 *
 *   heaviest         the channel with the most bytes first; ties go to the smallest receiver
 *   clusters         the nearest cluster first, by rank: of 8 ranks, rank 5 has the clusters
 *                    {4,5}, {4..7}, {0..7}; within a cluster the heaviest first
 *   dendrogram       likewise, with clusters by traffic and single linkage: at the height h the
 *                    clusters are the ranks that are connected by pairs that exchange at least h
 *                    bytes (both directions together), so equal traffic is no tie
 *   clusters:whole, dendrogram:whole   all channels to a cluster at once
 *   online           the paper's Alg. 1: before each message, if the log is larger than the cap,
 *                    the channel with the most bytes so far is switched off, one per message,
 *                    and its messages are dropped. The log may exceed the cap by a message. What
 *                    is off stays off behind a checkpoint
 *   online:reset     likewise, but all channels are on again, and their bytes so far are 0,
 *                    behind a checkpoint
 *   budget, budget:clusters   the policy of a run (ft/log/policy_budget.c): a hard cap that is
 *                             tested before each message, and
 *                    channels are off by what they have in the log so far. It needs the order of
 *                    the messages, which a matrix does not have (forecast/study/played.h), so
 *                    strategy_apply() does not know it
 *   budget:online, budget:online:kept   likewise; the algorithms are those of online:reset and
 *                                       online, with the messages of a run
 *                    in the place of equal shares
 *   teams:N          there is no cap: channels within teams of N consecutive ranks are off
 *   receiver         there is no cap: every message is kept by its receiver, and lost with it
 *
 * With :receiver behind heaviest, clusters, dendrogram or one of them with :whole, the cap is on
 * what a rank has received, and it switches channels off by their senders; what is on is lost with
 * the receiver. So it is behind budget and budget:clusters, as in a run. With teams:N:receiver,
 * messages within a team are not off, but kept by their receivers.
 *
 * Channels without bytes are switched off by teams only; a rank does not log what it sends to
 * itself. */
#ifndef FORECAST_STUDY_STRATEGY_H
#define FORECAST_STUDY_STRATEGY_H

#include "base/error.h"
#include "forecast/study/exchange.h"
#include "forecast/study/online.h"

enum strategy_kind {
	STRATEGY_HEAVIEST,
	STRATEGY_CLUSTERS,
	STRATEGY_DENDROGRAM,
	STRATEGY_ONLINE,
	STRATEGY_BUDGET,
	STRATEGY_TEAMS,
	STRATEGY_RECEIVER
};

enum { STRATEGY_NAME = 32 };

struct strategy {
	char name[STRATEGY_NAME]; /* as above */
	enum strategy_kind kind;
	bool whole;        /* of clusters */
	bool reset;        /* of online */
	int team;          /* of teams */
	bool by_receivers; /* some messages are kept by their receivers */
	/* of budget and its forms: the strategy that switches channels of the finished matrix off
	 * in the same order; else "" */
	char matrix[STRATEGY_NAME];
};

/* RB_OK or RB_EINVAL. */
int strategy_parse(struct strategy *s, const char *text, struct rb_error *err);
static inline bool strategy_has_cap(const struct strategy *s)
{
	return s->kind != STRATEGY_TEAMS && s->kind != STRATEGY_RECEIVER;
}

/* off[count]: which channels are off. theta: percent; not used by teams. *log: the most bytes in
 * any log, with `online` also before a channel is switched off; of an interval with `online`, else
 * of the whole matrix. RB_OK; RB_ENOMEM; RB_EINVAL: the strategy is `budget`. */
int strategy_apply(const struct strategy *s, const struct exchange *e, double theta,
		   const struct timing *t, bool *off, int64_t *log);
/* lost[count]: of which channels the receiver is to keep the messages; of those that are off it
 * does not. Only by_receivers. */
void strategy_lost(const struct strategy *s, const struct exchange *e, bool *lost);

#endif
