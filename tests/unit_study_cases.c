/* The study of an exchange matrix: cases worked out by hand. */
#include "base/status.h"
#include "forecast/study/effort.h"
#include "forecast/study/strategy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A ring rolls back as a whole, through np - 1 steps; a line of np ranks, behind its victim. */
static void rings_and_lines(void **state)
{
	(void)state;
	for (int np = 2; np <= 1300; np += 649) {
		struct exchange_entry *list = calloc((size_t)np, sizeof *list);
		bool *off = malloc((size_t)np * sizeof *off);
		struct exchange e;
		struct effort x;

		for (int s = 0; s < np; s++)
			list[s] = (struct exchange_entry){ s, (s + 1) % np, 5 };
		memset(off, 1, (size_t)np);
		assert_int_equal(exchange_build(&e, np, list, (size_t)np), RB_OK);
		assert_int_equal(effort_find(&x, &e, off, NULL, np, 1, NULL), RB_OK);
		assert_true(x.set == np && x.chain == np - 1 && x.components == 1);
		off[np - 1] = false; /* the channel np - 1 -> 0 */
		assert_int_equal(effort_find(&x, &e, off, NULL, np, 1, NULL), RB_OK);
		assert_true(x.set == (np + 1) / 2.0 && x.chain == (np - 1) / 2.0 &&
			    x.set_most == np);
		free(list);
		free(off);
		exchange_free(&e);
	}
}

/* Loads 1, 2, ..., P have the index (P - 1) / (3 P), one sender has (P - 1) / P, equal ones exactly
 * 0. */
static void gini_of_known_loads(void **state)
{
	int64_t load[100];

	(void)state;
	for (int np = 1; np <= 100; np++) {
		for (int k = 0; k < np; k++)
			load[k] = (np - k) * INT64_C(1000003);
		load_sort(load, np);
		assert_true(fabs(load_gini(load, np) - (np - 1) / (3.0 * np)) < 1e-15);
		memset(load, 0, sizeof load);
		assert_true(load_gini(load, np) == 0);
		load[np - 1] = 17;
		assert_true(fabs(load_gini(load, np) - (np - 1.0) / np) < 1e-15);
		for (int k = 0; k < np; k++)
			load[k] = INT64_C(12345678901);
		assert_true(load_gini(load, np) == 0);
	}
}

/* Pairs {0,1}, {2,3}, ... exchange 10 bytes, their first ranks 1 byte around a ring, and rank 0
 * sends 7 to itself. */
static void coverage_of_known_clusters(void **state)
{
	struct exchange_entry list[8 + 4 + 1 + 1];
	struct exchange e;
	int64_t load[8];
	size_t count = 0;

	(void)state;
	for (int r = 0; r < 8; r++)
		list[count++] = (struct exchange_entry){ r, r ^ 1, 10 };
	for (int r = 0; r < 8; r += 2)
		list[count++] = (struct exchange_entry){ r, (r + 2) % 8, 1 };
	list[count++] = (struct exchange_entry){ 0, 0, 3 };
	list[count++] = (struct exchange_entry){ 0, 0, 4 }; /* the same pair again */
	assert_int_equal(exchange_build(&e, 8, list, count), RB_OK);
	assert_int_equal(e.count, 13);
	assert_int_equal(exchange_bytes(&e, true), 91);
	assert_int_equal(exchange_bytes(&e, false), 84);
	assert_int_equal(exchange_largest_log(&e), 11);
	assert_true(exchange_coverage(&e, 1, true) == 7.0 / 91 &&
		    exchange_coverage(&e, 1, false) == 0);
	assert_true(exchange_coverage(&e, 2, true) == 87.0 / 91 &&
		    exchange_coverage(&e, 2, false) == 80.0 / 84);
	assert_true(exchange_coverage(&e, 4, false) == 82.0 / 84 &&
		    exchange_coverage(&e, 8, false) == 1);
	exchange_load(&e, true, load);
	assert_true(load[0] == 18 && load[1] == 10 && load[2] == 11);
	exchange_free(&e);
}

