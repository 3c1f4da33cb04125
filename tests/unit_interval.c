/* What a failure of a record says about the best interval, and the two formulas. */
#include "harness/model/interval_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const char whole[] = "{\"iteration\": 49, \"checkpoint\": 25, \"restart_s\": 2.0, \"resume_s\": 0.25, "
			    "\"restore_s\": 0.5, \"catchup_s\": 3.0}";

static json_t *failure_with(const char *key, json_t *value)
{
	json_t *failure = json_loads(whole, 0, NULL);

	assert_non_null(failure);
	if (key)
		json_object_set_new(failure, key, value);
	return failure;
}

static bool take(json_t *failure, bool restart, struct interval_costs *c)
{
	bool taken = interval_death(failure, restart, c);

	json_decref(failure);
	return taken;
}

static void a_death_gives_recovery_and_rework(void **state)
{
	struct interval_costs c = { .iteration = 0.125 };

	(void)state;
	assert_true(take(failure_with(NULL, NULL), false, &c));
	assert_true(c.recovery == 0.75 && c.rework == 1); /* 24 iterations in 3 s */
	assert_true(take(failure_with(NULL, NULL), true, &c));
	assert_true(c.recovery == 2);
}

static void what_was_not_measured_is_not_zero(void **state)
{
	static const char *const keys[] = { "resume_s", "restore_s", "catchup_s" };
	struct interval_costs c = { .iteration = 0.125, .recovery = 7, .rework = 8 };

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		assert_false(take(failure_with(keys[i], json_null()), false, &c));
	assert_true(c.recovery == 7 && c.rework == 8);
	assert_false(take(failure_with("restart_s", json_null()), true, &c));
	assert_true(take(failure_with("restart_s", json_null()), false, &c));
	assert_true(take(failure_with("resume_s", json_null()), true, &c));
	assert_false(take(failure_with("catchup_s", json_real(0)), false, &c));
	assert_false(take(failure_with("checkpoint", json_integer(49)), false, &c));
	assert_false(take(json_object(), false, &c));
}

static void optimal_intervals(void **state)
{
	struct interval_costs c = { .checkpoint = 2, .rework = 1 };

	(void)state;
	assert_true(fabs(interval_young(&c, 100) - 20) < 1e-12);
	/* 20 (1 + sqrt(0.01) / 3 + 0.01 / 9) - 2 */
	assert_true(fabs(interval_daly(&c, 100) - 18.6888888888889) < 1e-9);
	assert_true(interval_daly(&c, 0.5) == 0.5);
	c.rework = 0.25; /* as if deaths were four times as rare */
	assert_true(fabs(interval_young(&c, 25) - 20) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_death_gives_recovery_and_rework),
		cmocka_unit_test(what_was_not_measured_is_not_zero),
		cmocka_unit_test(optimal_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
