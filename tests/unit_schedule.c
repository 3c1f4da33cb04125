/* When checkpoints are taken: the closed forms against going through the iterations. */
#include "ft/log/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 60 };

static void counted_one_by_one(void **state)
{
	(void)state;
	for (int64_t interval = 1; interval < 12; interval++)
		for (int64_t first = 0; first < 15; first++) {
			struct schedule s = { interval, first };
			int64_t next = first ? first : interval, newest = 0;

			for (int64_t i = 0; i < MOST; i++) {
				bool due = i == next;

				newest = due ? i : newest;
				assert_int_equal(schedule_due(s, i), due);
				assert_int_equal(schedule_newest(s, i), newest);
				assert_int_equal(schedule_next(s, i), next);
				next += due ? interval : 0;
			}
		}
}

static void one_checkpoint_only(void **state)
{
	struct schedule s = { .interval = INT64_MAX, .first = 1 };
	int count = 0;

	(void)state;
	for (int64_t i = 0; i < 1000; i++)
		count += schedule_due(s, i);
	assert_int_equal(count, 1);
	assert_true(schedule_due(s, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted_one_by_one),
		cmocka_unit_test(one_checkpoint_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
