/* The closure decides who rolls back; it is compared with cases worked out by hand and with a slow
 * form of its definition on thousands of random logs and lines. */
#include "ft/recovery/closure.h"

#include "base/status.h"
#include "ft/log/crossing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NP = 5 };

/* All pairs with a hole at or after the base, as a repair would gather them. */
static size_t list_channels(const int64_t hole[NP * NP], struct channel out[NP * NP])
{
	size_t count = 0;

	for (int s = 0; s < NP; s++)
		for (int d = 0; d < NP; d++)
			if (s != d)
				out[count++] = (struct channel){ s, d, hole[s * NP + d], 0 };
	return count;
}

static int64_t least(const int64_t *v)
{
	int64_t m = v[0];

	for (int r = 1; r < NP; r++)
		m = v[r] < m ? v[r] : m;
	return m;
}

/* Close over np * np holes; rolled-back roles get their entry in the line as front. Returns the
 * chain. */
static int close_on(const int64_t *line, int64_t *front, const int64_t *hole, bool *rolled)
{
	struct channel list[NP * NP];
	struct channels c;
	int chain = -1;

	assert_int_equal(channels_build(&c, NP, least(line), list_channels(hole, list),
					channel_in_list, list),
			 RB_OK);
	assert_int_equal(closure(&c, line, front, front, rolled, &chain), RB_OK);
	channels_free(&c);
	for (int r = 0; r < NP; r++)
		if (rolled[r])
			front[r] = line[r];
	return chain;
}

static int close_straight(int64_t at, int64_t *front, const int64_t *hole, bool *rolled)
{
	int64_t line[NP];

	for (int r = 0; r < NP; r++)
		line[r] = at;
	return close_on(line, front, hole, rolled);
}

/* Channels of a ring r -> r+1, r -> r-1; `value` is the hole of each. */
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
	close_straight(10, front, hole, rolled);
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
	close_straight(10, front, hole, rolled);
	for (int r = 0; r < NP; r++) {
		assert_true(rolled[r]);
		assert_int_equal(front[r], 10);
	}
}

/* A survivor one iteration ahead of another, with a hole just there, takes both back. */
static void skew_between_survivors_counts(void **state)
{
	int64_t front[NP] = { 14, 13, 13, 13, 13 }, hole[NP * NP];
	bool rolled[NP] = { false };

	(void)state;
	ring_holes(hole, -1);
	hole[0 * NP + 1] = 13; /* 0 -> 1 of iteration 13 is not logged, and 1 lacks it */
	close_straight(10, front, hole, rolled);
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
	close_straight(5, front, hole, rolled);
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
		assert_int_equal(close_straight(10, front, hole, rolled), length);
		for (int r = 0; r < NP; r++)
			assert_int_equal(rolled[r], r <= length);
	}
}

/* The memory-constrained-logging paper's Fig. 5 has a set of 3 with a chain of 2: 0 takes back 1,
 * and 1 takes back 2. If 0 takes back both, the set is as large and the chain is 1. */
static void a_set_of_3_has_a_chain_of_2_or_1(void **state)
{
	(void)state;
	for (int from = 0; from < 2; from++) {
		int64_t front[NP] = { 13, 13, 13, 13, 13 }, hole[NP * NP];
		bool rolled[NP] = { true };
		int set = 0;

		ring_holes(hole, -1);
		hole[1 * NP + 0] = 12;
		hole[2 * NP + from] = 12;
		assert_int_equal(close_straight(10, front, hole, rolled), from == 1 ? 2 : 1);
		for (int r = 0; r < NP; r++)
			set += rolled[r];
		assert_int_equal(set, 3);
	}
}

/* A role that goes back a little takes back only roles that sent it unlogged messages since then:
 * with role 1 at iteration 12 of the line, the hole of 2 -> 1 at 11 does no harm; with 1 at
 * iteration 10 it does. */
static void a_line_need_not_be_straight(void **state)
{
	const int64_t late[NP] = { 10, 12, 10, 10, 10 }, early[NP] = { 10, 10, 10, 10, 10 };
	int64_t hole[NP * NP];

	(void)state;
	ring_holes(hole, -1);
	hole[2 * NP + 1] = 11;
	for (int straight = 0; straight < 2; straight++) {
		int64_t front[NP] = { 13, 13, 13, 13, 13 };
		bool rolled[NP] = { [1] = true };

		close_on(straight ? early : late, front, hole, rolled);
		assert_int_equal(rolled[2], straight);
		assert_int_equal(front[1], straight ? 10 : 12);
	}
}

/* Consistent: no unlogged message of a sender that keeps its state is missing anywhere. */
static bool consistent(const int64_t *front, const int64_t *hole, const bool *rolled)
{
	for (int s = 0; s < NP; s++)
		for (int d = 0; d < NP; d++)
			if (s != d && !rolled[s] && front[d] < front[s] &&
			    hole[s * NP + d] >= front[d])
				return false;
	return true;
}

