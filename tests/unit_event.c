/* Events: what a line looks like, and that no line is lost or mixed with another, whoever dies
 * while it is written. */
#include "base/event.h"
#include "harness/events/events.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void lines_are_json(void **state)
{
	static const int32_t some[] = { 0, -1, INT32_MAX, INT32_MIN };
	char path[EVENT_PATH];
	struct event e;
	json_t *events, *event, *expected;

	(void)state;
	event_path(dir, path);
	event_begin_at(&e, "kill", 1795678313.4722607);
	event_integer(&e, "least", INT64_MIN);
	event_integer(&e, "most", INT64_MAX);
	event_integer(&e, "none", 0);
	event_integers(&e, "some", some, 4);
	event_integers(&e, "empty", some, 0);
	event_word(&e, "phase", "op");
	event_seconds(&e, "up", 2.9999999999);
	event_seconds(&e, "small", 0.000000012);
	assert_true(event_write(&e, path));
	events = events_read(dir);
	assert_int_equal(json_array_size(events), 1);
	event = json_array_get(events, 0);
	/* the time is that of the clock to the last bit: failures are put in order by it */
	expected = json_pack("{s:s, s:f, s:o, s:o, s:i, s:[iiii], s:[], s:s, s:f, s:f}", "event",
			     "kill", "at", 1795678313.4722607, "least", json_integer(INT64_MIN),
			     "most", json_integer(INT64_MAX), "none", 0, "some", 0, -1, INT32_MAX,
			     INT32_MIN, "empty", "phase", "op", "up", 3.0, "small", 0.000000012);
	assert_true(json_equal(event, expected));
	json_decref(expected);
	json_decref(events);
}

static void what_does_not_fit_is_not_written(void **state)
{
	static int32_t many[4096];
	char path[EVENT_PATH];
	struct event e;

	(void)state;
	event_path(dir, path);
	event_begin(&e, "kill");
	event_integers(&e, "victims", many, 4096);
	assert_false(event_write(&e, path));
	assert_int_equal(access(path, F_OK), -1);
}

/* The numbers n of all events, in their order. */
static void numbers_are(const char *expected)
{
	json_t *events = events_read(dir), *event;
	char told[256] = "";
	size_t i, used = 0;

	json_array_foreach(events, i, event)
		used += (size_t)snprintf(told + used, sizeof told - used,
					 "%" JSON_INTEGER_FORMAT " ",
					 json_integer_value(json_object_get(event, "n")));
	assert_string_equal(told, expected);
	json_decref(events);
}

static void events_of_all_hosts_are_in_the_order_of_time(void **state)
{
	(void)state;
	write_file("events.a.jsonl", "{\"event\":\"x\",\"at\":1.0,\"n\":1}\n"
				     "{\"event\":\"x\",\"at\":5.0,\"n\":5}\n"
				     "{\"event\":\"x\",\"at\":5.0,\"n\":6}\n"
				     "{\"event\":\"x\",\"at\":3.0,\"n\":3}\n");
	write_file("events.b.local.jsonl", "{\"event\":\"x\",\"at\":2.0,\"n\":2}\n"
					   "{\"event\":\"x\",\"at\":4.0,\"n\":4}\n");
	write_file("events.jsonl", "{\"event\":\"x\",\"at\":2.0,\"n\":7}\n");
	write_file("events.c.jsonl.tmp", "{\"event\":\"x\",\"at\":2.0,\"n\":8}\n");
	numbers_are("1 2 3 4 5 6 ");
}

static void a_line_that_was_cut_takes_no_other_with_it(void **state)
{
	(void)state;
	write_file("events.a.jsonl",
		   "{\"event\":\"x\",\"at\":1.0,\"n\":1}\n"
		   "{\"event\":\"x\",\"at\":2.0,\"n\":2,\"te{\"event\":\"x\",\"at\":3.0,\"n\":3}\n"
		   "{\"ev{\"event\":\"x\",\"at\":4.0,\"n\":4}\n"
		   "\n\n"
		   "{\"event\":\"x\",\"at\":5.0,\"n\":5");
	numbers_are("1 3 4 ");
}

/* The disk is full in the middle of a line. */
static void a_short_write_is_told(void **state)
{
	struct rlimit limit, before;
	char path[EVENT_PATH];

	(void)state;
	event_path(dir, path);
	getrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_IGN);
	assert_true(events_add(dir, "x", json_pack("{s:i}", "n", 1)));
	limit = before;
	limit.rlim_cur = 60;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_false(events_add(dir, "x",
				json_pack("{s:i, s:s}", "n", 2, "long",
					  "0123456789012345678901234567890123456789")));
	setrlimit(RLIMIT_FSIZE, &before);
	assert_true(events_add(dir, "x", json_pack("{s:i}", "n", 3)));
	numbers_are("1 3 ");
}

static void no_members_and_no_folder_are_told(void **state)
{
	(void)state;
	assert_false(events_add(dir, "x", NULL));
	assert_false(events_add("/nowhere", "x", json_object()));
	numbers_are("");
}

static void processes_do_not_mix_their_lines(void **state)
{
	enum { PROCESSES = 4, EVENTS = 200 };
	json_t *events, *event;
	int seen[PROCESSES] = { 0 };
	size_t i;

	(void)state;
	for (int p = 0; p < PROCESSES; p++)
		if (fork() == 0) {
			char path[EVENT_PATH];
			int32_t same[500];
			struct event e;

			for (int k = 0; k < 500; k++)
				same[k] = p;
			event_path(dir, path);
			for (int n = 0; n < EVENTS; n++) {
				event_begin(&e, "x");
				event_integers(&e, "same", same, 500);
				if (!event_write(&e, path))
					_exit(1);
			}
			_exit(0);
		}
	for (int p = 0, status; p < PROCESSES; p++) {
		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	events = events_read(dir);
	assert_int_equal(json_array_size(events), PROCESSES * EVENTS);
	json_array_foreach(events, i, event) {
		const json_t *same = json_object_get(event, "same");
		const json_int_t p = json_integer_value(json_array_get(same, 0));

		assert_int_equal(json_array_size(same), 500);
		for (size_t k = 0; k < 500; k++)
			assert_int_equal(json_integer_value(json_array_get(same, k)), p);
		seen[p]++;
	}
	for (int p = 0; p < PROCESSES; p++)
		assert_int_equal(seen[p], EVENTS);
	json_decref(events);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_dir, remove_dir)
	const struct CMUnitTest tests[] = {
		TEST(lines_are_json),
		TEST(what_does_not_fit_is_not_written),
		TEST(events_of_all_hosts_are_in_the_order_of_time),
		TEST(a_line_that_was_cut_takes_no_other_with_it),
		TEST(a_short_write_is_told),
		TEST(no_members_and_no_folder_are_told),
		TEST(processes_do_not_mix_their_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
