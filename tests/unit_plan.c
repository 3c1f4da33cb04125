/* Failure plans: what is accepted, what is refused and with which words. */
#include "base/status.h"
#include "harness/events/events.h"
#include "inject/kill.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct rb_error err;

static void good_text_is_understood(void **state)
{
	struct inject_plan plan = { 0 };
	char text[64];

	(void)state;
	assert_int_equal(inject_parse(&plan, "3@13", 8, &err), RB_OK);
	assert_int_equal(inject_parse(&plan, "0@0:checkpoint", 8, &err), RB_OK);
	assert_int_equal(plan.count, 2);
	inject_format(&plan.kill[0], text, sizeof text);
	assert_string_equal(text, "3@13:start");
	inject_format(&plan.kill[1], text, sizeof text);
	assert_string_equal(text, "0@0:checkpoint");
}

static void bad_text_is_refused(void **state)
{
	static const char *const bad[] = { "",
					   "3",
					   "@",
					   "3@",
					   "@3",
					   "-1@3",
					   "3@-1",
					   "3@1x",
					   "3@1:",
					   "3@1:nowhere",
					   " 3@1",
					   "3 @1",
					   "0x3@1",
					   "3@1:send ",
					   "8@1",
					   "3@99999999999999999999",
					   "3@1:repair",
					   "3@1:op",
					   "3@1:op+",
					   "3@1:op+x",
					   "3@1:send+2",
					   "3@1#0",
					   "3@1#",
					   "3@1:send#x",
					   "spare@1",
					   "spare0@1:send",
					   "node@2",
					   "nodes1@2",
					   "spare0@1:restore",
					   "3@1:op+1+2" };
	struct inject_plan plan = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err.text[0] = '\0';
		assert_int_equal(inject_parse(&plan, bad[i], 8, &err), RB_EINVAL);
		assert_non_null(strstr(err.text, "--kill"));
	}
	assert_int_equal(plan.count, 0);
	assert_int_equal(inject_parse(&plan, "9@1", 8, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "0..7"));
}

static void all_forms_come_back_as_they_were(void **state)
{
	static const char *const texts[] = { "3@13:start",        "3@13:op+7",
					     "0@0:repair+200",    "spare1@5:start",
					     "spare0@5:repair+0", "node1@13:send",
					     "3@13:commit#2",     "7@1:op+1#3",
					     "2@9:restore" };
	struct inject_plan plan = { 0 };
	char text[INJECT_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal(inject_parse(&plan, texts[i], 8, &err), RB_OK);
		inject_format(&plan.kill[i], text, sizeof text);
		assert_string_equal(text, texts[i]);
	}
}

/* A process of its own folder, as the roster's first entry. */
static struct inject_site site(const struct inject_plan *plan, const char *dir, int role, int spare)
{
	struct inject_site s = { .plan = plan, .dir = dir, .spare = spare };

	assert_int_equal(roster_open(&s.roster, dir, 4, &err), RB_OK);
	s.slot = role < 0 ? 1 : 0;
	s.roster.slot[s.slot] = (struct roster_slot){ 0, role, role < 0 ? 1 : 0, 0, 0, "here" };
	return s;
}

/* Kill in a child, since it does not return; a second call must. */
static int ends_by(struct inject_site *s, int64_t iter, enum inject_phase phase, int op, bool idle)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		s->roster.slot[s->slot].pid = getpid();
		if (idle)
			inject_kill_idle_spare(s);
		else
			inject_kill_here(s, iter, phase, op);
		/* A death that waits for its time. */
		usleep(phase == INJECT_REPAIR ? 300000 : 0);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* All kills that are told of, as JSON without the times. */
static void kills_are(const char *expected)
{
	json_t *events = events_read(dir), *event;
	char *told;
	size_t i;

	json_array_foreach(events, i, event) {
		assert_true(json_number_value(json_object_get(event, "at")) > 1e9);
		json_object_del(event, "at");
	}
	told = json_dumps(events, JSON_COMPACT);
	assert_string_equal(told, expected);
	free(told);
	json_decref(events);
}

static void a_kill_fires_once(void **state)
{
	struct inject_plan plan = { 0 };
	struct inject_site s, other;

	(void)state;
	assert_int_equal(inject_parse(&plan, "3@13:checkpoint", 8, &err), RB_OK);
	other = site(&plan, dir, 2, -1);
	assert_int_equal(ends_by(&other, 25, INJECT_CHECKPOINT, 0, false), 0);
	s = site(&plan, dir, 3, -1);
	assert_int_equal(ends_by(&s, 10, INJECT_CHECKPOINT, 0, false), 0);
	assert_int_equal(ends_by(&s, 13, INJECT_SEND, 0, false), 0);
	kills_are("[]");
	assert_int_equal(ends_by(&s, 25, INJECT_CHECKPOINT, 0, false), SIGKILL);
	assert_int_equal(ends_by(&s, 25, INJECT_CHECKPOINT, 0, false), 0);
	kills_are("[{\"event\":\"kill\",\"plan\":0,\"iteration\":25,\"phase\":\"checkpoint\","
		  "\"amount\":0,\"victims\":[3]}]");
}

