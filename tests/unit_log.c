/* The log: aborted iterations leave no trace, payloads never move, memory is reused. */
#include "base/status.h"
#include "ft/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int setup(void **state)
{
	static struct log l;

	*state = &l;
	return log_init(&l, 4);
}

static int teardown(void **state)
{
	log_free(*state);
	return 0;
}

static void append(struct log *l, int dst, size_t bytes, int fill)
{
	void *payload = log_append(l, dst, 1, bytes);

	assert_non_null(payload);
	assert_int_equal((uintptr_t)payload % (bytes < ARENA_ALIGN ? 8 : ARENA_ALIGN), 0);
	memset(payload, fill, bytes);
}

static void abort_leaves_no_trace(void **state)
{
	struct log *l = *state;
	void *first, *again;

	log_begin(l, 0);
	append(l, 1, 100, 'a');
	log_commit(l);
	log_begin(l, 1);
	first = log_append(l, 2, 1, 50);
	log_skip(l, 3);
	log_abort(l);
	assert_int_equal(l->count, 1);
	assert_int_equal(l->bytes, 100);
	assert_int_equal(l->hole[3], -1);
	log_begin(l, 1);
	again = log_append(l, 2, 1, 50);
	assert_ptr_equal(first, again);
}

static void abort_after_commit_keeps_the_iteration(void **state)
{
	struct log *l = *state;

	log_begin(l, 0);
	append(l, 1, 100, 'a');
	log_skip(l, 2);
	log_commit(l);
	log_abort(l);
	assert_int_equal(l->count, 1);
	assert_int_equal(l->hole[2], 0);
	assert_int_equal(l->bytes_total, 100);
}

static void a_hole_survives_the_abort_of_a_later_iteration(void **state)
{
	struct log *l = *state;

	log_begin(l, 4);
	log_skip(l, 0);
	log_commit(l);
	log_begin(l, 5);
	log_skip(l, 0);
	log_skip(l, 0);
	assert_int_equal(l->hole[0], 5);
	log_abort(l);
	assert_int_equal(l->hole[0], 4);
}

static void payloads_stay_where_they_are(void **state)
{
	struct log *l = *state;

	log_begin(l, 0);
	for (int i = 0; i < 5000; i++)
		append(l, i % 4, 1 + (size_t)(i * 37) % 4096, i % 251);
	log_commit(l);
	for (size_t i = 0; i < l->count; i++) {
		const unsigned char *p = l->entry[i].payload;

		assert_int_equal(p[0], i % 251);
		assert_int_equal(p[l->entry[i].bytes - 1], i % 251);
	}
}

static void a_new_interval_reuses_the_memory(void **state)
{
	struct log *l = *state;
	void *first = NULL;

	for (int interval = 0; interval < 100; interval++) {
		void *p;

		log_begin(l, interval);
		p = log_append(l, 1, 1, 3 << 20);
		first = first ? first : p;
		assert_ptr_equal(p, first);
		log_commit(l);
		log_restart(l, interval + 1);
		assert_int_equal(l->hole[0], interval);
	}
	assert_int_equal(l->bytes_peak, 3 << 20);
	assert_int_equal(l->bytes_total, 100 * (3 << 20));
}

/* What is switched off is gone, shows as a hole, and the rest is whole after the gaps are closed. */
static void a_channel_that_is_switched_off_leaves_a_hole(void **state)
{
	struct log *l = *state;

	for (int iter = 0; iter < 4; iter++) {
		log_begin(l, iter);
		for (int d = 0; d < 3; d++)
			append(l, d, 1000, 10 * iter + d);
		if (iter < 3)
			log_commit(l);
	}
	log_switch_off(l, 1); /* in the middle of iteration 3 */
	assert_true(l->off[1]);
	assert_int_equal(l->bytes, 8000);
	assert_int_equal(l->held[1], 0);
	assert_int_equal(l->hole[1], 3);
	assert_int_equal(l->drop[0].bytes, 4000);
	log_commit(l);
	log_compact(l);
	assert_int_equal(l->count, 8);
	for (size_t i = 0; i < l->count; i++) {
		const struct log_entry *e = &l->entry[i];
		const unsigned char *p = e->payload;

		assert_int_not_equal(e->dst, 1);
		assert_int_equal(p[0], 10 * e->age + e->dst);
		assert_int_equal(p[999], 10 * e->age + e->dst);
	}
	log_restart(l, 4);
	assert_false(l->off[1]);
	assert_int_equal(l->hole[1], 3);
}

/* An aborted iteration takes its own messages back, but not what was forgotten for them. */
static void an_abort_does_not_bring_back_what_was_dropped(void **state)
{
	struct log *l = *state;

	log_begin(l, 0);
	append(l, 1, 100, 'a');
	log_commit(l);
	log_begin(l, 1);
	append(l, 2, 100, 'b');
	append(l, 1, 100, 'c');
	log_switch_off(l, 1);
	assert_int_equal(l->hole[1], 1);
	log_abort(l);
	assert_int_equal(l->hole[1], 0); /* iteration 1 has not been sent */
	assert_int_equal(l->count, 0);
	assert_int_equal(l->bytes, 0);
	assert_int_equal(l->held[2], 0);
	assert_true(l->off[1]);
}

static void a_dropped_channel_without_messages_has_no_hole(void **state)
{
	struct log *l = *state;

	log_restart(l, 5);
	log_switch_off(l, 1);
	assert_int_equal(l->hole[1], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(abort_leaves_no_trace, setup, teardown),
		cmocka_unit_test_setup_teardown(abort_after_commit_keeps_the_iteration, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_hole_survives_the_abort_of_a_later_iteration,
						setup, teardown),
		cmocka_unit_test_setup_teardown(payloads_stay_where_they_are, setup, teardown),
		cmocka_unit_test_setup_teardown(a_channel_that_is_switched_off_leaves_a_hole,
						setup, teardown),
		cmocka_unit_test_setup_teardown(an_abort_does_not_bring_back_what_was_dropped,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_dropped_channel_without_messages_has_no_hole,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_new_interval_reuses_the_memory, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
