/* forecast/study/online.h - memory-constrained message logging as the program sends, not on the
 * finished matrix (memory-constrained-logging paper, Alg. 1; forecast/study/strategy.h). */
#ifndef FORECAST_STUDY_ONLINE_H
#define FORECAST_STUDY_ONLINE_H

#include "forecast/study/exchange.h"

/* When messages are sent: the matrix is sent in equal shares, in each of which a rank sends to its
 * receivers by their numbers. */
struct timing {
	/* from checkpoint to checkpoint; the failure is at the end of the last one */
	int intervals;
	int rounds; /* shares in an interval */
};

/* off[count], theta, *log: as of strategy_apply(). reset: all channels are on again behind a
 * checkpoint. Time grows with the channels times t->intervals times t->rounds. RB_OK or
 * RB_ENOMEM. */
int online_apply(bool reset, const struct exchange *e, double theta, const struct timing *t,
		 bool *off, int64_t *log);

#endif