/* Bad entries are refused. */
static void bad_matrices(void **state)
{
	struct exchange_entry bad[] = {
		{ 2, 0, 1 }, { 0, 2, 1 }, { -1, 0, 1 }, { 0, -1, 1 }, { 0, 1, -1 }
	};
	struct exchange_entry much[] = { { 0, 1, INT64_MAX }, { 1, 0, 1 } };
	struct exchange e;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(exchange_build(&e, 2, &bad[i], 1), RB_EINVAL);
	assert_int_equal(exchange_build(&e, 2, much, 2), RB_EINVAL);
	assert_int_equal(exchange_build(&e, 0, much, 0), RB_EINVAL);
	assert_int_equal(exchange_build(&e, 2, much, 1), RB_OK);
	exchange_free(&e);
}

/* Two receivers, 10 rounds of 3 and 2 bytes, a cap of 60 % of 50 = 30. By hand: the log holds 30
 * behind round 6 and 33 behind the first message of round 7; so the second message switches
 * receiver 1 off (21 bytes so far), 12 remain, and those to receiver 2 fit in to the end: 20. The
 * matrix form comes to the same. */
static void the_online_form_by_hand(void **state)
{
	struct exchange_entry list[] = { { 0, 1, 30 }, { 0, 2, 20 } };
	const struct timing ten = { 1, 10 };
	struct strategy online, heaviest;
	struct rb_error err;
	struct exchange e;
	bool off[2];
	int64_t log;

	(void)state;
	assert_int_equal(exchange_build(&e, 3, list, 2), RB_OK);
	assert_int_equal(strategy_parse(&online, "online", &err), RB_OK);
	assert_int_equal(strategy_parse(&heaviest, "heaviest", &err), RB_OK);
	assert_int_equal(strategy_apply(&online, &e, 60, &ten, off, &log), RB_OK);
	assert_true(off[0] && !off[1] && log == 33);
	assert_int_equal(strategy_apply(&heaviest, &e, 60, &ten, off, &log), RB_OK);
	assert_true(off[0] && !off[1] && log == 20);
	exchange_free(&e);
}

/* 99 % of the log: the matrix form must switch off, the online form never meets a log above the cap
 * before a message, since it tests before the last one. With one interval of one round each, what
 * is kept is off in the next interval, too. */
static void what_the_online_form_tests_late(void **state)
{
	struct exchange_entry list[] = { { 0, 1, 400 }, { 0, 2, 100 }, { 1, 0, 1000 } };
	const struct timing one = { 1, 1 }, ten = { 1, 10 };
	struct strategy kept, reset, heaviest;
	struct rb_error err;
	struct exchange e;
	bool off[3];
	int64_t log;

	(void)state;
	assert_int_equal(exchange_build(&e, 3, list, 3), RB_OK);
	assert_int_equal(strategy_parse(&kept, "online", &err), RB_OK);
	assert_int_equal(strategy_parse(&reset, "online:reset", &err), RB_OK);
	assert_int_equal(strategy_parse(&heaviest, "heaviest", &err), RB_OK);
	assert_int_equal(strategy_apply(&heaviest, &e, 99, &one, off, &log), RB_OK);
	assert_true(!off[0] && !off[1] && off[2]);
	assert_int_equal(strategy_apply(&kept, &e, 99, &ten, off, &log), RB_OK);
	assert_true(!off[0] && !off[1] && !off[2] && log == 1000);
	assert_int_equal(strategy_apply(&kept, &e, 0, &one, off, &log), RB_OK);
	assert_true(off[0] && !off[1] && !off[2]);
	assert_int_equal(strategy_apply(&kept, &e, 0, &(struct timing){ 2, 1 }, off, &log), RB_OK);
	/* 1 -> 0: its log is empty before its only message of an interval */
	assert_true(off[0] && !off[1] && !off[2]);
	assert_int_equal(strategy_apply(&reset, &e, 0, &(struct timing){ 2, 2 }, off, &log), RB_OK);
	assert_true(off[0] && off[1] && off[2]);
	assert_int_equal(strategy_apply(&reset, &e, 100, &(struct timing){ 3, 7 }, off, &log),
			 RB_OK);
	assert_true(!off[0] && !off[1] && !off[2]);
	exchange_free(&e);
}

/* Traffic that is proportional in time: with many rounds both forms switch the same channels off,
 * if no two are alike and the cap is not near a sum. */
