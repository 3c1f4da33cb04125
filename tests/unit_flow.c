/* What data-flow rollback keeps without a failure: results of reductions, messages of the last
 * iteration, and what a role tells the others about its log. */
#include "base/status.h"
#include "ft/log/kept.h"
#include "ft/log/results.h"
#include "ft/msg/ports.h"
#include "ft/recovery/gaps.h"
#include "forecast/pattern/stencil_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Iteration i has i % 3 reductions of i % 2 + 1 numbers. */
static double number(int64_t iter, int reduction, size_t at)
{
	return (double)(100 * iter + 10 * reduction) + (double)at;
}

static size_t length(int64_t iter)
{
	return (size_t)(iter % 2 + 1);
}

static void add_iteration(struct results *s, int64_t iter, bool commit)
{
	results_begin(s, iter);
	for (int k = 0; k < (int)(iter % 3); k++) {
		double v[2] = { number(iter, k, 0), number(iter, k, 1) };

		assert_int_equal(results_add(s, v, length(iter)), RB_OK);
	}
	if (commit)
		assert_int_equal(results_commit(s), RB_OK);
}

static void check_iteration(struct results *s, int64_t iter)
{
	results_begin(s, iter);
	for (int k = 0; k < (int)(iter % 3); k++) {
		double v[2] = { -1, -1 };

		assert_true(results_take(s, v, length(iter)));
		for (size_t i = 0; i < length(iter); i++)
			assert_true(v[i] == number(iter, k, i));
	}
	assert_false(results_take(s, &(double){ 0 }, 1));
	assert_int_equal(results_commit(s), RB_OK); /* nothing is recorded twice */
}

static void results_come_back(void **state)
{
	struct results s = { 0 };

	(void)state;
	for (int64_t i = 0; i < 40; i++) {
		add_iteration(&s, i, false); /* given up and begun again */
		add_iteration(&s, i, true);
	}
	assert_int_equal(s.iterations, 40);
	for (int64_t i = 0; i < 40; i++)
		check_iteration(&s, i);
	results_begin(&s, 40);
	assert_false(results_take(&s, &(double){ 0 }, 1));
	results_free(&s);
}

static void results_are_trimmed_and_cut(void **state)
{
	struct results s = { 0 };

	(void)state;
	for (int64_t i = 0; i < 30; i++)
		add_iteration(&s, i, true);
	results_trim(&s, 11);
	results_cut(&s, 25);
	assert_int_equal(s.since, 11);
	assert_int_equal(s.iterations, 14);
	for (int64_t i = 11; i < 25; i++)
		check_iteration(&s, i);
	results_begin(&s, 10);
	assert_false(results_take(&s, &(double){ 0 }, 0));
	for (int64_t i = 25; i < 28; i++)
		add_iteration(&s, i, true);
	for (int64_t i = 11; i < 28; i++)
		check_iteration(&s, i);
	results_trim(&s, 50);
	assert_int_equal(results_bytes(&s), 0);
	results_restart(&s, 7);
	add_iteration(&s, 7, true);
	check_iteration(&s, 7);
	results_free(&s);
}

static void results_travel(void **state)
{
	struct results from = { 0 }, to = { 0 };
	size_t bytes;
	void *packed;

	(void)state;
	for (int64_t i = 0; i < 20; i++)
		add_iteration(&from, i, true);
	results_restart(&to, 4);
	for (int64_t i = 4; i < 9; i++)
		add_iteration(&to, i, true);
	packed = results_pack(&from, 9, 20, &bytes);
	assert_int_equal(results_append(&to, packed, bytes - 1), RB_ECORRUPT);
	assert_int_equal(results_append(&to, packed, bytes), RB_OK);
	/* it does not begin at the end */
	assert_int_equal(results_append(&to, packed, bytes), RB_ECORRUPT);
	free(packed);
	for (int64_t i = 4; i < 20; i++)
		check_iteration(&to, i);
	results_free(&from);
	results_free(&to);
}

static void one_iteration_more_is_kept(void **state)
{
	struct kept k = { 0 };
	char *first, *second;

	(void)state;
	kept_begin(&k, 6);
	first = kept_append(&k, (struct place){ 6, 2 }, 3, 1, 100);
	memset(first, 6, 100);
	kept_begin(&k, 7);
	kept_begin(&k, 7); /* again */
	second = kept_append(&k, (struct place){ 7, 0 }, 4, 1, 5000);
	memset(second, 7, 5000);
	assert_null(kept_of(&k, 5));
	assert_int_equal(kept_of(&k, 6)->count, 1);
	assert_ptr_equal(kept_of(&k, 6)->message[0].payload, first);
	assert_int_equal(kept_of(&k, 6)->message[0].place.number, 2);
	assert_int_equal(first[99], 6);
	kept_begin(&k, 8);
	assert_null(kept_of(&k, 6));
	assert_int_equal(kept_of(&k, 7)->message[0].dst, 4);
	assert_int_equal(k.bytes_peak, 5000);
	kept_free(&k);
}

/* Role 1 of a line of three; a log as a policy would leave it. */
struct scene {
	struct stencil_pattern pattern;
	struct link link;
	struct ports ports;
};

