/* ft/msg/nap.h - how long to sleep between two tests of something that others will finish.
 *
 * A process notices the end of a wait at most one nap late. A nap is a sixteenth of the time waited
 * so far, so a wait becomes longer by at most this share. A nap is never so short that testing
 * costs more than sleeping, and never so long that a long wait ends late. If the expected time is
 * known, naps begin longer, which saves most tests. But no nap may rely on it: with more roles than
 * cores, a recovery can be many times as fast as normal operation. */
#ifndef FT_MSG_NAP_H
#define FT_MSG_NAP_H

struct nap {
	double begun;    /* CLOCK_MONOTONIC, seconds */
	double expected; /* seconds, 0: unknown */
	/* seconds that one nap may take, below 1; NAP_MOST_S unless the owner changes it */
	double most;
};

#define NAP_MOST_S 10e-3

/* Waiting begins now, for expected_s seconds or so (0: unknown). */
void nap_begin(struct nap *n, double expected_s);
/* Sleep the next nap. A signal ends it early. */
void nap(const struct nap *n);

/* The length of the next nap, nanoseconds, for callers with another sleep. */
long nap_next_ns(const struct nap *n);

/* Nanoseconds of the next nap after waited_s seconds of about expected_s: a sixteenth of the longer
 * one, at least 20 us, at most most_s seconds. */
long nap_ns(double waited_s, double expected_s, double most_s);

#endif
