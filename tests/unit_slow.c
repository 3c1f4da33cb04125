/* A slowed thread runs an eighth of the time, whatever it does, and goes on at full speed
 * afterwards. */
#include "base/clock.h"
#include "harness/machine/power/slow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static void compute(double cpu_s)
{
	double end = clock_thread() + cpu_s;

	while (clock_thread() < end)
		;
}

static void an_eighth_of_the_time(void **state)
{
	struct slow s = { .on = false };
	double wall, cpu, share;

	(void)state;
	assert_true(slow_set(&s, true));
	assert_true(slow_set(&s, true));
	wall = clock_monotonic();
	cpu = clock_thread();
	compute(0.05);
	share = (clock_thread() - cpu) / (clock_monotonic() - wall);
	assert_true(slow_set(&s, false));
	assert_true(slow_set(&s, false));
	/* the last slice is followed by no stop; a busy machine only makes it less */
	assert_true(share < 0.2);
	assert_true(s.used > cpu + 0.03);
}

static void no_stop_afterwards(void **state)
{
	struct slow s = { .on = false };
	double used;

	(void)state;
	assert_true(slow_set(&s, true));
	compute(0.01);
	assert_true(slow_set(&s, false));
	used = s.used;
	compute(0.05);
	assert_true(s.used == used); /* a stop would have noted the time */
}

static void waiting_costs_nothing(void **state)
{
	struct slow s = { .on = false };
	double wall = clock_monotonic(), used;

	(void)state;
	assert_true(slow_set(&s, true));
	used = s.used;
	usleep(50000);
	assert_true(s.used == used);
	assert_true(clock_monotonic() - wall >= 0.05); /* and it was not woken early */
	assert_true(slow_set(&s, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_eighth_of_the_time),
		cmocka_unit_test(no_stop_afterwards),
		cmocka_unit_test(waiting_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
