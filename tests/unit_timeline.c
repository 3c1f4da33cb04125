/* What a process notes of what it does, and what is left of it after its death. */
#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"
#include "harness/events/events.h"
#include "harness/machine/timeline.h"
#include "harness/record/record_timeline.h"
#include "harness/record/trace_events.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct rb_error err;

static struct timeline *of(int job, int slot, int spare)
{
	struct timeline *t = timeline_open(dir, job, slot, spare, &err);

	assert_non_null(t);
	return t;
}

/* A wait that began so long ago; before that, the clock may have been anywhere. */
static void wait_for_messages(struct timeline *t, double seconds)
{
	timeline_does(t, FT_WAITING, true);
	t->open[t->depth - 1].begun = clock_now() - seconds;
	timeline_does(t, FT_WAITING, false);
}

static void expect_row(const struct timeline *t, int64_t i, const char *name, int64_t iter)
{
	assert_true(i < t->rows);
	assert_string_equal(timeline_name(t->row[i].what), name);
	assert_int_equal(t->row[i].iter, iter);
	assert_true(t->row[i].begun <= t->row[i].ended);
}

/* The only file, mapped again. */
static const struct timeline **read_one(void)
{
	const struct timeline **all;
	int count;

	assert_int_equal(timeline_read_all(dir, &all, &count), RB_OK);
	assert_int_equal(count, 1);
	return all;
}

static void test_a_spare_becomes_a_role(void **state)
{
	static const struct {
		const char *name;
		int64_t iter;
	} expected[] = { { "standby", -1 }, { "shrink", -1 }, { "adopt", -1 }, { "setup", 0 },
			 { "restore", 25 }, { "wait", 25 },   { "step", 25 },  { "revoke", 26 },
			 { "aborted", 26 }, { "agree", 26 },  { "repair", 26 } };
	struct timeline *t = of(0, 8, 0);
	const struct timeline **all;

	(void)state;
	timeline_does(t, FT_STANDBY, true);
	timeline_does(t, FT_STANDBY, false);
	timeline_does(t, FT_SHRINKING, true);
	timeline_does(t, FT_SHRINKING, false);
	timeline_does(t, FT_ADOPTING, true);
	timeline_adopt(t, 3, 2);
	timeline_does(t, FT_ADOPTING, false); /* it has ended already */
	timeline_enter(t, 25, LEDGER_RESTORE);
	timeline_enter(t, 25, LEDGER_STEP);
	wait_for_messages(t, 200e-6);
	wait_for_messages(t, -1); /* too short for a row */
	timeline_enter(t, 26, LEDGER_STEP);
	timeline_does(t, FT_REVOKING, true); /* is still under way when the phase ends */
	timeline_enter(t, 26, LEDGER_REPAIR);
	timeline_does(t, FT_AGREEING, true);
	timeline_does(t, FT_AGREEING, false);
	timeline_close(t);
	all = read_one();
	assert_int_equal(all[0]->rows, 11);
	for (int64_t i = 0; i < all[0]->rows; i++)
		expect_row(all[0], i, expected[i].name, expected[i].iter);
	assert_int_equal(all[0]->role, 3);
	assert_true(all[0]->began <= all[0]->adopted && all[0]->adopted <= all[0]->ended);
	assert_int_equal(all[0]->depth, 0);
	timeline_unmap_all(all, 1);
}

static void test_the_first_state_is_made_in_the_setup(void **state)
{
	struct timeline *t = of(0, 0, -1);
	const struct timeline **all;

	(void)state;
	timeline_adopt(t, 0, 1);
	timeline_enter(t, 0, LEDGER_REPLAY);
	timeline_enter(t, 0, LEDGER_RESTORE);
	timeline_enter(t, 0, LEDGER_STEP);
	timeline_enter(t, 0, LEDGER_STEP); /* the same one */
	timeline_close(t);
	all = read_one();
	assert_int_equal(all[0]->rows, 2);
	expect_row(all[0], 0, "setup", 0);
	expect_row(all[0], 1, "step", 0);
	timeline_unmap_all(all, 1);
}

