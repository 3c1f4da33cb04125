#include "ft/msg/nap.h"

#include "base/clock.h"

static const double LEAST_S = 20e-6, SHARE = 1.0 / 16;

void nap_begin(struct nap *n, double expected_s)
{
	*n = (struct nap){ clock_monotonic(), expected_s, NAP_MOST_S };
}

long nap_ns(double waited_s, double expected_s, double most_s)
{
	double s = SHARE * (waited_s > expected_s ? waited_s : expected_s);

	if (!(s > LEAST_S)) /* the first nap, or NaN */
		s = LEAST_S;
	return (long)(1e9 * (s < most_s ? s : most_s) + 0.5);
}

long nap_next_ns(const struct nap *n)
{
	return nap_ns(clock_monotonic() - n->begun, n->expected, n->most);
}

void nap(const struct nap *n)
{
	const struct timespec pause = { 0, nap_next_ns(n) };

	nanosleep(&pause, NULL);
}
