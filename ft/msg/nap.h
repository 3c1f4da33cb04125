/* ft/msg/nap.h - how long to sleep between two looks at something that somebody else will finish.
 *
 * A look that comes late delays whoever waits by at most one nap, so naps grow with the time waited: a
 * sixteenth of it, which is then the most that a wait is made longer in proportion, but never so short
 * that looking costs more than sleeping, and never so long that a long wait ends late. Who knows about how
 * long it will be need not begin with short naps: most looks would fall into that time. But no nap may count on it:
 * with more roles than cores a recovery can be many times as fast as normal operation. */
#ifndef FT_MSG_NAP_H
#define FT_MSG_NAP_H

struct nap {
	double begun;    /* CLOCK_MONOTONIC, seconds */
	double expected; /* seconds, 0: nobody knows */
	double most;     /* seconds that one nap may take, below 1; NAP_MOST_S unless the owner knows better */
};

#define NAP_MOST_S 10e-3

/* Waiting begins now, for expected_s seconds or so (0: nobody knows). */
void nap_begin(struct nap *n, double expected_s);
/* Sleep the next nap. A signal ends it early. */
void nap(const struct nap *n);

/* The length of that nap, nanoseconds, for who sleeps it in some other way. */
long nap_next_ns(const struct nap *n);

/* Nanoseconds of the next nap after waited_s seconds of about expected_s: a sixteenth of the longer one, at
 * least 20 us, at most most_s seconds. */
long nap_ns(double waited_s, double expected_s, double most_s);

#endif