static void both_forms_agree_in_the_limit(void **state)
{
	struct exchange_entry list[] = {
		{ 0, 1, 10000 }, { 0, 2, 20000 }, { 0, 3, 40000 }, { 0, 4, 80000 }, { 1, 0, 150000 }
	};
	struct strategy online, heaviest;
	struct rb_error err;
	struct exchange e;
	bool off[5], other[5];
	int64_t log;

	(void)state;
	assert_int_equal(exchange_build(&e, 5, list, 5), RB_OK);
	assert_int_equal(strategy_parse(&heaviest, "heaviest", &err), RB_OK);
	for (int kept = 0; kept < 2; kept++)
		for (double theta = 5; theta < 100; theta += 10) {
			assert_int_equal(
				strategy_parse(&online, kept ? "online" : "online:reset", &err),
				RB_OK);
			assert_int_equal(strategy_apply(&online, &e, theta,
							&(struct timing){ 1, 1000 }, off, &log),
					 RB_OK);
			assert_true((double)log <= theta * 1500 + 150);
			assert_int_equal(strategy_apply(&heaviest, &e, theta,
							&(struct timing){ 1, 1000 }, other, &log),
					 RB_OK);
			assert_memory_equal(off, other, sizeof off);
		}
	exchange_free(&e);
}

/* Teams of two of five ranks; rank 4 is alone. */
static void teams_have_no_cap(void **state)
{
	struct exchange_entry list[] = { { 0, 1, 5 }, { 1, 0, 0 }, { 1, 2, 7 },
					 { 3, 2, 1 }, { 4, 3, 9 }, { 4, 4, 50 } };
	struct strategy teams;
	struct rb_error err;
	struct exchange e;
	struct effort x;
	bool off[6];
	int64_t log;

	(void)state;
	assert_int_equal(exchange_build(&e, 5, list, 6), RB_OK);
	assert_int_equal(strategy_parse(&teams, "teams:2", &err), RB_OK);
	assert_false(strategy_has_cap(&teams));
	assert_int_equal(strategy_apply(&teams, &e, 0, NULL, off, &log), RB_OK);
	assert_true(off[0] && off[1] && !off[2] && off[3] && !off[4] && !off[5] && log == 9);
	assert_int_equal(effort_find(&x, &e, off, NULL, 5, 1, NULL), RB_OK);
	assert_true(x.set == (2 + 2 + 2 + 1 + 1) / 5.0 && x.components == 4);
	exchange_free(&e);
	assert_int_equal(strategy_parse(&teams, "teams:0", &err), RB_EINVAL);
	assert_int_equal(strategy_parse(&teams, "heavy", &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "dendrogram"));
}

/* 64 of 3000 victims of a line, drawn by a seed: the error that is said is that of the sample, and
 * 0 of all. */
static void a_sample_says_its_error(void **state)
{
	enum { NP = 3000 };
	static struct exchange_entry list[NP - 1];
	static bool off[NP - 1];
	struct exchange e;
	struct effort x;

	(void)state;
	for (int s = 1; s < NP; s++) {
		list[s - 1] = (struct exchange_entry){ s, s - 1, 1 };
		off[s - 1] = true;
	}
	assert_int_equal(exchange_build(&e, NP, list, NP - 1), RB_OK);
	assert_int_equal(effort_find(&x, &e, off, NULL, NP, 1, NULL), RB_OK);
	assert_true(x.set == (NP + 1) / 2.0 && x.chain == (NP - 1) / 2.0 && x.chain_error == 0 &&
		    x.chain_victims == NP);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		assert_int_equal(effort_find(&x, &e, off, NULL, 64, seed, NULL), RB_OK);
		assert_true(x.set == (NP + 1) / 2.0 && x.chain_victims == 64);
		/* expected: 3000 / sqrt(12) / 8 = 108 */
		assert_true(x.chain_error > 70 && x.chain_error < 150);
		assert_true(fabs(x.chain - (NP - 1) / 2.0) < 4 * x.chain_error);
	}
	exchange_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_and_lines),
		cmocka_unit_test(gini_of_known_loads),
		cmocka_unit_test(coverage_of_known_clusters),
		cmocka_unit_test(bad_matrices),
		cmocka_unit_test(the_online_form_by_hand),
		cmocka_unit_test(what_the_online_form_tests_late),
		cmocka_unit_test(both_forms_agree_in_the_limit),
		cmocka_unit_test(teams_have_no_cap),
		cmocka_unit_test(a_sample_says_its_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
