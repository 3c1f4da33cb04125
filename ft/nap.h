/* ft/nap.h - how long to sleep between two looks at something that somebody else will finish.
 *
 * A look that comes late delays whoever waits by at most one nap, so naps grow with the time waited: a
 * sixteenth of it, which is then the most that a wait is made longer in proportion, but never so short
 * that looking costs more than sleeping, and never so long that a long wait ends late. */
#ifndef FT_NAP_H
#define FT_NAP_H

struct nap {
	double begun; /* CLOCK_MONOTONIC, seconds */
};

/* Waiting begins now. */
void nap_begin(struct nap *n);
/* Sleep the next nap. A signal ends it early. */
void nap(const struct nap *n);

/* Nanoseconds of the next nap after waited_s seconds: a sixteenth, at least 20 us, at most 5 ms. */
long nap_next_ns(double waited_s);

#endif
