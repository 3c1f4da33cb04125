/* The log: aborted iterations leave no trace, payloads never move, memory is reused. */
#include "base/status.h"
#include "ft/log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
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
	assert_int_equal(log_hole(l, 3), -1);
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
	assert_int_equal(log_hole(l, 2), 0);
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
	assert_int_equal(log_hole(l, 0), 5);
	log_abort(l);
	assert_int_equal(log_hole(l, 0), 4);
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
		assert_int_equal(log_hole(l, 0), interval);
	}
	assert_int_equal(l->bytes_peak, 3 << 20);
	assert_int_equal(l->bytes_total, 100 * (3 << 20));
}

/* A switched-off channel has a hole and no entries; the rest is whole after the gaps are closed. */
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
	assert_true(log_is_off(l, 1));
	assert_int_equal(l->bytes, 8000);
	assert_int_equal(log_held(l, 1), 0);
	assert_int_equal(log_hole(l, 1), 3);
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
	assert_false(log_is_off(l, 1));
	assert_int_equal(log_hole(l, 1), 3);
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
	assert_int_equal(log_hole(l, 1), 1);
	log_abort(l);
	assert_int_equal(log_hole(l, 1), 0); /* iteration 1 has not been sent */
	assert_int_equal(l->count, 0);
	assert_int_equal(l->bytes, 0);
	assert_int_equal(log_held(l, 2), 0);
	assert_true(log_is_off(l, 1));
}

static void a_dropped_channel_without_messages_has_no_hole(void **state)
{
	struct log *l = *state;

	log_restart(l, 5);
	log_switch_off(l, 1);
	assert_int_equal(log_hole(l, 1), 4);
}

/* A role with so many neighbours that they are not searched one by one. */
static void many_channels_are_told_apart(void **state)
{
	enum { RECEIVERS = 100, FACTOR = 37 }; /* not in their order */
	struct log l;

	(void)state;
	assert_int_equal(log_init(&l, RECEIVERS), RB_OK);
	for (int i = 0; i < RECEIVERS; i++) {
		const int d = i * FACTOR % RECEIVERS;

		assert_null(log_channels_find(&l.channels, d));
		log_begin(&l, i);
		assert_int_equal(log_skip(&l, d), RB_OK);
		append(&l, d, (size_t)d + 1, d);
		log_commit(&l);
		for (int j = 0; j <= i; j++) { /* also before the list grows, and after */
			assert_int_equal(log_hole(&l, j * FACTOR % RECEIVERS), j);
			assert_int_equal(log_held(&l, j * FACTOR % RECEIVERS),
					 j * FACTOR % RECEIVERS + 1);
		}
	}
	assert_int_equal(l.channels.count, RECEIVERS);
	log_free(&l);
}

/* A simple model of the log: what was sent, and whether it is there. */
struct sent {
	int64_t iter;
	int dst;
	size_t bytes;
	unsigned char fill;
	bool there;
};

struct model {
	struct sent sent[20000];
	size_t count;
	int64_t since;
	bool off[4];
};

static void model_check(const struct log *l, const struct model *m)
{
	int64_t hole[4], held[4] = { 0 };
	size_t n = 0;

	for (int d = 0; d < 4; d++)
		hole[d] = m->since - 1;
	for (size_t i = 0; i < m->count; i++) {
		const struct sent *s = &m->sent[i];
		const struct log_entry *e = &l->entry[n];

		if (s->iter < m->since)
			continue;
		if (!s->there) {
			hole[s->dst] = s->iter > hole[s->dst] ? s->iter : hole[s->dst];
			continue;
		}
		assert_true(n++ < l->count);
		held[s->dst] += (int64_t)s->bytes;
		assert_int_equal(log_iter(l, e), s->iter);
		assert_int_equal(e->dst, s->dst);
		assert_int_equal(e->bytes, s->bytes);
		for (size_t b = 0; b < s->bytes; b++)
			assert_int_equal(((unsigned char *)e->payload)[b], s->fill);
	}
	assert_int_equal(l->count, n);
	for (int d = 0; d < 4; d++) {
		assert_int_equal(log_held(l, d), held[d]);
		assert_int_equal(log_hole(l, d), hole[d]);
	}
	assert_int_equal(l->bytes, held[0] + held[1] + held[2] + held[3]);
}

