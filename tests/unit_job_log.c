/* Why a job ended without a result: the message that matters among all that the MPI has written,
 * and the remedy. The messages are shortened ones of Open MPI 5.0.7. */
#include "harness/job/job_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define RULE "--------------------------------------------------------------------------\n"

static char dir[SPEC_PATH];

static int make_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof dir, "%s/logXXXXXX", tmp && *tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	scratch_remove(dir);
	return 0;
}

static void write_bytes(const char *bytes, size_t count)
{
	char path[SCRATCH_PATH];
	FILE *f;

	job_log_path(dir, path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, count, f), count);
	fclose(f);
}

static void write_log(const char *text)
{
	write_bytes(text, strlen(text));
}

static void check_written(long from, bool kills, const char *expected)
{
	char said[JOB_LOG_TEXT];

	job_log_explain(dir, from, kills, said);
	if (strncmp(said, expected, strlen(expected)) != 0)
		fail_msg("not explained by\n%s\nbut by\n%s", expected, said);
}

static void check_from(const char *log, long from, bool kills, const char *expected)
{
	write_log(log);
	check_written(from, kills, expected);
}

static void check(const char *log, const char *expected)
{
	check_from(log, 0, false, expected);
}

static void the_message_and_not_its_last_line(void **state)
{
	static const char zero[] = RULE "WARNING: slow.\n" RULE "\0" RULE "First.\n" RULE "\0";

	(void)state;
	check(RULE "The frobnicator is not there:\n\n  Name: x\n\nPlease\ncontinue.\n" RULE,
	      "The frobnicator is not there: Name: x Please continue.");
	/* what follows is of what it led to; a warning is not a cause */
	check("some output\n" RULE "WARNING: slow.\n" RULE " " RULE "First.\n" RULE RULE
	      "It looks like MPI_INIT failed\n" RULE "[h:1] Local abort\nmpirun: ended by exit "
	      "status 1\n",
	      "First.");
	/* Open MPI ends a message with a byte 0, before the next rule */
	write_bytes(zero, sizeof zero - 1);
	check_written(0, false, "First.");
	check("one\ntwo\nmpirun: ended by exit status 1\n", "two");
	check(RULE "First.\n" RULE "rollbench worker: no file\nmore\n",
	      "rollbench worker: no file");
	check("", "nothing (perhaps no process was left)");
	check(RULE "\n" RULE "mpirun: ended by exit status 213\n",
	      "mpirun: ended by exit status 213; remedy: the same command again");
}

static void only_of_the_last_job(void **state)
{
	static const char before[] = RULE "Before.\n" RULE;

	(void)state;
	check_from(RULE "Before.\n" RULE RULE "After.\n" RULE, (long)strlen(before), false,
		   "After.");
}

static void a_known_cause_comes_with_its_remedy(void **state)
{
	static const struct {
		const char *log, *remedy;
	} cases[] = {
		{ RULE "No network interfaces were found for out-of-band communications.\n" RULE,
		  "`ip link set lo up`" },
		{ "ssh: Could not resolve hostname h9: Name or service not known\n" RULE
		  "PRTE has lost communication with a remote daemon.\n" RULE,
		  "correct the name in the host file" },
		{ "root@h2: Permission denied (publickey,password).\n", "let ssh reach" },
		{ RULE "No available launching agents were found.\n" RULE, "install ssh" },
		{ "bash: line 1: prted: command not found\n", "the same path on every host" },
		{ "p: error while loading shared libraries: libmpi.so.40: cannot open\n",
		  "LD_LIBRARY_PATH" },
		{ "[h:1] PMIX ERROR: PMIX_ERR_SYS_LIMITS_PIPES in file iof_base_setup.c at line 1\n",
		  "`ulimit -n 4096`" },
		{ RULE
		  "Error: system limit exceeded on number of processes that can be started\n" RULE,
		  "`ulimit -u`" },
		{ RULE "It appears as if there is not enough space for /dev/shm/x\n" RULE,
		  "/dev/shm larger" },
		{ "open: No space left on device\n", "another --workdir" },
		{ "mpirun: ended by signal 25, File size limit exceeded\n",
		  "`ulimit -f unlimited`" },
		{ RULE
		  "The specified mapping directive is not recognized:\n  Directive: foo\n" RULE,
		  "PRTE_MCA_rmaps_default_mapping_policy" },
		{ RULE "An unrecognized option was included on the mpirun command line:\n" RULE,
		  "$ROLLBENCH_MPIRUN_ARGS" },
		{ RULE "A requested component was not found, or was unable to be opened.\n" RULE,
		  "OMPI_MCA_" },
		{ RULE "At least one pair of MPI processes are unable to reach each other\n" RULE,
		  "self, sm and tcp" },
		{ "connect() to 10.0.0.2:1024 failed: No route to host (113)\n",
		  "prte_if_include" },
		{ RULE "process rank 0 on node h exited on\nsignal 9 (Killed).\n" RULE, "`dmesg`" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char said[JOB_LOG_TEXT], *remedy;

		write_log(cases[i].log);
		job_log_explain(dir, 0, false, said);
		remedy = strstr(said, "; remedy: ");
		if (!remedy || !strstr(remedy, cases[i].remedy))
			fail_msg("%s\n%s", cases[i].log, said);
	}
}

/* Where Rollbench kills, a killed process is what was asked for. */
static void a_kill_on_purpose_needs_no_remedy(void **state)
{
	static const char log[] = RULE "process rank 0 exited on signal 9 (Killed).\n" RULE;
	char said[JOB_LOG_TEXT];

	(void)state;
	check_from(log, 0, true, "process rank 0 exited on signal 9 (Killed).");
	job_log_explain(dir, 0, true, said);
	assert_null(strstr(said, "remedy"));
}

/* The beginning says what has happened, the end has the names; the remedy is whole. */
static void a_long_message_loses_its_middle(void **state)
{
	char log[2 * JOB_LOG_TEXT] = RULE "A requested component was not found", said[JOB_LOG_TEXT];

	(void)state;
	for (int i = 0; i < 80; i++)
		strcat(log, " word");
	strcat(log, "\nComponent: nosuch\n" RULE);
	write_log(log);
	job_log_explain(dir, 0, false, said);
	assert_true(strlen(said) < sizeof said);
	assert_ptr_equal(strstr(said, "A requested component was not found word"), said);
	assert_non_null(strstr(said, "word ... word"));
	assert_non_null(strstr(said, " Component: nosuch; remedy: "));
	assert_string_equal(said + strlen(said) - strlen("PMIX_MCA_ variables"),
			    "PMIX_MCA_ variables");
	memset(log, 'x', sizeof log - 1); /* one word */
	write_log(log);
	job_log_explain(dir, 0, false, said);
	assert_true(strlen(said) < sizeof said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_message_and_not_its_last_line),
		cmocka_unit_test(only_of_the_last_job),
		cmocka_unit_test(a_known_cause_comes_with_its_remedy),
		cmocka_unit_test(a_kill_on_purpose_needs_no_remedy),
		cmocka_unit_test(a_long_message_loses_its_middle),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
