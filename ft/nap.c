#include "ft/nap.h"

#include "base/clock.h"

static const double LEAST_S = 20e-6, MOST_S = 10e-3, SHARE = 1.0 / 16;

void nap_begin(struct nap *n, double expected_s)
{
	*n = (struct nap){ clock_monotonic(), expected_s };
}

long nap_next_ns(double waited_s, double expected_s)
{
	double s = SHARE * (waited_s > expected_s ? waited_s : expected_s);

	if (!(s > LEAST_S)) /* the first nap, or no number */
		s = LEAST_S;
	return (long)(1e9 * (s < MOST_S ? s : MOST_S) + 0.5);
}

void nap(const struct nap *n)
{
	const struct timespec pause = { 0, nap_next_ns(clock_monotonic() - n->begun,
							 n->expected) };

	nanosleep(&pause, NULL);
}
