/* base/clock.h - the clocks that are used, in seconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

static inline double clock_read(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Values can be compared between processes. This clock is for ledgers. */
static inline double clock_now(void)
{
	return clock_read(CLOCK_REALTIME);
}

/* This clock is never set back. It is for durations within one process. */
static inline double clock_monotonic(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* CPU time of the calling thread. */
static inline double clock_thread(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#endif
