/* When a job is ended because it makes no progress, and what is written about it. */
#include "base/clock.h"
#include "harness/events/events.h"
#include "harness/job/escalation.h"
#include "harness/options/spec_options.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct run_spec some_run(void)
{
	struct run_spec spec;

	spec_init(&spec, kernel_find("jacobi"));
	return spec;
}

static void limits_grow_with_the_machine_and_the_work(void **state)
{
	struct run_spec spec = some_run();
	struct escalation e = escalation_begin(&spec, dir, 5);
	struct progress p = { .begun = 4, .repair_s = 15 };

	(void)state;
	assert_false(escalation_is_due(&e, &p, 4, e.begin + 100));
	p.repair_s = 15.1;
	assert_true(escalation_is_due(&e, &p, 4, e.begin + 100));
	assert_string_equal(e.why, "repair");
	p.work_s = 2;
	assert_false(escalation_is_due(&e, &p, 4, e.begin + 100));
	assert_false(escalation_is_due(&e, &p, 4, e.begin + 100)); /* it is not added twice */
	p.repair_s = 35.1;
	assert_true(escalation_is_due(&e, &p, 4, e.begin + 100));
}

static void a_limit_that_was_given_stays(void **state)
{
	struct run_spec spec = some_run();
	struct progress p = { .begun = 4, .repair_s = 1.6, .work_s = 100 };
	struct escalation e;

	(void)state;
	spec.repair_deadline_s = 1.5;
	e = escalation_begin(&spec, dir, 128);
	assert_true(escalation_is_due(&e, &p, 4, e.begin + 10));
	p.repair_s = 1.4;
	assert_false(escalation_is_due(&e, &p, 4, e.begin + 10));
}

static void all_roles_must_begin(void **state)
{
	struct run_spec spec = some_run();
	struct escalation e = escalation_begin(&spec, dir, 2);
	struct progress p = { .begun = 3 };

	(void)state;
	assert_false(escalation_is_due(&e, &p, 4, e.begin + 11.9));
	assert_true(escalation_is_due(&e, &p, 4, e.begin + 12.1));
	assert_string_equal(e.why, "start");
	p.begun = 4;
	assert_false(escalation_is_due(&e, &p, 4, e.begin + 12.1));
}

static void never(struct run_spec *spec)
{
	struct progress p = { .repair_s = 1e6 };
	struct escalation e = escalation_begin(spec, dir, 1);

	assert_false(escalation_is_due(&e, &p, 4, e.begin + 1e6));
}

/* The MPI ends the job by itself when a role dies, but a death in MPI_Init can make the start wait
 * for ever. */
static void with_job_restart_only_the_start_is_watched(void **state)
{
	struct run_spec spec = some_run();
	struct progress p = { .begun = 4, .repair_s = 1e6 };
	struct escalation e;

	(void)state;
	spec.strategy = FT_RESTART;
	e = escalation_begin(&spec, dir, 1);
	assert_false(escalation_is_due(&e, &p, 4, e.begin + 1e6));
	p.begun = 3;
	assert_true(escalation_is_due(&e, &p, 4, e.begin + 1e6));
	assert_string_equal(e.why, "start");
}

static void some_runs_are_never_escalated(void **state)
{
	struct run_spec spec = some_run();

	(void)state;
	spec.escalation = ESCALATION_OFF;
	never(&spec);
	spec = some_run();
	strcpy(spec.policy, "off");
	never(&spec);
}

static void what_was_written_is_read_and_limits_their_number(void **state)
{
	struct run_spec spec = some_run();
	struct progress p = { .begun = 4, .repair_s = 50 };
	json_t *events, *event;
	int number = 0;
	size_t at;

	(void)state;
	for (int i = 0; i < ESCALATIONS_MAX; i++) {
		struct escalation e = escalation_begin(&spec, dir, 1);

		assert_true(escalation_is_due(&e, &p, 4, e.begin));
		escalation_note(&e, json_pack("[{s:i, s:s}]", "role", i, "phase", "step"),
				json_null());
	}
	events = events_read(dir);
	assert_int_equal(json_array_size(events), ESCALATIONS_MAX);
	json_array_foreach(events, at, event) {
		json_t *roles = json_object_get(event, "roles");

		assert_true(event_is(event, ESCALATION_EVENT));
		assert_int_equal(
			json_integer_value(json_object_get(json_array_get(roles, 0), "role")),
			number++);
	}
	json_decref(events);
	never(&spec);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_dir, remove_dir)
	const struct CMUnitTest tests[] = {
		TEST(limits_grow_with_the_machine_and_the_work),
		TEST(a_limit_that_was_given_stays),
		TEST(all_roles_must_begin),
		TEST(with_job_restart_only_the_start_is_watched),
		TEST(some_runs_are_never_escalated),
		TEST(what_was_written_is_read_and_limits_their_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
