/* The closure decides who rolls back; here against cases worked out by hand and against a
 * slow restatement of its definition on thousands of random logs. */
#include "ft/recovery/closure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NP = 5 };

/* Channels of a ring r -> r+1, r -> r-1; `hole` of all channels in use. */
static void ring_holes(int64_t *hole, int64_t value)
{
	for (int i = 0; i < NP * NP; i++)
		hole[i] = -1;
	for (int r = 0; r < NP; r++) {
		hole[r * NP + (r + 1) % NP] = value;
		hole[r * NP + (r + NP - 1) % NP] = value;
	}
}

static void logging_everything_is_local_rollback(void **state)
{
	int64_t front[NP] = { 13, 13, 13, 14, 14 }, hole[NP * NP];
	bool rolled[NP] = { [2] = true };

	(void)state;
	ring_holes(hole, 9);
	closure(NP, 10, front, hole, rolled);
	for (int r = 0; r < NP; r++)
		assert_int_equal(rolled[r], r == 2);
	assert_int_equal(front[2], 10);
	assert_int_equal(front[3], 14);
}

static void logging_nothing_is_global_rollback(void **state)
{
	int64_t front[NP] = { 13, 13, 13, 14, 14 }, hole[NP * NP];
	bool rolled[NP] = { [2] = true };

	(void)state;
	ring_holes(hole, 13);
	closure(NP, 10, front, hole, rolled);
	for (int r = 0; r < NP; r++) {
		assert_true(rolled[r]);
		assert_int_equal(front[r], 10);
	}
}

/* A survivor one iteration ahead of another, with a hole just there, drags both back. */
static void skew_between_survivors_counts(void **state)
{
	int64_t front[NP] = { 14, 13, 13, 13, 13 }, hole[NP * NP];
	bool rolled[NP] = { false };

	(void)state;
	ring_holes(hole, -1);
	hole[0 * NP + 1] = 13; /* 0 -> 1 of iteration 13 is not logged, and 1 lacks it */
	closure(NP, 10, front, hole, rolled);
	assert_true(rolled[0]);
	assert_int_equal(front[0], 10);
	assert_false(rolled[1]); /* the messages to role 0 are all logged */
}

static void nobody_dead_and_level_means_nobody_rolls_back(void **state)
{
	int64_t front[NP] = { 7, 7, 7, 7, 7 }, hole[NP * NP];
	bool rolled[NP] = { false };

	(void)state;
	ring_holes(hole, 6);
	closure(NP, 5, front, hole, rolled);
	for (int r = 0; r < NP; r++)
		assert_false(rolled[r]);
}

/* 0 dies; 1 has a hole towards 0, 2 one towards 1, and so on: each goes back for the one before. */
static void a_chain_has_its_length(void **state)
{
	(void)state;
	for (int length = 0; length < NP; length++) {
		int64_t front[NP] = { 13, 13, 13, 13, 13 }, hole[NP * NP];
		bool rolled[NP] = { true };

		ring_holes(hole, -1);
		for (int s = 1; s <= length; s++)
			hole[s * NP + s - 1] = 12;
		assert_int_equal(closure(NP, 10, front, hole, rolled), length);
		for (int r = 0; r < NP; r++)
			assert_int_equal(rolled[r], r <= length);
	}
}

/* Consistent: no unlogged message is missing anywhere. Least: dropping any survivor breaks it. */
static bool consistent(const int64_t *front, const int64_t *hole)
{
	for (int s = 0; s < NP; s++)
		for (int d = 0; d < NP; d++)
			if (s != d && front[d] < front[s] && hole[s * NP + d] >= front[d])
				return false;
	return true;
}

static void result_is_the_least_consistent_set(void **state)
{
	(void)state;
	srand(1);
	for (int trial = 0; trial < 5000; trial++) {
		int64_t before[NP], front[NP], hole[NP * NP];
		bool dead[NP], rolled[NP];
		int best = NP + 1, found = 0;

		for (int r = 0; r < NP; r++) {
			before[r] = 10 + rand() % 4;
			rolled[r] = dead[r] = rand() % 4 == 0;
		}
		for (int i = 0; i < NP * NP; i++)
			hole[i] = 8 + rand() % 6;
		memcpy(front, before, sizeof front);
		closure(NP, 9, front, hole, rolled);
		assert_true(consistent(front, hole));
		for (int r = 0; r < NP; r++)
			found += rolled[r];
		for (int set = 0; set < 1 << NP; set++) {
			int64_t f[NP];
			int size = 0;
			bool covers = true;

			for (int r = 0; r < NP; r++) {
				bool in = set >> r & 1;

				covers = covers && (in || !dead[r]);
				f[r] = in ? 9 : before[r];
				size += in;
			}
			if (covers && consistent(f, hole) && size < best)
				best = size;
		}
		assert_int_equal(found, best);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logging_everything_is_local_rollback),
		cmocka_unit_test(logging_nothing_is_global_rollback),
		cmocka_unit_test(skew_between_survivors_counts),
		cmocka_unit_test(nobody_dead_and_level_means_nobody_rolls_back),
		cmocka_unit_test(a_chain_has_its_length),
		cmocka_unit_test(result_is_the_least_consistent_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
