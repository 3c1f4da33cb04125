/* forecast/study/chains.h - the length of the rollback chain of many victims at once.
 *
 * It is the largest number of steps from the victim to a rank of its rollback set, so each victim
 * needs a search in breadth. Up to 512 victims are searched together: a rank has a bit for each of
 * them, and an edge is followed for all victims that have just reached its begin (M. Then et al.,
 * PVLDB 8, 2014). Memory: 24 B per rank for each 64 victims. */
#ifndef FORECAST_STUDY_CHAINS_H
#define FORECAST_STUDY_CHAINS_H

#include "ft/recovery/closure.h"

/* chain[count] and set[count], the ranks of the rollback set (NULL: not asked for), of the ranks
 * victim[count]; NULL: of the ranks 0 to count - 1. c: the channels that are off, with holes of any
 * age. twins: searches begin at the rank that stands for a victim, so many ranks behind it, and the
 * victim itself counts as reached; 0: at the victim. RB_OK or RB_ENOMEM. */
int chains_find(const struct channels *c, int twins, const int32_t *victim, int count,
		int32_t *chain, int32_t *set);

#endif