/* A role that has committed the iteration gives up nothing. */
static void test_a_failure_behind_a_commit(void **state)
{
	struct timeline *t = of(0, 0, -1);
	const struct timeline **all;

	(void)state;
	timeline_adopt(t, 0, 1);
	timeline_enter(t, 5, LEDGER_STEP);
	timeline_enter(t, 6, LEDGER_REPAIR);
	timeline_close(t);
	all = read_one();
	expect_row(all[0], 1, "step", 5);
	expect_row(all[0], 2, "repair", 6);
	timeline_unmap_all(all, 1);
}

/* Waits are dropped first, and nothing is written behind the last row. */
static void test_a_recovery_has_room_behind_many_waits(void **state)
{
	struct timeline *t = of(0, 0, -1);
	const struct timeline **all;

	(void)state;
	timeline_adopt(t, 0, 1);
	t->rows = TIMELINE_WAITS;
	wait_for_messages(t, 100e-6);
	assert_true(t->rows == TIMELINE_WAITS && t->dropped == 1);
	timeline_enter(t, 0, LEDGER_STEP);
	assert_true(t->rows == TIMELINE_WAITS + 1 && t->dropped == 1);
	t->rows = TIMELINE_ROWS;
	timeline_enter(t, 1, LEDGER_STEP);
	assert_true(t->rows == TIMELINE_ROWS && t->dropped == 2);
	timeline_close(t);
	all = read_one();
	assert_int_equal(all[0]->dropped, 3);
	timeline_unmap_all(all, 1);
}

static void test_other_files_are_left_out(void **state)
{
	const struct timeline **all;
	struct timeline *t;
	int count;

	(void)state;
	timeline_close(of(1, 0, -1));
	write_file("timeline.0.host.1", "short");
	write_file("role.0.ledger", "");
	t = of(0, 9, 1);
	t->magic++;
	timeline_close(t);
	assert_int_equal(timeline_read_all(dir, &all, &count), RB_OK);
	assert_int_equal(count,
			 1); /* the second one of this process has the name of no other job */
	assert_true(all[0]->job == 1 && all[0]->slot == 0);
	timeline_unmap_all(all, count);
	assert_null(timeline_open("/no/such/folder", 0, 0, -1, &err));
	assert_non_null(strstr(err.text, "/no/such/folder/timeline.0."));
	timeline_adopt(NULL, 0, 1);
	timeline_enter(NULL, 0, LEDGER_STEP);
	timeline_does(NULL, FT_WAITING, true);
	timeline_close(NULL);
}

/* A process of role 0 in this job, killed while it waits in its second iteration. */
static void die_in_a_wait(int job)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		struct timeline *t = of(job, 0, -1);

		timeline_adopt(t, 0, 1);
		timeline_enter(t, 7, LEDGER_STEP);
		timeline_enter(t, 8, LEDGER_STEP);
		timeline_does(t, FT_WAITING, true);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static json_t *killed_at(double at)
{
	return json_pack("[{s:s, s:f, s:i, s:i, s:s, s:i, s:[i]}]", "event", "kill", "at", at,
			 "plan", 0, "iteration", 8, "phase", "send", "amount", 0, "victims", 0);
}

/* The row as "what iteration length"; "-" of what was not seen to end. */
static void expect_json(const json_t *rows, size_t i, const char *what, int iter, bool ends)
{
	const json_t *row = json_array_get(rows, i);

	assert_string_equal(json_string_value(json_array_get(row, 0)), what);
	assert_int_equal(json_integer_value(json_array_get(row, 1)), iter);
	assert_int_equal(json_is_integer(json_array_get(row, 3)), ends);
}

