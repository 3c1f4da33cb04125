/* harness/machine/power/slow.h - a thread that runs one eighth of the time: for --power slow-all.
 *
 * Wherever it is, it is stopped by a timer of its CPU time and sleeps for seven times what it has
 * used since the last stop. This needs no privilege and also works on cores that roles share. */
#ifndef HARNESS_MACHINE_POWER_SLOW_H
#define HARNESS_MACHINE_POWER_SLOW_H

#include <stdbool.h>
#include <time.h>

enum { SLOW_SHARE = 8 }; /* runs 1 / SLOW_SHARE of the time */

struct slow {
	bool on;
	timer_t timer;
	double used; /* CPU time of the thread at the end of the last stop */
};

/* Slow the calling thread down, or stop doing so; *s must stay where it is. A process has at most
 * one such thread. false: errno says why it runs as before. */
bool slow_set(struct slow *s, bool on);

#endif
