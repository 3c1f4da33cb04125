/* forecast/programs/waves.h - the waits of an iteration, laid out so that going through them is
 * fast while nothing of a failure is left.
 *
 * Each slot has a time. Slot r < np: role r starts its program. Each further slot: a wait is over,
 * which is the latest of when the wait before it of the same role was over and when its messages
 * are there. Waits stand in waves: those of a wave need slots of earlier waves only. In a wave,
 * those with as many messages stand side by side.
 *
 * A message is left out if the same role waits, in the same wait or before, for one of the same
 * sender that is sent no earlier and takes no less: it makes no difference to any time. A wait
 * without messages is left out then, too. */
#ifndef FORECAST_PROGRAMS_WAVES_H
#define FORECAST_PROGRAMS_WAVES_H

#include "forecast/programs/program.h"

/* Waits with as many messages each, one behind the other. */
struct wave_part {
	uint32_t waits, messages; /* messages: of each wait, 1 or more */
};

struct waves {
	/* messages: of all waits together, but for those left out */
	uint32_t slots, parts, messages;
	struct wave_part *part;
	/* for each wait, from slot np on: the slot of its role before it, and that in which each
	 * message is sent */
	uint32_t *need;
	double *cost;   /* ticks of each of these messages */
	uint32_t *last; /* np: in which slot the program of the role ends */
};

/* Of a program, for np roles. RB_OK or RB_ENOMEM; waves_free() in any case. */
int waves_make(struct waves *w, const struct program *p, int np);
void waves_free(struct waves *w);
/* Fill in time[np] to time[slots - 1]. */
void waves_execute(const struct waves *w, int np, double *time);

#endif
