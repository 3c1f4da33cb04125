/* tests/power_unit.h - what the unit tests of power techniques share: the core, and how it was. */
#ifndef TESTS_POWER_UNIT_H
#define TESTS_POWER_UNIT_H

#include "harness/machine/pin.h"
#include "harness/machine/power/power.h"
#include "tests/power_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { HIGH = 3200000, LOW = 1200000, PATIENCE_MS = 5000 };

static const uint64_t REGISTER = UINT64_C(0x81f00f00a55a03e0); /* as tests/power-tree has it */

static struct rb_error err;
static char text[POWER_TEXT];
static cpu_set_t core; /* that the tests are bound to */
static int unit;       /* its first processing unit */

/* 12.5 %, or 6.25 % where the processor of this machine has half steps. */
static inline uint64_t modulated(void)
{
	power_probe(POWER_CM, unit, text);
	return strstr(text, "6.25 %") ? 0x11 : 0x12;
}

static inline void check(int cpu, bool reduced, bool frequency_too)
{
	assert_int_equal(frequency(cpu), reduced && frequency_too ? LOW : HIGH);
	assert_true(clock_register(cpu, "msr") ==
		    (reduced ? (REGISTER & ~UINT64_C(0x1f)) | modulated() : REGISTER));
}

static inline void check_all(bool reduced)
{
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &core))
			check(i, reduced, true);
		else if (frequency(i) >= 0)
			check(i, false, true);
	}
}

static inline int bind_and_enter(void **state)
{
	char binding[128];

	if (enter_tree(state) != 0 || pin_self(0, binding, sizeof binding) != 0 ||
	    sched_getaffinity(0, sizeof core, &core) != 0)
		return -1;
	while (!CPU_ISSET(unit, &core))
		unit++;
	return 0;
}

#define ON_TREE(test) cmocka_unit_test_setup(test, refill_tree)

#endif