/* The rounds of the definition, one by one. */
static int slow_chain(const int64_t *line, const int64_t *before, const int64_t *hole,
		      const bool *dead)
{
	bool in[NP], next[NP];
	int rounds = 0;

	memcpy(in, dead, sizeof in);
	for (;;) {
		memcpy(next, in, sizeof next);
		for (int s = 0; s < NP; s++)
			for (int d = 0; d < NP; d++) {
				int64_t from = in[d] ? line[d] : before[d];

				if (s != d && !in[s] && from < before[s] &&
				    hole[s * NP + d] >= from)
					next[s] = true;
			}
		if (memcmp(in, next, sizeof in) == 0)
			return rounds;
		memcpy(in, next, sizeof in);
		rounds++;
	}
}

/* The size of the smallest set that contains the dead and is consistent, by trying all. */
static int smallest_set(const int64_t *line, const int64_t *before, const int64_t *hole,
			const bool *dead)
{
	int best = NP + 1;

	for (int set = 0; set < 1 << NP; set++) {
		int64_t front[NP];
		bool in[NP], covers = true;
		int size = 0;

		for (int r = 0; r < NP; r++) {
			in[r] = set >> r & 1;
			covers = covers && (in[r] || !dead[r]);
			front[r] = in[r] ? line[r] : before[r];
			size += in[r];
		}
		if (covers && consistent(front, hole, in) && size < best)
			best = size;
	}
	return best;
}

static void result_is_the_least_consistent_set(void **state)
{
	int crooked = 0;

	(void)state;
	srand(1);
	for (int trial = 0; trial < 10000; trial++) {
		int64_t before[NP], front[NP], hole[NP * NP], line[NP];
		bool dead[NP], rolled[NP];
		int found = 0, chain;

		for (int r = 0; r < NP; r++) {
			before[r] = 10 + rand() % 4;
			line[r] = trial % 2 ? 6 + rand() % 4 : 9;
			crooked += line[r] != line[0];
			rolled[r] = dead[r] = rand() % 4 == 0;
		}
		for (int i = 0; i < NP * NP; i++)
			hole[i] = 5 + rand() % 9;
		memcpy(front, before, sizeof front);
		chain = close_on(line, front, hole, rolled);
		assert_true(consistent(front, hole, rolled));
		for (int r = 0; r < NP; r++)
			found += rolled[r];
		assert_int_equal(found, smallest_set(line, before, hole, dead));
		assert_int_equal(chain, slow_chain(line, before, hole, dead));
	}
	assert_true(crooked > 1000);
}

/* Each message belongs to exactly one of the cases that follow from the two fronts, and its sender
 * can supply it: a sender that is past the iteration replays it, another one computes it. */
static void what_becomes_of_a_message_follows_from_the_fronts(void **state)
{
	(void)state;
	for (int64_t iter = 0; iter < 6; iter++)
		for (int64_t sender = 0; sender < 6; sender++)
			for (int64_t receiver = 0; receiver < 6; receiver++) {
				enum crossing what = crossing(iter, sender, receiver);
				bool needed = iter >= receiver, computed = iter >= sender;

				assert_int_equal(what == CROSSING_SENT, needed && computed);
				assert_int_equal(what == CROSSING_REPLAYED, needed && !computed);
				assert_int_equal(what == CROSSING_SUPPRESSED, !needed && computed);
				assert_int_equal(what == CROSSING_OVER, !needed && !computed);
			}
}

static void bad_channels_are_refused(void **state)
{
	const struct channel none[] = { { 0, NP, 3, 0 } },
			     far[] = { { 0, 1, (int64_t)1 << 40, 0 } }, old[] = { { 0, 1, 2, 0 } };
	struct channels c;

	(void)state;
	assert_int_equal(channels_build(&c, NP, 0, 1, channel_in_list, none), RB_EINVAL);
	assert_int_equal(channels_build(&c, NP, 0, 1, channel_in_list, far), RB_EINVAL);
	assert_int_equal(channels_build(&c, NP, 3, 1, channel_in_list, old), RB_OK);
	assert_int_equal(c.first[NP], 0); /* nobody goes back so far */
	channels_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logging_everything_is_local_rollback),
		cmocka_unit_test(logging_nothing_is_global_rollback),
		cmocka_unit_test(skew_between_survivors_counts),
		cmocka_unit_test(nobody_dead_and_level_means_nobody_rolls_back),
		cmocka_unit_test(a_chain_has_its_length),
		cmocka_unit_test(a_set_of_3_has_a_chain_of_2_or_1),
		cmocka_unit_test(a_line_need_not_be_straight),
		cmocka_unit_test(result_is_the_least_consistent_set),
		cmocka_unit_test(what_becomes_of_a_message_follows_from_the_fronts),
		cmocka_unit_test(bad_channels_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
