/* forecast/study/online.h - memory-constrained message logging as the program sends, not on the
 * finished matrix (memory-constrained-logging paper, Alg. 1; forecast/study/strategy.h). */
#ifndef FORECAST_STUDY_ONLINE_H
#define FORECAST_STUDY_ONLINE_H

#include "forecast/study/strategy.h"

/* As strategy_apply(). Time grows with the channels times t->intervals times t->rounds. */
int online_apply(const struct strategy *s, const struct exchange *e, double theta,
		 const struct timing *t, bool *off, int64_t *log);

#endif