static void test_what_was_under_way_ends_with_the_death(void **state)
{
	struct run_spec spec = { .np = 1 };
	struct ledger ledger = { .t_loop = 0 };
	const struct timeline **all;
	double died;

	(void)state;
	die_in_a_wait(0);
	all = read_one();
	assert_int_equal(all[0]->depth, 2);
	ledger.t_loop = all[0]->adopted;
	died = all[0]->open[1].begun + 0.5;
	for (int known = 0; known < 2; known++) {
		json_t *events = known ? killed_at(died) : json_array(),
		       *timeline = record_timeline(&spec, events, dir, &ledger), *process, *rows;

		process = json_array_get(json_object_get(timeline, "processes"), 0);
		rows = json_object_get(process, "rows");
		assert_int_equal(json_array_size(rows), 4);
		expect_json(rows, 0, "setup", 0, true);
		expect_json(rows, 1, "step", 7, true);
		expect_json(rows, 2, "wait", 8, known);
		expect_json(rows, 3, "step", 8, known);
		assert_int_equal(json_is_integer(json_object_get(process, "died_us")), known);
		assert_int_equal(integer_of(process, "adopted_us", -1), 0);
		if (known)
			assert_in_range(
				json_integer_value(json_array_get(json_array_get(rows, 2), 3)),
				499999, 500001);
		json_decref(timeline);
		json_decref(events);
	}
	timeline_unmap_all(all, 1);
}

static json_t *process_of(const json_t *timeline, size_t i)
{
	return json_array_get(json_object_get(timeline, "processes"), i);
}

/* The first job ended without a kill of the role, the second one with it. */
static void test_a_kill_is_of_one_process(void **state)
{
	struct run_spec spec = { .np = 1 };
	struct ledger ledger = { .t_loop = 1 };
	const struct timeline **all;
	json_t *events, *timeline;
	int count;

	(void)state;
	die_in_a_wait(0);
	die_in_a_wait(1);
	assert_int_equal(timeline_read_all(dir, &all, &count), RB_OK);
	assert_int_equal(count, 2);
	events = killed_at(all[1]->open[1].begun + 0.5);
	timeline = record_timeline(&spec, events, dir, &ledger);
	assert_true(json_is_null(json_object_get(process_of(timeline, 0), "died_us")));
	assert_true(json_is_integer(json_object_get(process_of(timeline, 1), "died_us")));
	json_decref(timeline);
	json_decref(events);
	timeline_unmap_all(all, count);
}

/* A row that was written, and not yet taken from what is under way. */
static void test_a_death_between_the_two_steps_of_a_row(void **state)
{
	struct run_spec spec = { .np = 1 };
	struct ledger ledger = { .t_loop = 1 };
	struct timeline *t = of(0, 0, -1);
	json_t *events = json_array(), *timeline;

	(void)state;
	timeline_adopt(t, 0, 1);
	timeline_enter(t, 0, LEDGER_STEP);
	timeline_enter(t, 0, LEDGER_REPAIR);
	timeline_does(t, FT_REVOKING, true);
	t->open[1].begun = t->open[0].begun; /* as far as the clock tells */
	timeline_does(t, FT_REVOKING, false);
	timeline = record_timeline(&spec, events, dir, &ledger);
	assert_int_equal(json_array_size(json_object_get(process_of(timeline, 0), "rows")), 4);
	json_decref(timeline);
	t->depth++;
	timeline = record_timeline(&spec, events, dir, &ledger);
	assert_int_equal(json_array_size(json_object_get(process_of(timeline, 0), "rows")), 4);
	json_decref(timeline);
	json_decref(events);
	timeline_close(t);
}

