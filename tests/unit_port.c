/* Ports without MPI: memory that runs out and messages that are too long end a run, with the
 * reason; suppressed sends are logged and not sent; only timed iterations read the clock. */
#include "ft/msg/ports.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { NP = 4, FAR = 1000 };

/* All others are in the far future, so that nothing is sent. */
static const int64_t future[NP] = { FAR, FAR, FAR, FAR };

struct fixture {
	struct link link;
	struct ports ports;
};

static int setup_with(void **state, const struct policy_ops *ops)
{
	static struct fixture f;
	const struct policy policy = { .ops = ops };

	*state = &f;
	link_init(&f.link, 0, NP);
	if (ports_init(&f.ports, &f.link, &policy, false) != RB_OK)
		return -1;
	demand_enter(&f.ports.demand, future, NP);
	ports_begin(&f.ports, 0, false);
	return 0;
}

static int setup(void **state)
{
	return setup_with(state, &policy_all);
}

static int setup_none(void **state)
{
	return setup_with(state, &policy_none);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ports_free(&f->ports);
	link_free(&f->link);
	return 0;
}

/* From now on, address space and program break may each grow by so many bytes. */
static struct rlimit limit_memory(size_t more)
{
	struct rlimit before, now;
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &pages), 1);
	fclose(f);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	now = before;
	now.rlim_cur = pages * 4096 + more;
	assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
	return before;
}

static void send(struct fixture *f, int dst, size_t bytes, int *rc)
{
	memset(msg_reserve(f->ports.top, dst, 1, bytes), 1, bytes);
	*rc = msg_push(f->ports.top);
}

static void a_log_out_of_memory_ends_the_run(void **state)
{
	struct fixture *f = *state;
	struct rlimit before;
	int sent = 0, rc = RB_OK;

	before = limit_memory(40 << 20);
	for (; rc == RB_OK && sent < 1000; sent++)
		send(f, 1, 100 << 10, &rc);
	setrlimit(RLIMIT_AS, &before);
	assert_in_range(sent, 10, 400);
	assert_int_equal(rc, RB_ENOMEM);
	assert_non_null(strstr(f->link.reason, "out of memory"));
	/* No later call succeeds. */
	assert_int_equal(msg_wait(f->ports.top), RB_ENOMEM);
	assert_int_equal(ports_flush(&f->ports), RB_ENOMEM);
	send(f, 1, 8, &rc);
	assert_int_equal(rc, RB_ENOMEM);
}

static void so_do_payloads_that_are_not_logged(void **state)
{
	struct fixture *f = *state;
	struct rlimit before = limit_memory(40 << 20);
	int rc = RB_OK;

	for (int sent = 0; rc == RB_OK && sent < 1000; sent++)
		send(f, 1, 100 << 10, &rc);
	setrlimit(RLIMIT_AS, &before);
	assert_int_equal(rc, RB_ENOMEM);
	assert_int_equal(log_hole(&f->ports.logging.log, 1), 0);
}

static void a_message_that_is_too_long_ends_the_run(void **state)
{
	struct fixture *f = *state;
	struct requests list = { 0 };
	char byte = 0;

	assert_int_equal(link_send(&f->link, &list, &byte, (size_t)INT_MAX + 1, 3, 0), RB_ELENGTH);
	assert_non_null(strstr(f->link.reason, "2147483648 bytes"));
	assert_non_null(strstr(f->link.reason, "role 3"));
	assert_int_equal(list.count, 0);
	f->link.status = RB_OK;
	msg_post(f->ports.top, 2, 0, &byte, (size_t)INT_MAX + 1);
	assert_int_equal(msg_wait(f->ports.top), RB_ELENGTH);
	assert_non_null(strstr(f->link.reason, "role 2"));
}

static void sends_into_the_past_are_logged_and_counted(void **state)
{
	struct fixture *f = *state;
	int rc;

	send(f, 1, 24, &rc);
	assert_int_equal(rc, RB_OK);
	send(f, 2, 0, &rc);
	assert_int_equal(rc, RB_OK);
	assert_int_equal(f->ports.plain.sends.count, 0);
	assert_int_equal(f->ports.cursor.pushes, 2);
	assert_int_equal(msg_wait(f->ports.top), RB_OK);
	assert_int_equal(f->ports.cursor.ops, 3);
	assert_int_equal(f->ports.logging.log.count, 2);
	assert_int_equal(f->ports.logging.log.bytes, 24);
	assert_int_equal(f->ports.timed.readings, 0);
}

static void a_message_leaves_for_those_who_are_not_past_it(void **state)
{
	static const int64_t front[NP] = { 3, 7, 0, 5 };
	struct demand d = { 0 };

	(void)state;
	demand_enter(&d, front, NP);
	for (int64_t iter = 0; iter < 10; iter++)
		for (int r = 0; r < NP; r++)
			assert_int_equal(demand_has(&d, (struct place){ iter, 1 }, r),
					 iter >= front[r]);
}

/* `none` is not asked for each message, and its log knows what it lacks all the same. */
static void a_policy_that_logs_nothing_has_holes(void **state)
{
	struct fixture *f = *state;
	int rc;

	ports_begin(&f->ports, 4, false);
	send(f, 2, 8, &rc);
	assert_int_equal(rc, RB_OK);
	assert_int_equal(f->ports.logging.log.count, 0);
	assert_int_equal(log_hole(&f->ports.logging.log, 2), 4);
	assert_int_equal(log_hole(&f->ports.logging.log, 1), -1);
}

static void only_a_timed_iteration_reads_the_clock(void **state)
{
	struct fixture *f = *state;
	int rc;

	ports_begin(&f->ports, 1, true);
	send(f, 1, 24, &rc);
	assert_int_equal(msg_wait(f->ports.top), RB_OK);
	assert_int_equal(ports_flush(&f->ports), RB_OK);
	assert_int_equal(f->ports.timed.readings, 7);
	ports_commit(&f->ports, false);
	ports_begin(&f->ports, 2, false);
	send(f, 1, 24, &rc);
	assert_int_equal(msg_wait(f->ports.top), RB_OK);
	assert_int_equal(f->ports.timed.readings, 7);
	ports_abort(&f->ports);
	assert_int_equal(f->ports.logging.log.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_log_out_of_memory_ends_the_run, setup, teardown),
		cmocka_unit_test_setup_teardown(so_do_payloads_that_are_not_logged, setup_none,
						teardown),
		cmocka_unit_test_setup_teardown(a_message_that_is_too_long_ends_the_run, setup,
						teardown),
		cmocka_unit_test_setup_teardown(sends_into_the_past_are_logged_and_counted, setup,
						teardown),
		cmocka_unit_test(a_message_leaves_for_those_who_are_not_past_it),
		cmocka_unit_test_setup_teardown(a_policy_that_logs_nothing_has_holes, setup_none,
						teardown),
		cmocka_unit_test_setup_teardown(only_a_timed_iteration_reads_the_clock, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
