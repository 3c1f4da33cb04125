/* Naps between tests: their length by the time waited, and that they are slept. */
#include "base/clock.h"
#include "ft/msg/nap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_sixteenth_within_bounds(void **state)
{
	(void)state;
	assert_int_equal(nap_ns(0, 0, NAP_MOST_S), 20000);
	assert_int_equal(nap_ns(16 * 20e-6, 0, NAP_MOST_S), 20000);
	assert_int_equal(nap_ns(16 * 21e-6, 0, NAP_MOST_S), 21000);
	assert_int_equal(nap_ns(0.016, 0, NAP_MOST_S), 1000000);
	assert_int_equal(nap_ns(0.16, 0, NAP_MOST_S), 10000000);
	assert_int_equal(nap_ns(0.161, 0, NAP_MOST_S), 10000000);
	assert_int_equal(nap_ns(3600, 0, NAP_MOST_S), 10000000);
}

/* A long expected wait begins with long naps; after the expected time, it is like any other
 * wait. */
static void expectation(void **state)
{
	(void)state;
	assert_int_equal(nap_ns(0, 0.016, NAP_MOST_S), 1000000);
	assert_int_equal(nap_ns(0.016, 0.001, NAP_MOST_S), 1000000);
	assert_int_equal(nap_ns(0, 0.08, NAP_MOST_S), 5000000);
	assert_int_equal(nap_ns(0, 1e9, NAP_MOST_S), 10000000);
	assert_int_equal(nap_ns(0, -1, NAP_MOST_S), 20000);
	assert_int_equal(nap_ns(0, 1e9, 0.05), 50000000); /* a wake-up will come */
}

/* A negative time or NaN must not become a nap of years, or of no length at all. */
static void nonsense_is_the_shortest(void **state)
{
	(void)state;
	assert_int_equal(nap_ns(-1, 0, NAP_MOST_S), 20000);
	assert_int_equal(nap_ns(NAN, 0, NAP_MOST_S), 20000);
	assert_int_equal(nap_ns(INFINITY, 0, NAP_MOST_S), 10000000);
}

static void never_shorter_later(void **state)
{
	long before = 0;

	(void)state;
	for (double waited = 1e-6; waited < 10; waited *= 1.1) {
		assert_true(nap_ns(waited, 0, NAP_MOST_S) >= before);
		before = nap_ns(waited, 0, NAP_MOST_S);
	}
}

/* Naps of a sixteenth: few tests in a wait of any length. 20 us each up to 320 us, then each 17/16
 * of the time before it up to 80 ms, is at most 16 + 92 tests; what the system adds makes them
 * fewer. */
static void few_looks(void **state)
{
	struct nap n;
	int looks = 0;

	(void)state;
	nap_begin(&n, 0);
	for (; clock_monotonic() - n.begun < 0.05; looks++)
		nap(&n);
	assert_in_range(looks, 1, 108);
}

static void slept_not_spun(void **state)
{
	struct nap n = { clock_monotonic() - 1, 0, NAP_MOST_S };
	double wall = clock_monotonic(), cpu = clock_thread();

	(void)state;
	for (int i = 0; i < 10; i++)
		nap(&n);
	wall = clock_monotonic() - wall;
	cpu = clock_thread() - cpu;
	assert_true(wall >= 0.05);
	assert_true(cpu < 0.2 * wall);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sixteenth_within_bounds),
		cmocka_unit_test(expectation),
		cmocka_unit_test(nonsense_is_the_shortest),
		cmocka_unit_test(never_shorter_later),
		cmocka_unit_test(few_looks),
		cmocka_unit_test(slept_not_spun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
