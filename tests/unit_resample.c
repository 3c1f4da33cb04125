/* base/resample: against values that are known. */
#include "base/resample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MANY = 200 };

static void test_few_pairs_are_tried_in_all_ways(void **state)
{
	const double one_way[] = { 1, 2, 3, 4, 5, 6 }, other[] = { 1, 2, 3, 4, 5, -6 },
		     none[] = { 0, 0, 0 };

	(void)state;
	assert_true(paired_permutation(one_way, 6) == 2.0 / 64);
	/* the sum is 9: of the 64 sums of 1 to 6 with signs, so many are at least as far from 0 */
	assert_true(paired_permutation(other, 6) == 28.0 / 64);
	assert_true(paired_permutation(none, 3) == 1);
	assert_true(paired_permutation(one_way, 1) == 1);
}

/* The sum of many is nearly normal. */
static void test_many_pairs_are_sampled(void **state)
{
	double difference[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++) /* a deviation of 1, and the sum is 2 of its deviations */
		difference[i] = (i % 2 ? 1 : -1) + 2 / sqrt(MANY);
	assert_double_equal(paired_permutation(difference, MANY), 0.0455, 0.008);
	for (int i = 0; i < MANY; i++)
		difference[i] = 1;
	assert_double_equal(paired_permutation(difference, MANY), 1.0 / 20001, 0);
}

static void test_the_interval_of_a_mean(void **state)
{
	double value[MANY], low, high;

	(void)state;
	for (int i = 0; i < MANY; i++) /* mean 10, deviation 2: of the mean 2 / sqrt(200) */
		value[i] = i % 2 ? 12 : 8;
	assert_double_equal(mean(value, MANY), 10, 1e-12);
	assert_true(isnan(mean(value, 0)));
	mean_95(value, MANY, &low, &high);
	assert_double_equal(low, 10 - 1.96 * 2 / sqrt(MANY), 0.03);
	assert_double_equal(high, 10 + 1.96 * 2 / sqrt(MANY), 0.03);
	mean_95(value, 1, &low, &high);
	assert_true(low == 8 && high == 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_pairs_are_tried_in_all_ways),
		cmocka_unit_test(test_many_pairs_are_sampled),
		cmocka_unit_test(test_the_interval_of_a_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
