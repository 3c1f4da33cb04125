/* Kills from outside: what is accepted, in which order, and that a signal reaches processes of the
 * job only. */
#include "base/end_with_parent.h"
#include "base/status.h"
#include "harness/job/member.h"
#include "harness/machine/power/power.h"
#include "inject/outside.h"
#include "tests/folder.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct rb_error err;
static char job[] = "12";

static void good_text_is_sorted_by_time(void **state)
{
	static const char *const texts[] = { "1.5:3",       "0:spare12", "start+2:1",
					     "0.0132005:0", "1.5:4",     "start+0.1:spare0" };
	static const char *const sorted[] = { "start+0.100000:spare0",
					      "start+2.000000:1",
					      "0.000000:spare12",
					      "0.013201:0",
					      "1.500000:3",
					      "1.500000:4" };
	struct outside_plan plan = { .count = 0 };
	char text[INJECT_TEXT];

	(void)state;
	for (int i = 0; i < 6; i++)
		assert_int_equal(outside_parse(&plan, texts[i], &err), RB_OK);
	for (int i = 0; i < 6; i++) {
		outside_format(&plan.kill[i], text, sizeof text);
		assert_string_equal(text, sorted[i]);
	}
}

static void bad_text_is_refused(void **state)
{
	static const char *const bad[] = {
		"",        ":",        "3",          "0.5",
		"0.5:",    ":3",       "-1:3",       "+1:3",
		" 1:3",    "1e3:3",    "0x1:3",      "inf:3",
		"nan:3",   "1..2:3",   ".:3",        "1:3x",
		"1: 3",    "1:-3",     "1:spare",    "1:spares1",
		"1:node0", "1:host0",  "1000001:3",  "1:99999999999999999999",
		"1:3@5",   "3@5",      "start:3",    "start+:3",
		"start+1", "start1:3", "start+-1:3", "start+1:node0"
	};
	struct outside_plan plan = { .count = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err.text[0] = '\0';
		assert_int_equal(outside_parse(&plan, bad[i], &err), RB_EINVAL);
		assert_non_null(strstr(err.text, "--kill-at"));
	}
	assert_int_equal(plan.count, 0);
	for (int i = 0; i < OUTSIDE_MAX; i++)
		assert_int_equal(outside_parse(&plan, "1:0", &err), RB_OK);
	assert_int_equal(outside_parse(&plan, "1:0", &err), RB_EINVAL);
}

/* The name that a process gives itself once it runs. */
#define NAME "UNIT_KILLER_NAME"

static int await_end(void)
{
	const char *name = getenv(NAME);

	end_with_parent(getppid());
	if (name)
		prctl(PR_SET_NAME, name);
	if (write(STDOUT_FILENO, "", 1) != 1)
		return 1;
	for (;;)
		pause();
}

/* Start a process and wait until it runs what it is to run. */
static pid_t begin(const char *program, char *const argv[])
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		execv(program, argv);
		_exit(127);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void check(const char *program, char *const argv[], bool member)
{
	pid_t pid = begin(program, argv);
	int fd = member_open(pid, dir);

	assert_int_equal(fd >= 0, member);
	if (fd >= 0)
		close(fd);
	end(pid);
}

static void only_workers_of_the_run_are_members(void **state)
{
	char self[] = "/proc/self/exe", worker[] = "worker", longer[80], shorter[80],
	     more[] = "more", none[] = "", rollbench[] = "rollbench";
	char *wrong[][6] = { { rollbench, worker, longer, job },
			     { rollbench, worker, shorter, job },
			     { rollbench, worker, dir, more },
			     { rollbench, worker, dir, none },
			     { rollbench, worker, dir },
			     { rollbench, worker, dir, job, more },
			     { rollbench, dir, worker, job },
			     { rollbench, more, dir, job },
			     { rollbench, worker },
			     { rollbench },
			     { rollbench, more, worker, dir, job } };
	char *right[] = { rollbench, worker, dir, job, NULL };

	(void)state;
	snprintf(longer, sizeof longer, "%s0", dir);
	snprintf(shorter, sizeof shorter, "%.*s", (int)strlen(dir) - 1, dir);
	check(self, right, true);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		check(self, wrong[i], false);
}

static void another_program_of_that_name_is_none(void **state)
{
	char rollbench[] = "rollbench", worker[] = "worker",
	     *argv[] = { rollbench, worker, dir, job, NULL };
	char script[] = "worker", path[96], *sh[] = { rollbench, script, dir, job, NULL };
	FILE *f;

	(void)state;
	setenv(NAME, POWER_GUARD_NAME, 1);
	check("/proc/self/exe", argv, false);
	unsetenv(NAME);
	/* a shell with this exact command line: its script is the file "worker" */
	assert_int_equal(chdir(dir), 0);
	snprintf(path, sizeof path, "%s/worker", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "printf x; kill -STOP $$\n");
	fclose(f);
	check("/bin/sh", sh, false);
	assert_int_equal(chdir("/"), 0);
}

static void ranks_are_found_by_their_environment(void **state)
{
	char rollbench[] = "rollbench", worker[] = "worker",
	     *argv[] = { rollbench, worker, dir, job, NULL };
	pid_t pid[3], first, third;

	(void)state;
	assert_int_equal(member_ranks(dir, pid, 3), 0);
	setenv("PMIX_RANK", "2", 1);
	third = begin("/proc/self/exe", argv);
	setenv("PMIX_RANK", "0", 1);
	first = begin("/proc/self/exe", argv);
	unsetenv("PMIX_RANK");
	assert_int_equal(member_ranks(dir, pid, 3), 2);
	assert_true(pid[0] == first && pid[1] == 0 && pid[2] == third);
	assert_int_equal(member_ranks(dir, pid, 2), 1); /* two ranks have no rank 2 */
	end(first);
	assert_int_equal(member_ranks(dir, pid, 3), 1);
	end(third);
}

/* A process that is no descendant of the caller: a child of the caller examines it. */
static void a_job_of_another_harness_is_none(void **state)
{
	char rollbench[] = "rollbench", worker[] = "worker",
	     *argv[] = { rollbench, worker, dir, job, NULL };
	pid_t other = begin("/proc/self/exe", argv), asks = fork();
	int status;

	(void)state;
	if (asks == 0)
		_exit(member_open(other, dir) >= 0);
	assert_int_equal(waitpid(asks, &status, 0), asks);
	end(other);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_member_is_killed_once(void **state)
{
	char rollbench[] = "rollbench", worker[] = "worker",
	     *argv[] = { rollbench, worker, dir, job, NULL };
	pid_t pid = begin("/proc/self/exe", argv);
	int status, fd = member_open(pid, dir);

	(void)state;
	assert_true(fd >= 0);
	assert_true(member_kill(fd));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_false(member_kill(fd)); /* even if its number is used again */
	close(fd);
	assert_int_equal(member_open(pid, dir), -1);
	assert_int_equal(member_open(0, dir), -1);
	assert_int_equal(member_open(1, dir), -1);
	assert_int_equal(member_open(-1, dir), -1);
	assert_int_equal(member_open(getpid(), dir), -1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_text_is_sorted_by_time),
		cmocka_unit_test(bad_text_is_refused),
		cmocka_unit_test_setup_teardown(only_workers_of_the_run_are_members, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(another_program_of_that_name_is_none, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(ranks_are_found_by_their_environment, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_job_of_another_harness_is_none, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_member_is_killed_once, make_dir, remove_dir),
	};

	if (argc > 0 && strcmp(argv[0], "rollbench") == 0)
		return await_end();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