/* Iterations that the failure found behind the role, after it has its state again. */
static void test_iterations_that_are_repeated_are_said(void **state)
{
	struct run_spec spec = { .np = 1 };
	struct ledger ledger = { .t_loop = 1, .event_count = 2 };
	struct timeline *t = of(0, 1, 0);
	json_t *events = json_array(), *timeline, *rows;

	(void)state;
	timeline_adopt(t, 0, 2);
	ledger.event[0].front_before = 8;
	ledger.event[1].front_before = 4; /* and died again on its way */
	ledger.event[0].t_resumed = ledger.event[1].t_resumed = t->adopted;
	for (int64_t iter = 7; iter < 10; iter++)
		timeline_enter(t, iter, LEDGER_STEP);
	timeline_close(t);
	timeline = record_timeline(&spec, events, dir, &ledger);
	rows = json_object_get(json_array_get(json_object_get(timeline, "processes"), 0), "rows");
	expect_json(rows, 0, "setup", 0, true);
	expect_json(rows, 1, "catchup", 7, true);
	expect_json(rows, 2, "step", 8, true);
	expect_json(rows, 3, "step", 9, true);
	json_decref(timeline);
	json_decref(events);
}

static const char *name_at(const json_t *events, size_t i)
{
	return text_of(json_array_get(events, i), "name");
}

static json_int_t number_at(const json_t *events, size_t i, const char *key)
{
	return json_integer_value(json_object_get(json_array_get(events, i), key));
}

static void test_trace_events(void **state)
{
	json_t *record = json_pack(
		"{s:s, s:i, s:{s:[{s:i, s:s, s:i, s:n, s:i, s:i, s:n, s:[[s, i, i, i], [s, i, i, i], "
		"[s, i, i, n]]}, {s:i, s:s, s:i, s:i, s:n, s:i, s:i, s:[]}]}}",
		"kernel", "cg", "np", 1, "timeline", "processes", "job", 0, "host", "h", "pid", 7,
		"spare", "role", 3, "began_us", -50, "died_us", "rows", "revoke", 9, 10, 2,
		"repair", 9, 10, 20, "step", 9, 30, "job", 0, "host", "h", "pid", 8, "spare", 0,
		"role", "began_us", -20, "died_us", 40, "rows");
	json_t *trace = trace_events(record), *events = json_object_get(trace, "traceEvents");
	static const char *const names[] = { "process_name",
					     "thread_name",
					     "process_sort_index",
					     "revoke",
					     "failure detected",
					     "repair",
					     "step",
					     "process_name",
					     "thread_name",
					     "process_sort_index",
					     "SIGKILL" };

	(void)state;
	assert_int_equal(json_array_size(events), sizeof names / sizeof *names);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_string_equal(name_at(events, i), names[i]);
	/* 0 is the begin of the first process */
	assert_true(number_at(events, 5, "ts") == 60 && number_at(events, 5, "dur") == 20);
	assert_string_equal(text_of(json_array_get(events, 6), "ph"), "i");
	assert_true(number_at(events, 6, "ts") == 80 && number_at(events, 10, "ts") == 90);
	assert_true(number_at(events, 6, "pid") == 1 && number_at(events, 10, "pid") == 2);
	assert_string_equal(text_of(json_object_get(json_array_get(events, 0), "args"), "name"),
			    "role 3 (job 0, pid 7 on h)");
	assert_string_equal(text_of(json_object_get(json_array_get(events, 7), "args"), "name"),
			    "spare 0 (job 0, pid 8 on h)");
	json_decref(trace);
	json_object_del(record, "timeline");
	assert_null(trace_events(record));
	json_decref(record);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)
	const struct CMUnitTest tests[] = {
		TEST(test_a_spare_becomes_a_role),
		TEST(test_the_first_state_is_made_in_the_setup),
		TEST(test_a_recovery_has_room_behind_many_waits),
		TEST(test_other_files_are_left_out),
		TEST(test_what_was_under_way_ends_with_the_death),
		TEST(test_a_failure_behind_a_commit),
		TEST(test_a_kill_is_of_one_process),
		TEST(test_a_death_between_the_two_steps_of_a_row),
		TEST(test_iterations_that_are_repeated_are_said),
		TEST(test_trace_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
