/* What of the arguments to mpirun counts as the description of a run, and what only says where it
 * ran. */
#include "harness/job/mpirun.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void ask(const char *program, const char *arguments)
{
	if (program)
		setenv("ROLLBENCH_MPIRUN", program, 1);
	else
		unsetenv("ROLLBENCH_MPIRUN");
	if (arguments)
		setenv("ROLLBENCH_MPIRUN_ARGS", arguments, 1);
	else
		unsetenv("ROLLBENCH_MPIRUN_ARGS");
}

static void check_shape(const char *arguments, const char *expected)
{
	char text[MPIRUN_TEXT];

	ask(NULL, arguments);
	mpirun_shape(text);
	assert_string_equal(text, expected);
}

static void nothing_asked_for_is_nothing(void **state)
{
	char text[MPIRUN_TEXT];

	(void)state;
	check_shape(NULL, "");
	check_shape("", "");
	check_shape("   ", "");
	ask("mpirun", NULL);
	mpirun_shape(text);
	assert_string_equal(text, "");
	mpirun_text(text);
	assert_string_equal(text, "mpirun");
}

static void where_is_left_out_and_how_is_not(void **state)
{
	(void)state;
	check_shape("--mca  btl_tcp_eager_limit 70000 ", "mpirun --mca btl_tcp_eager_limit 70000");
	check_shape("--host a:4,b:4,c -x PATH", "mpirun --host *:4,*:4,* -x PATH");
	check_shape("-H a", "mpirun -H *");
	check_shape("--mca btl_tcp_if_include ib0,10.0.0.0/8",
		    "mpirun --mca btl_tcp_if_include ib0,*");
	check_shape("--prtemca prte_if_exclude 10.0.0.0/8", "mpirun --prtemca prte_if_exclude *");
	check_shape("--prtemca plm_ssh_agent /a/b --mca coll ^tuned",
		    "mpirun --prtemca plm_ssh_agent * --mca coll ^tuned");
	/* its shape is not known */
	check_shape("--hostfile /a/hosts", "mpirun --hostfile /a/hosts");
	check_shape("--host", "mpirun --host");
	check_shape("--mca btl_tcp_if_include --host", "mpirun --mca btl_tcp_if_include --host");
}

static void everything_is_told(void **state)
{
	char text[MPIRUN_TEXT];

	(void)state;
	ask("/opt/mpi/bin/mpirun", "--host a:4 --mca btl_tcp_if_include 10.0.0.0/8");
	mpirun_text(text);
	assert_string_equal(text,
			    "/opt/mpi/bin/mpirun --host a:4 --mca btl_tcp_if_include 10.0.0.0/8");
	mpirun_shape(text);
	assert_string_equal(text, "/opt/mpi/bin/mpirun --host *:4 --mca btl_tcp_if_include *");
}

static void long_arguments_are_cut_not_overrun(void **state)
{
	static char arguments[2 * MPIRUN_TEXT], text[MPIRUN_TEXT];

	(void)state;
	memset(arguments, 'x', sizeof arguments - 1);
	ask(NULL, arguments);
	mpirun_text(text);
	assert_int_equal(strlen(text), MPIRUN_TEXT - 1);
}

static bool has(const struct mpirun_command *c, const char *first, const char *second)
{
	for (int i = 0; i + 1 < c->count; i++)
		if (strcmp(c->word[i], first) == 0 && strcmp(c->word[i + 1], second) == 0)
			return true;
	return false;
}

/* mpirun itself reads the allocation of a batch system, and the site's policies; neither counts for
 * a job on this host. */
static void a_job_here_is_here(void **state)
{
	static const char *const program[] = { "p", NULL };
	const struct mpirun_job here = { .np = 4, .program = program };
	const struct mpirun_job placed = { .np = 4, .program = program, .placement = "/f" };
	static const char systems[] = "^slurm,pbs,tm,lsf,flux,gridengine";
	struct mpirun_command c;
	json_t *plan = json_pack("{s:{}}", "use");

	(void)state;
	ask(NULL, NULL);
	unsetenv("ROLLBENCH_NO_ALLOCATION");
	mpirun_build(&c, plan, &here);
	assert_true(has(&c, "ras", systems));
	assert_true(has(&c, "rmaps_default_mapping_policy", "slot"));
	assert_true(has(&c, "--map-by", "slot:OVERSUBSCRIBE"));
	mpirun_build(&c, plan, &placed);
	assert_false(has(&c, "ras", systems));
	assert_true(has(&c, "rmaps_default_ranking_policy", "slot"));
	setenv("ROLLBENCH_NO_ALLOCATION", "1", 1);
	mpirun_build(&c, plan, &placed);
	assert_true(has(&c, "ras", systems));
	unsetenv("ROLLBENCH_NO_ALLOCATION");
	ask(NULL, "--host a:4"); /* the user's hosts, and the user's policy */
	mpirun_build(&c, plan, &here);
	assert_false(has(&c, "ras", systems) || has(&c, "rmaps_default_mapping_policy", "slot"));
	json_decref(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_asked_for_is_nothing),
		cmocka_unit_test(where_is_left_out_and_how_is_not),
		cmocka_unit_test(everything_is_told),
		cmocka_unit_test(long_arguments_are_cut_not_overrun),
		cmocka_unit_test(a_job_here_is_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