static void the_second_pass_can_be_meant(void **state)
{
	struct inject_plan plan = { 0 };
	struct inject_site s;

	(void)state;
	assert_int_equal(inject_parse(&plan, "3@13:op+2#3", 8, &err), RB_OK);
	s = site(&plan, dir, 3, -1);
	for (int pass = 1; pass <= 2; pass++) {
		assert_int_equal(ends_by(&s, 13, INJECT_OPERATION, 1, false), 0);
		assert_int_equal(ends_by(&s, 13, INJECT_OPERATION, 2, false), 0);
	}
	assert_int_equal(ends_by(&s, 13, INJECT_OPERATION, 2, false), SIGKILL);
	assert_int_equal(ends_by(&s, 13, INJECT_OPERATION, 2, false), 0);
}

static void a_repair_kills_in_its_time(void **state)
{
	struct inject_plan plan = { 0 };
	json_t *events;
	struct inject_site s;

	(void)state;
	assert_int_equal(inject_parse(&plan, "3@13:repair+20000", 8, &err), RB_OK);
	s = site(&plan, dir, 3, -1);
	assert_int_equal(ends_by(&s, 11, INJECT_REPAIR, 0, false), 0); /* an earlier recovery */
	assert_int_equal(ends_by(&s, 12, INJECT_REPAIR, 0, false), SIGKILL); /* lags by one */
	events = events_read(dir);
	assert_int_equal(json_array_size(events), 1);
	assert_true(json_integer_value(json_object_get(json_array_get(events, 0), "amount")) >=
		    20000);
	json_decref(events);
}

static void a_spare_dies_when_the_roles_have_come_there(void **state)
{
	struct inject_plan plan = { 0 };
	struct inject_site s;

	(void)state;
	assert_int_equal(inject_parse(&plan, "spare1@13", 8, &err), RB_OK);
	s = site(&plan, dir, -1, 1);
	s.roster.slot[0] = (struct roster_slot){ 1, 0, 0, 0, 12, "here" };
	assert_int_equal(ends_by(&s, 0, INJECT_START, 0, true), 0);
	s.roster.slot[0].front = 13;
	assert_int_equal(ends_by(&s, 0, INJECT_START, 0, true), SIGKILL);
	assert_int_equal(ends_by(&s, 0, INJECT_START, 0, true), 0);
}

static enum inject_phase somewhere(int64_t *iter, int64_t *amount)
{
	*iter = 17;
	*amount = 4;
	return INJECT_OPERATION;
}

/* A kill of which nothing can be told would make a death that no plan explains. */
static void a_kill_that_cannot_be_told_of_is_not_carried_out(void **state)
{
	struct inject_plan plan = { 0 };
	struct rlimit none = { 0, 0 }, before;
	struct inject_site s;

	(void)state;
	assert_int_equal(inject_parse(&plan, "3@13", 8, &err), RB_OK);
	s = site(&plan, dir, 3, -1);
	getrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_IGN);
	none.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_FSIZE, &none);
	assert_int_equal(ends_by(&s, 13, INJECT_START, 0, false), 0);
	setrlimit(RLIMIT_FSIZE, &before);
	kills_are("[]");
}

static void death_by_chance_depends_on_the_seed_alone(void **state)
{
	struct inject_plan plan = { 0 };
	struct inject_site s = site(&plan, dir, 3, -1);
	pid_t child;
	int status;

	(void)state;
	s.mtbf_s = 1e-4;
	child = fork();
	if (child == 0) {
		inject_arm_chance(&s, 8, 3, 2, somewhere);
		for (;;)
			pause();
	}
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	kills_are(
		"[{\"event\":\"kill\",\"chance\":2,\"iteration\":17,\"phase\":\"op\",\"amount\":4,"
		"\"victims\":[3]}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_text_is_understood),
		cmocka_unit_test(bad_text_is_refused),
		cmocka_unit_test(all_forms_come_back_as_they_were),
		cmocka_unit_test_setup_teardown(a_kill_fires_once, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(the_second_pass_can_be_meant, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(a_repair_kills_in_its_time, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(a_spare_dies_when_the_roles_have_come_there,
						make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(a_kill_that_cannot_be_told_of_is_not_carried_out,
						make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(death_by_chance_depends_on_the_seed_alone, make_dir,
						remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
