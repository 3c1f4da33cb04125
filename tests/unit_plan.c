/* Failure plans: what is accepted, what is refused and with which words. */
#include "base/status.h"
#include "inject/plan.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	static const char *const bad[] = { "",     "3",     "@",      "3@",       "@3",
					   "-1@3", "3@-1",  "3@1x",   "3@1:",     "3@1:nowhere",
					   " 3@1", "3 @1",  "0x3@1",  "3@1:send ", "8@1",
					   "3@99999999999999999999" };
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

/* Strike in a child, since it does not return; the second time it must. */
static int strike(const struct inject_plan *plan, const char *dir, int role, int64_t iter,
		  enum inject_phase phase)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		inject_strike(plan, dir, role, iter, phase);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_kill_fires_once(void **state)
{
	char dir[] = "/tmp/rollbench-unit-XXXXXX", marker[64];
	struct inject_plan plan = { 0 };
	double when;
	int64_t iter;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(inject_parse(&plan, "3@13:checkpoint", 8, &err), RB_OK);
	assert_int_equal(strike(&plan, dir, 2, 25, INJECT_CHECKPOINT), 0);
	assert_int_equal(strike(&plan, dir, 3, 10, INJECT_CHECKPOINT), 0);
	assert_int_equal(strike(&plan, dir, 3, 13, INJECT_SEND), 0);
	assert_false(inject_fired(dir, 0, &when, &iter));
	assert_int_equal(strike(&plan, dir, 3, 25, INJECT_CHECKPOINT), SIGKILL);
	assert_true(inject_fired(dir, 0, &when, &iter));
	assert_int_equal(iter, 25);
	assert_int_equal(strike(&plan, dir, 3, 25, INJECT_CHECKPOINT), 0);
	snprintf(marker, sizeof marker, "%s/kill.0", dir);
	unlink(marker);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_text_is_understood),
		cmocka_unit_test(bad_text_is_refused),
		cmocka_unit_test(a_kill_fires_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
