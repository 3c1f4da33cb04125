/* The cleaner of a killed process removes the folders of the run; otherwise it does nothing. */
#include "harness/job/cleaner.h"
#include "harness/job/reap.h"
#include "harness/job/scratch.h"
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

static char run[96], shared[96];

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

/* A process of the job: it outlives the owner by half a second, and makes the run folder again. */
static void start_job(void)
{
	char script[512];

	snprintf(script, sizeof script, "sleep 0.5; mkdir -p %s/again %s/again", run, shared);
	if (fork() == 0)
		execl("/bin/sh", "sh", "-c", script, (char *)NULL);
}

static void owner(enum end end, bool with_run)
{
	struct cleaner c;

	cleaner_start(&c);
	cleaner_guard(&c, run, with_run, "");
	cleaner_guard(&c, run, with_run, shared);
	if (c.socket < 0)
		_exit(2);
	usleep(20000); /* until it has its name */
	if (end == REAPED)
		reap_all(0);
	if (end == KILLED)
		start_job();
	if (end == STOPPED)
		cleaner_stop(&c);
	else
		raise(SIGKILL);
	_exit(0);
}

/* We adopt orphans; returns when all have ended. */
static void end_owner(enum end end, bool with_run)
{
	int status;
	pid_t pid;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = fork();
	if (pid == 0)
		owner(end, with_run);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WIFSIGNALED(status), end != STOPPED);
	while ((pid = wait(&status)) > 0)
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(errno, ECHILD);
}

static void check(enum end end, bool with_run, bool run_stays, bool shared_stays)
{
	snprintf(run, sizeof run, "%s/run", dir);
	snprintf(shared, sizeof shared, "%s/shared", dir);
	fill(run);
	fill(shared);
	end_owner(end, with_run);
	assert_int_equal(access(run, F_OK) == 0, run_stays);
	assert_int_equal(access(shared, F_OK) == 0, shared_stays);
}

static void both_go_if_the_owner_is_killed(void **state)
{
	(void)state;
	check(KILLED, true, false, false);
}

static void a_run_to_be_resumed_stays(void **state)
{
	(void)state;
	check(KILLED, false, true, false);
}

static void both_stay_if_it_is_stopped(void **state)
{
	(void)state;
	check(STOPPED, true, true, true);
}

static void the_end_of_a_job_does_not_end_it(void **state)
{
	(void)state;
	check(REAPED, true, false, false);
}

/* So many more times a process that is ending makes a folder in the run folder, when all else there
 * is gone. */
static int late;

/* What scratch_remove() calls instead of libc's. Another process would write at the right moment
 * only by chance, and on busy cores for longer than the second that scratch_remove() goes on. */
int remove(const char *path)
{
	char again[128];

	if (late > 0 && strcmp(path, run) == 0) {
		snprintf(again, sizeof again, "%s/again-%d", run, late--);
		assert_int_equal(mkdir(again, 0700), 0);
	}
	return unlink(path) == 0 ? 0 : rmdir(path);
}

static void what_comes_meanwhile_goes_too(void **state)
{
	(void)state;
	snprintf(run, sizeof run, "%s/run", dir);
	fill(run);
	late = 3;
	scratch_remove(run);
	assert_int_equal(late, 0);
	assert_int_not_equal(access(run, F_OK), 0);
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
		cmocka_unit_test_setup_teardown(both_go_if_the_owner_is_killed, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_run_to_be_resumed_stays, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(both_stay_if_it_is_stopped, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(the_end_of_a_job_does_not_end_it, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(what_comes_meanwhile_goes_too, make_dir,
						remove_dir),
		cmocka_unit_test(none_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
