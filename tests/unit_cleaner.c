/* The folders of a run go if the process that has a cleaner is killed, and are its own business if it is not. */
#include "harness/job/cleaner.h"
#include "harness/job/reap.h"
#include "tests/folder.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum end { KILLED, STOPPED, REAPED };

static char one[96], other[96];

static void fill(const char *folder)
{
	char path[128];
	FILE *f;

	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(path, sizeof path, "%s/file", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static void owner(enum end end, const char *second)
{
	struct cleaner c;

	cleaner_start(&c, one, second);
	if (c.socket < 0)
		_exit(2);
	usleep(20000); /* until it has its name */
	if (end == REAPED)
		reap_all(0);
	if (end == STOPPED)
		cleaner_stop(&c);
	else
		raise(SIGKILL);
	_exit(0);
}

/* The cleaner is the orphan that comes to us; returns when it has ended, too. */
static void run(enum end end, const char *second)
{
	int status;
	pid_t pid;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = fork();
	if (pid == 0)
		owner(end, second);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WIFSIGNALED(status), end != STOPPED);
	pid = wait(&status);
	assert_true(end == STOPPED ? pid < 0 && errno == ECHILD : pid > 0 && WIFEXITED(status));
}

static void check(enum end end, const char *second, bool first_stays, bool second_stays)
{
	snprintf(one, sizeof one, "%s/one", dir);
	snprintf(other, sizeof other, "%s/other", dir);
	fill(one);
	fill(other);
	run(end, second);
	assert_int_equal(access(one, F_OK) == 0, first_stays);
	assert_int_equal(access(other, F_OK) == 0, second_stays);
}

static void both_go_if_the_owner_is_killed(void **state)
{
	(void)state;
	check(KILLED, other, false, false);
}

static void only_what_was_named_goes(void **state)
{
	(void)state;
	check(KILLED, "", false, true);
}

static void both_stay_if_it_is_stopped(void **state)
{
	(void)state;
	check(STOPPED, other, true, true);
}

static void the_end_of_a_job_does_not_end_it(void **state)
{
	(void)state;
	check(REAPED, other, false, false);
}

static void none_is_stopped(void **state)
{
	struct cleaner none = { .socket = -1 };

	(void)state;
	cleaner_stop(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_go_if_the_owner_is_killed, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(only_what_was_named_goes, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(both_stay_if_it_is_stopped, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(the_end_of_a_job_does_not_end_it, make_dir, remove_dir),
		cmocka_unit_test(none_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