static void model_send(struct log *l, struct model *m, int64_t iter)
{
	int dst = rand() % 4;
	struct sent *s = &m->sent[m->count++];

	*s = (struct sent){ iter, dst, (size_t)(rand() % 300), (unsigned char)rand(),
			    !m->off[dst] && rand() % 50 != 0 };
	if (s->there)
		append(l, dst, s->bytes, s->fill);
	else
		log_skip(l, dst);
}

static void model_switch_off(struct log *l, struct model *m)
{
	int dst = rand() % 4;

	log_switch_off(l, dst);
	m->off[dst] = true;
	for (size_t i = 0; i < m->count; i++)
		if (m->sent[i].dst == dst)
			m->sent[i].there = false;
}

/* One iteration; sometimes it is aborted, perhaps after something was dropped, and made again. */
static void model_iterate(struct log *l, struct model *m, int64_t iter)
{
	size_t begin = m->count;

	for (int again = rand() % 8 == 0; again >= 0; again--) {
		log_begin(l, iter);
		for (int n = rand() % 6; n > 0; n--)
			model_send(l, m, iter);
		if (rand() % 20 == 0)
			model_switch_off(l, m);
		if (again > 0) {
			log_abort(l);
			m->count = begin;
		}
	}
	log_commit(l);
	log_compact(l);
}

/* Checkpoints that count at once, some iterations later, or never, as when a role rolls back. */
static void two_intervals_are_kept_apart(void **state)
{
	static struct model m;
	struct log *l = *state;
	int64_t mark = -1;

	for (int round = 0; round < 200; round++) {
		srand((unsigned)round);
		memset(&m, 0, sizeof m);
		log_restart(l, 0);
		mark = -1;
		for (int64_t iter = 0; iter < 60; iter++) {
			if (mark < 0 && rand() % 8 == 0) {
				mark = iter;
				log_mark(l, mark);
				memset(m.off, 0, sizeof m.off);
				assert_int_equal(log_interval(l), mark);
			}
			if (mark >= 0 && rand() % 4 == 0) {
				assert_int_equal(log_trim(l, mark), RB_OK);
				m.since = mark;
				mark = -1;
			} else if (rand() % 100 == 0) {
				log_restart(l, iter);
				m.since = iter;
				mark = -1;
				memset(m.off, 0, sizeof m.off);
			}
			model_check(l, &m);
			model_iterate(l, &m, iter);
			model_check(l, &m);
		}
	}
}

static void the_second_interval_takes_what_it_needs_only(void **state)
{
	struct log *l = *state;

	for (int64_t iter = 0; iter < 400; iter++) {
		if (iter % 20 == 0 && iter > 0)
			log_mark(l, iter);
		if (iter % 20 == 2 && iter > 2)
			log_trim(l, iter - 2);
		log_begin(l, iter);
		append(l, 1, 50000, 'x'); /* larger blocks get huge pages */
		log_commit(l);
	}
	assert_int_equal(l->bytes_peak, 22 * 50000);
	assert_true(arena_mapped(&l->recent) < 4 * 50000);
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
		cmocka_unit_test_setup_teardown(a_channel_that_is_switched_off_leaves_a_hole, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_abort_does_not_bring_back_what_was_dropped,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_dropped_channel_without_messages_has_no_hole,
						setup, teardown),
		cmocka_unit_test(many_channels_are_told_apart),
		cmocka_unit_test_setup_teardown(two_intervals_are_kept_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(the_second_interval_takes_what_it_needs_only, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_new_interval_reuses_the_memory, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
