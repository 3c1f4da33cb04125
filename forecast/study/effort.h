/* forecast/study/effort.h - who goes back with each victim, if certain channels are not logged:
 * averages over all victims (memory-constrained-logging paper, Table II). */
#ifndef FORECAST_STUDY_EFFORT_H
#define FORECAST_STUDY_EFFORT_H

#include "forecast/study/exchange.h"

struct effort {
	/* mean number of ranks that roll back, the victim included; every rank is the victim
	 * once */
	double set;
	int32_t set_most; /* the largest */
	double chain;     /* mean length of the longest rollback chain */
	int32_t chain_most;
	int chain_victims;  /* ranks that the chains are of: all, or a sample */
	double chain_error; /* standard error of the mean of a sample; 0: all ranks */
	int components;     /* groups of ranks that always roll back together */
};

/* off[e->count]: channels that are not logged. lost[e->count]: channels whose messages the receiver
 * keeps, so that they are lost if it is the victim, and only then; NULL: there are none. victims:
 * most ranks for the chain; if there are more, that many are drawn by `seed`. sets[np]: the size of
 * the rollback set of each victim; NULL: not asked for. RB_OK; RB_ENOMEM; RB_EINVAL: 2^32 channels
 * that are off. */
int effort_find(struct effort *x, const struct exchange *e, const bool *off, const bool *lost,
		int victims, uint64_t seed, int32_t *sets);

/* set[np * np]: set[v * np + r]: r rolls back with the victim v, by the closure of the engine.
 * RB_OK, RB_ENOMEM or RB_EINVAL as above. */
int effort_members(const struct exchange *e, const bool *off, const bool *lost, bool *set);

#endif
