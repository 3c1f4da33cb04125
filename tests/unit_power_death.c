/* Power techniques, on a machine made of files (tests/power-tree): what is restored after which
 * death. */
#include "tests/power_unit.h"

#include "base/end_with_parent.h"
#include "base/status.h"

#include <signal.h>
#include <sys/wait.h>

static pid_t start_worker(void)
{
	const pid_t test = getpid();
	pid_t child = fork();
	struct power *p;

	if (child != 0)
		return child;
	end_with_parent(test);
	if (power_guard(POWER_DVFS_CM, &err) != RB_OK ||
	    power_open(POWER_DVFS_CM, &p, &err) != RB_OK) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
	power_reduce(p, true);
	for (;;)
		pause();
}

/* Until the settings are as expected, or time is up. */
static bool becomes(bool reduced)
{
	for (int ms = 0; ms < PATIENCE_MS; ms += 5) {
		if (frequency(unit) == (reduced ? LOW : HIGH) &&
		    (clock_register(unit, "msr") != REGISTER) == reduced)
			return true;
		usleep(5000);
	}
	return false;
}

static bool folder_is_gone(void)
{
	char path[64];

	snprintf(path, sizeof path, "/dev/shm/rollbench.power.%u", (unsigned)geteuid());
	for (int ms = 0; ms < PATIENCE_MS; ms += 5) {
		if (access(path, F_OK) != 0)
			return true;
		usleep(5000);
	}
	return false;
}

/* The guardian of a process, by its parent and its name. 0: none. */
static pid_t guardian_of(pid_t worker)
{
	char command[160], line[32] = "";
	FILE *f;

	snprintf(command, sizeof command,
		 "grep -ls '(" POWER_GUARD_NAME ") . %d ' /proc/[0-9]*/stat", (int)worker);
	f = popen(command, "r");
	if (f && !fgets(line, sizeof line, f))
		line[0] = '\0';
	pclose(f);
	return line[0] ? atoi(line + 6) : 0;
}

static void bury(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void sigkill_of_the_worker(void **state)
{
	pid_t worker = start_worker();

	(void)state;
	assert_true(becomes(true));
	bury(worker);
	assert_true(becomes(false));
	check_all(false);
	assert_true(folder_is_gone());
}

static void the_guardian_minds_no_signal(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1 };
	pid_t worker = start_worker(), guardian;

	(void)state;
	assert_true(becomes(true));
	guardian = guardian_of(worker);
	assert_true(guardian > 0);
	assert_int_not_equal(getsid(guardian), getsid(worker));
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		kill(guardian, signals[i]);
	bury(worker);
	assert_true(becomes(false));
}

/* The final number of settings reported as left: a killed process keeps its locks until it has
 * ended. */
static int leftovers_at_last(char (*left)[POWER_TEXT], int expected)
{
	int n = -1;

	for (int ms = 0; ms < PATIENCE_MS && (n = power_leftovers(left, 8)) != expected; ms += 5)
		usleep(5000);
	return n;
}

static void sigkill_of_both(void **state)
{
	char left[8][POWER_TEXT];
	pid_t worker = start_worker(), guardian;
	struct power *p;

	(void)state;
	assert_true(becomes(true));
	guardian = guardian_of(worker);
	assert_true(guardian > 0);
	kill(guardian, SIGKILL);
	assert_int_equal(power_leftovers(left, 8), 0); /* the worker lives */
	bury(worker);
	assert_int_equal(leftovers_at_last(left, 2 * CPU_COUNT(&core)), 2 * CPU_COUNT(&core));
	assert_non_null(
		strstr(left[0], "the highest frequency was 3200000 kHz: echo 3200000 >/sys/"));
	assert_non_null(strstr(left[1], "wrmsr -p"));
	assert_int_equal(frequency(unit), LOW);
	assert_int_equal(power_open(POWER_CM, &p, &err), RB_OK);
	check_all(false);
	power_close(p);
	assert_int_equal(power_leftovers(left, 8), 0);
}

/* What cannot be restored stays on the list, and nothing is recorded on top of it. */
static void what_cannot_be_restored_is_kept(void **state)
{
	char left[8][POWER_TEXT];
	pid_t worker = start_worker();
	struct power *p;

	(void)state;
	assert_true(becomes(true));
	remove_frequency(unit, "scaling_max_freq");
	bury(worker);
	for (int ms = 0; ms < PATIENCE_MS && power_leftovers(left, 8) == 0; ms += 5)
		usleep(5000);
	assert_true(power_leftovers(left, 8) > 0);
	assert_true(clock_register(unit, "msr") == REGISTER);
	assert_int_equal(power_open(POWER_CM, &p, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "left it changed when it was killed"));
	assert_non_null(strstr(err.text, "rollbench doctor"));
	put_frequency(unit, "scaling_max_freq", "1200000\n");
	assert_int_equal(power_open(POWER_CM, &p, &err), RB_OK);
	assert_int_equal(frequency(unit), HIGH);
	power_close(p);
}

static void one_process_a_core(void **state)
{
	pid_t worker = start_worker();
	struct power *p;

	(void)state;
	assert_true(becomes(true));
	assert_int_equal(power_open(POWER_DVFS, &p, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "sets the power of this core already"));
	bury(worker);
	assert_int_equal(power_open(POWER_DVFS, &p, &err), RB_OK); /* its guardian is waited for */
	assert_int_equal(frequency(unit), HIGH);
	power_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(sigkill_of_the_worker), ON_TREE(the_guardian_minds_no_signal),
		ON_TREE(sigkill_of_both),       ON_TREE(what_cannot_be_restored_is_kept),
		ON_TREE(one_process_a_core),
	};

	return cmocka_run_group_tests(tests, bind_and_enter, leave_tree);
}