static void open_scene(struct scene *s)
{
	static const struct policy none = { .ops = &policy_none };
	const int roles[] = { 3 };
	const size_t bytes[] = { 16 };
	struct rb_error err;

	memset(s, 0, sizeof *s);
	assert_int_equal(stencil_pattern_init(&s->pattern, 1, roles, false, bytes, &err), RB_OK);
	link_init(&s->link, 1, 3);
	assert_int_equal(ports_init(&s->ports, &s->link, &none, true), RB_OK);
}

/* logged: to roles 0 and 2. */
static void send_iteration(struct scene *s, int64_t iter, const bool logged[2])
{
	ports_begin(&s->ports, iter, false);
	for (int n = 0; n < 2; n++) {
		if (logged[n]) {
			assert_non_null(log_append(&s->ports.logging.log, 2 * n, 0, 16));
			s->ports.logging.log.entry[s->ports.logging.log.count - 1].place =
				(uint16_t)n;
		} else {
			assert_non_null(kept_append(&s->ports.keeping->kept,
						    (struct place){ iter, n }, 2 * n, 0, 16));
		}
	}
	assert_int_equal(ports_commit(&s->ports, false), RB_OK);
}

/* Each of the two sends of an iteration is found by its place, in the log or among what was kept of
 * the last two iterations; others are not. */
static void stored_payloads_are_found(void **state)
{
	static const bool logged[][2] = {
		{ true, false }, { true, true }, { false, true }, { true, false }, { false, true }
	};
	struct scene s;

	(void)state;
	open_scene(&s);
	for (int64_t i = 0; i < 5; i++)
		send_iteration(&s, i, logged[i]);
	for (int64_t i = -1; i < 7; i++)
		for (int n = 0; n < 4; n++) {
			const struct log_entry *e =
				log_find(&s.ports.logging.log, (struct place){ i, n });
			const bool there = i >= 0 && i < 5 && n < 2, in_log = there && logged[i][n];
			const void *payload = ports_stored(&s.ports, (struct place){ i, n });

			assert_int_equal(e != NULL, in_log);
			assert_int_equal(payload != NULL, in_log || (there && i >= 3));
			if (!e)
				continue;
			assert_int_equal(log_iter(&s.ports.logging.log, e), i);
			assert_int_equal(e->dst, 2 * n);
			assert_ptr_equal(e->payload, payload);
		}
	ports_free(&s.ports);
	link_free(&s.link);
}

static int list_gaps(struct gap **list, size_t *count, const struct scene *s, int64_t oldest,
		     int64_t front)
{
	const struct gaps_case x = {
		1,    &s->ports.logging.log, &s->ports.keeping->kept, &s->pattern.pattern, oldest,
		front
	};

	return gaps_list(list, count, &x);
}

static void open_six_iterations(struct scene *s)
{
	static const bool logged[][2] = { { true, false }, { true, false }, { false, false },
					  { true, true },  { false, true }, { false, true } };

	open_scene(s);
	for (int64_t i = 0; i < 6; i++)
		send_iteration(s, i, logged[i]);
}

static void gaps_are_runs_of_what_is_not_logged(void **state)
{
	struct scene s;
	struct gap *gap;
	size_t count;

	(void)state;
	open_six_iterations(&s);
	assert_int_equal(list_gaps(&gap, &count, &s, 0, 6), RB_OK);
	assert_int_equal(count, 4);
	assert_memory_equal(&gap[0], &((struct gap){ 1, 2, 0, 3, 0 }), sizeof *gap);
	assert_memory_equal(&gap[1], &((struct gap){ 1, 0, 2, 3, 0 }), sizeof *gap);
	assert_memory_equal(&gap[2], &((struct gap){ 1, 0, 4, 5, 0 }), sizeof *gap);
	assert_memory_equal(&gap[3], &((struct gap){ 1, 0, 5, 6, 1 }), sizeof *gap); /* kept */
	free(gap);
	assert_int_equal(list_gaps(&gap, &count, &s, 3, 5), RB_OK);
	assert_int_equal(count, 1);
	assert_memory_equal(&gap[0], &((struct gap){ 1, 0, 4, 5, 1 }), sizeof *gap);
	free(gap);
	ports_free(&s.ports);
	link_free(&s.link);
}

static bool has_gap(const struct gap *list, size_t count, const struct gap *gap)
{
	for (size_t i = 0; i < count; i++)
		if (memcmp(&list[i], gap, sizeof *gap) == 0)
			return true;
	return false;
}

/* A role may list gaps from an older checkpoint on than the one that a repair finds to count. */
static void gaps_are_cut_as_if_listed_later(void **state)
{
	struct scene s;

	(void)state;
	open_six_iterations(&s);
	for (int64_t oldest = 0; oldest <= 6; oldest++) {
		struct gap *all, *later;
		size_t count, expected;

		assert_int_equal(list_gaps(&all, &count, &s, 0, 6), RB_OK);
		assert_int_equal(list_gaps(&later, &expected, &s, oldest, 6), RB_OK);
		count = gaps_cut(all, count, oldest);
		assert_int_equal(count, expected);
		for (size_t i = 0; i < expected; i++)
			assert_true(has_gap(all, count, &later[i]));
		free(all);
		free(later);
	}
	ports_free(&s.ports);
	link_free(&s.link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(results_are_trimmed_and_cut),
		cmocka_unit_test(results_travel),
		cmocka_unit_test(one_iteration_more_is_kept),
		cmocka_unit_test(stored_payloads_are_found),
		cmocka_unit_test(gaps_are_runs_of_what_is_not_logged),
		cmocka_unit_test(gaps_are_cut_as_if_listed_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
