/* Lists of components, who decides them, and the command line that follows. */
#include "base/status.h"
#include "harness/job/mpirun.h"
#include "harness/transport/components.h"
#include "harness/transport/transport.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rb_error err;

static void both(const char *one, const char *other, const char *expected)
{
	char out[COMPONENTS_TEXT];

	assert_int_equal(components_both(one, other, out), strcmp(expected, "nothing") != 0);
	assert_string_equal(out, strcmp(expected, "nothing") == 0 ? "" : expected);
}

static void two_lists_are_joined(void **state)
{
	(void)state;
	both("^hcoll,portals4", "^han", "^hcoll,portals4,han");
	both("^hcoll,portals4", "^portals4", "^hcoll,portals4");
	both("^usnic", "self,tcp", "self,tcp");
	both("^usnic", "usnic,self", "self");
	both("self,tcp", "^tcp", "self");
	both("ob1", "^ucx", "ob1");
	both("ob1", "^ob1", "nothing");
	both("ob1", "ucx", "nothing");
	both("ob1", "ucx,ob1", "ob1");
	both("", "^han", "^han");
	both("", "tuned", "tuned");
	both("ob1", "", "ob1");
	both("^usnic", "", "^usnic");
	both("", "", "");
}

static void what_is_in_force_is_judged(void **state)
{
	(void)state;
	assert_true(components_keep("ob1", "ob1"));
	assert_false(components_keep("ob1", "ucx"));
	assert_false(components_keep("ob1", ""));
	/* as a site's file has it: another one may be chosen */
	assert_false(components_keep("ob1", "^ucx"));
	assert_false(components_keep("ob1", "ob1,cm"));
	assert_true(components_keep("^hcoll,portals4", "^han,portals4,hcoll"));
	assert_false(components_keep("^hcoll,portals4,han", "^han"));
	assert_false(components_keep("^usnic", ""));
	assert_true(components_keep("^usnic", "self,tcp"));
	assert_false(components_keep("^usnic", "self,usnic"));
	assert_true(components_keep("", "anything"));
}

/* The plan of an MPI with such a set and such a file of the site. */
static json_t *plan_of(const char *set, const char *site, const char *over, const char *arguments)
{
	char folder[200], files[200], override[200];
	json_t *settings, *plan;

	write_file("ft-mpi", set);
	write_file("site", site);
	write_file("over", over);
	snprintf(folder, sizeof folder, "/nowhere:%s", dir);
	snprintf(files, sizeof files, "/no/file,%s/site", dir);
	snprintf(override, sizeof override, "%s/over", dir);
	settings =
		json_pack("{s:s, s:s, s:s}", "mca_base_param_file_path", folder,
			  "mca_base_param_files", files, "mca_base_override_param_file", override);
	plan = transport_plan_of(settings, arguments);
	json_decref(settings);
	return plan;
}

static const char SET[] =
	"# a set\nmpi_ft_enable=true\n\npml=ob1\nthreads = pthreads\nbtl=^usnic\ncoll=^hcoll,portals4 # these\nopal_event_include=epoll,poll\n";

static json_t *part(const json_t *plan, const char *name)
{
	return json_object_get(json_object_get(plan, "use"), name);
}

static void check(const json_t *plan, const char *name, const char *value, const char *from)
{
	json_t *list = json_object_get(part(plan, name), "from");
	char text[512] = "", expected[512];
	const json_t *one;
	size_t i;

	assert_non_null(part(plan, name));
	assert_string_equal(json_string_value(json_object_get(part(plan, name), "value")), value);
	json_array_foreach(list, i, one)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "; " : "",
			 json_string_value(one));
	snprintf(expected, sizeof expected, from, dir);
	assert_string_equal(text, expected);
}

static void the_site_is_joined_with_the_set(void **state)
{
	json_t *plan = plan_of(SET, "pml = ^ucx\nbtl=^uct,ofi\ncoll=^tuned\nosc=^ucx\n", "", "");

	(void)state;
	check(plan, "pml", "ob1", "ft-mpi; file %s/site");
	check(plan, "btl", "^usnic,uct,ofi", "ft-mpi; file %s/site");
	check(plan, "coll", "^hcoll,portals4,han,tuned", "ft-mpi; file %s/site; rollbench");
	check(plan, "threads", "pthreads", "ft-mpi");
	check(plan, "osc", "^ucx", "file %s/site");
	assert_null(json_object_get(part(plan, "osc"), "list"));
	assert_null(part(plan, "opal_event_include")); /* nobody sets it: --with-ft does */
	assert_null(part(plan, "mpi_ft_enable"));
	assert_int_equal(transport_check(plan, &err), RB_OK);
	json_decref(plan);
}

static void of_a_file_what_is_not_fit_is_replaced(void **state)
{
	json_t *plan = plan_of(SET, "pml = ucx\nopal_event_include = select\n", "", "");
	char text[TRANSPORT_TEXT];

	(void)state;
	check(plan, "pml", "ob1", "ft-mpi");
	check(plan, "opal_event_include", "epoll,poll", "ft-mpi");
	transport_replaced(plan, text);
	assert_non_null(strstr(text, "pml=ucx of file "));
	assert_int_equal(transport_check(plan, &err), RB_OK);
	json_decref(plan);
}

static void refused(const char *variable, const char *value, const char *over,
		    const char *arguments, const char *word, const char *remedy)
{
	json_t *plan;

	if (variable)
		setenv(variable, value, 1);
	plan = plan_of(SET, "", over, arguments);
	if (variable)
		unsetenv(variable);
	assert_int_equal(transport_check(plan, &err), RB_EINVAL);
	if (!strstr(err.text, word) || !strstr(err.text, remedy))
		fail_msg("%s", err.text);
	json_decref(plan);
}

static void of_the_user_what_is_not_fit_is_refused(void **state)
{
	(void)state;
	refused("OMPI_MCA_pml", "ucx", "", "", "pml=ucx (environment)", "unset OMPI_MCA_pml");
	refused("OMPI_MCA_pml", "^ob1", "", "", "pml=^ob1", "unset OMPI_MCA_pml");
	refused("OMPI_MCA_btl", "usnic,self", "", "", "usnic is not fit", "unset OMPI_MCA_btl");
	refused("OMPI_MCA_coll", "han,basic,ftagree", "", "", "han is not fit",
		"unset OMPI_MCA_coll");
	refused("OMPI_MCA_coll", "basic,libnbc", "", "", "without ftagree", "add it");
	refused("OMPI_MCA_coll", "^ftagree", "", "", "without ftagree", "unset");
	refused(NULL, NULL, "", "-x A --mca pml cm", "pml=cm (command line)",
		"leave --mca pml out of $ROLLBENCH_MPIRUN_ARGS");
	refused(NULL, NULL, "pml=cm\n", "--mca pml ob1", "pml=cm (overriding file ",
		"take pml out of overriding file ");
}

static void the_last_word_is_that_of_the_command_line(void **state)
{
	json_t *plan;

	(void)state;
	setenv("OMPI_MCA_btl", "self,sm", 1);
	plan = plan_of(SET, "btl=^tcp\n", "", "--mca btl self,tcp");
	check(plan, "btl", "self,tcp", "ft-mpi; command line");
	json_decref(plan);
	plan = plan_of(SET, "btl=^tcp\n", "", "");
	check(plan, "btl", "self,sm", "ft-mpi; environment");
	json_decref(plan);
	unsetenv("OMPI_MCA_btl");
	plan = plan_of(SET, "btl=^tcp\n", "", "");
	check(plan, "btl", "^usnic,tcp", "ft-mpi; file %s/site");
	json_decref(plan);
}

/* The words of the command line, with blanks between them. */
static void command(const json_t *plan, const struct mpirun_job *job, char out[MPIRUN_TEXT])
{
	struct mpirun_command c;

	out[0] = '\0';
	mpirun_build(&c, plan, job);
	for (int i = 0; i < c.count; i++)
		snprintf(out + strlen(out), MPIRUN_TEXT - strlen(out), "%s ", c.word[i]);
}

static int times(const char *text, const char *word)
{
	int count = 0;

	for (; (text = strstr(text, word)); text++)
		count++;
	return count;
}

static void each_list_is_on_the_command_line_once(void **state)
{
	static const char *const program[] = { "./a", NULL };
	const struct mpirun_job here = { .with_ft = true,
					 .np = 3,
					 .per_core = 2,
					 .program = program,
					 .shared = "/s" },
				there = { .np = 2, .placement = "/p", .program = program };
	char text[MPIRUN_TEXT];
	json_t *plan;

	(void)state;
	setenv("ROLLBENCH_MPIRUN_ARGS", "--mca btl self,tcp -x A --mca btl_tcp_eager_limit 70000",
	       1);
	plan = plan_of(SET, "", "", getenv("ROLLBENCH_MPIRUN_ARGS"));
	command(plan, &here, text);
	assert_int_equal(times(text, "--mca btl "), 1); /* mpirun refuses two */
	assert_int_equal(times(text, "--mca btl self,tcp "), 1);
	assert_int_equal(times(text, "--mca coll ^hcoll,portals4,han "), 1);
	assert_int_equal(times(text, "--mca pml ob1 "), 1);
	assert_int_equal(times(text, "-x A --mca btl_tcp_eager_limit 70000 "), 1);
	assert_int_equal(times(text, "--with-ft ulfm "), 1);
	assert_int_equal(times(text, "--mca btl_tcp_if_include lo "), 1);
	assert_int_equal(times(text, "--mca btl_sm_backing_directory /s "), 1);
	assert_int_equal(times(text, "yield_strategy nanosleep "), 1);
	assert_int_equal(times(text, "--mca shmem mmap "), 1);
	assert_non_null(strstr(text, "-np 3 ./a "));
	command(plan, &there, text);
	assert_int_equal(times(text, "with-ft") + times(text, "if_include") +
				 times(text, "backing") + times(text, "nanosleep"),
			 0);
	assert_int_equal(times(text, "--mca pml ob1 "), 1); /* all jobs use the same */
	assert_int_equal(times(text, "--hostfile /p "), 1);
	unsetenv("ROLLBENCH_MPIRUN_ARGS");
	setenv("OMPI_MCA_btl_tcp_if_include", "ib0", 1);
	command(plan, &here, text);
	assert_int_equal(times(text, "if_include"), 0);
	unsetenv("OMPI_MCA_btl_tcp_if_include");
	json_decref(plan);
}

/* How often the words are in the command of this job. */
static int asked(const json_t *plan, const struct mpirun_job *job, const char *words)
{
	char text[MPIRUN_TEXT];

	command(plan, job, text);
	return times(text, words);
}

/* A parameter that the user names in the arguments of mpirun stands there once, with that value. */
static void check_user_decides(const struct mpirun_job *job, const char *name, const char *value)
{
	char arguments[100], text[MPIRUN_TEXT];
	json_t *plan;

	snprintf(arguments, sizeof arguments, "--mca %s %s", name, value);
	setenv("ROLLBENCH_MPIRUN_ARGS", arguments, 1);
	plan = plan_of(SET, "", "", arguments);
	command(plan, job, text);
	unsetenv("ROLLBENCH_MPIRUN_ARGS");
	json_decref(plan);
	assert_int_equal(times(text, name), 1);
	snprintf(arguments, sizeof arguments, "--mca %s %s ", name, value);
	assert_int_equal(times(text, arguments), 1);
}

/* One that the environment has does not stand there. */
static void check_environment_decides(const struct mpirun_job *job, const char *name,
				      const char *value)
{
	char variable[100];
	json_t *plan;

	snprintf(variable, sizeof variable, "OMPI_MCA_%s", name);
	setenv(variable, value, 1);
	plan = plan_of(SET, "", "", "");
	assert_int_equal(asked(plan, job, name), 0);
	unsetenv(variable);
	json_decref(plan);
}

static void shared_memory_is_made_as_the_user_says(void **state)
{
	static const char *const program[] = { "./a", NULL };
	const struct mpirun_job job = { .np = 2, .program = program };

	(void)state;
	check_user_decides(&job, "shmem", "posix");
	check_environment_decides(&job, "shmem", "sysv");
}

static void who_has_the_cores_alone_may_wait_by_yields(void **state)
{
	static const char *const program[] = { "./a", NULL };
	const struct mpirun_job job = { .np = 2, .per_core = 4, .program = program };
	json_t *plan;

	(void)state;
	check_user_decides(&job, "threads_pthreads_yield_strategy", "sched_yield");
	check_user_decides(&job, "threads_pthreads_nanosleep_time", "1000000");
	check_user_decides(&job, "mpi_yield_when_idle", "0");
	check_environment_decides(&job, "threads_pthreads_yield_strategy", "sched_yield");
	plan = plan_of(SET, "threads_pthreads_yield_strategy = sched_yield\n", "", "");
	assert_int_equal(asked(plan, &job, "yield_strategy nanosleep "), 1); /* of the site */
	json_decref(plan);
}

/* Only in jobs that are to learn of deaths and whose processes share cores. The user decides. */
static void collectives_go_through_one_process(void **state)
{
	static const char *const program[] = { "./a", NULL };
	const struct mpirun_job roomy = { .np = 2, .program = program, .with_ft = true },
				unprotected = { .np = 2, .per_core = 4, .program = program },
				job = {
					.np = 2, .per_core = 4, .program = program, .with_ft = true
				};
	json_t *plan = plan_of(SET, "", "", "");

	(void)state;
	assert_int_equal(asked(plan, &roomy, "coll_tuned"), 0);
	assert_int_equal(asked(plan, &unprotected, "coll_tuned"), 0);
	assert_int_equal(asked(plan, &job, "--mca coll_tuned_use_dynamic_rules 1 "), 1);
	assert_int_equal(asked(plan, &job, "--mca coll_tuned_allgather_algorithm 1 "), 1);
	assert_int_equal(asked(plan, &job, "coll_tuned"), 4);
	json_decref(plan);
	check_user_decides(&job, "coll_tuned_allgather_algorithm", "3");
}

/* Only in jobs that are to learn of deaths, and as the user says. */
static void events_are_asked_for_often(void **state)
{
	static const char *const program[] = { "./a", NULL };
	const struct mpirun_job unprotected = { .np = 2, .program = program },
				job = { .np = 2, .program = program, .with_ft = true };
	json_t *plan = plan_of(SET, "", "", "");

	(void)state;
	assert_int_equal(asked(plan, &unprotected, "mpi_event_tick_rate"), 0);
	assert_int_equal(asked(plan, &job, "--mca mpi_event_tick_rate 100 "), 1);
	json_decref(plan);
	check_user_decides(&job, "mpi_event_tick_rate", "5000");
	plan = plan_of(SET, "", "mpi_event_tick_rate = 7\n", "");
	assert_int_equal(asked(plan, &job, "mpi_event_tick_rate"), 0);
	json_decref(plan);
}

static void the_shape_has_values_but_no_addresses(void **state)
{
	json_t *plan = plan_of(SET, "btl_tcp_if_include = ib0,10.0.0.0/8\nplm_ssh_agent = /a/b\n",
			       "", "--mca btl_tcp_eager_limit 7");
	json_t *shape = transport_shape(plan),
	       *expected = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "pml", "ob1", "threads",
				     "pthreads", "btl", "^usnic", "coll", "^hcoll,portals4,han",
				     "btl_tcp_if_include", "ib0,*", "btl_tcp_eager_limit", "7");

	(void)state;
	assert_true(json_equal(shape, expected));
	json_decref(shape);
	json_decref(expected);
	json_decref(plan);
}

/* A process that has this in force. */
static int judge(const char *ft, const char *pml, const char *coll)
{
	json_t *settings =
		json_pack("{s:s, s:s, s:s, s:s, s:s}", "mca_base_param_file_path", dir,
			  "mpi_ft_enable", ft, "pml", pml, "coll", coll, "btl", "^usnic");
	int rc = transport_judge(settings, &err);

	json_decref(settings);
	return rc;
}

static void a_process_says_what_it_lacks(void **state)
{
	(void)state;
	write_file("ft-mpi", SET);
	assert_int_equal(judge("1", "ob1", "^hcoll,portals4,han"), RB_OK);
	/* what jobs were given before the lists were joined */
	assert_int_equal(judge("1", "ob1", "^han"), RB_EINVAL);
	assert_non_null(strstr(err.text, "^hcoll,portals4"));
	assert_int_equal(judge("1", "^ucx", "^hcoll,portals4,han"), RB_EINVAL);
	assert_int_equal(judge("0", "ob1", "^hcoll,portals4,han"), RB_EINVAL);
	assert_non_null(strstr(err.text, "mpi_ft_enable"));
}

static void without_a_set_there_is_rollbenchs_own(void **state)
{
	json_t *settings = json_object(), *plan = transport_plan_of(settings, "--mca pml ucx");

	(void)state;
	check(plan, "coll", "^han", "rollbench");
	check(plan, "pml", "ucx", "command line");
	assert_true(json_is_null(json_object_get(plan, "set")));
	json_decref(plan);
	json_decref(settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_lists_are_joined),
		cmocka_unit_test(what_is_in_force_is_judged),
		cmocka_unit_test(the_site_is_joined_with_the_set),
		cmocka_unit_test(of_a_file_what_is_not_fit_is_replaced),
		cmocka_unit_test(of_the_user_what_is_not_fit_is_refused),
		cmocka_unit_test(the_last_word_is_that_of_the_command_line),
		cmocka_unit_test(each_list_is_on_the_command_line_once),
		cmocka_unit_test(shared_memory_is_made_as_the_user_says),
		cmocka_unit_test(who_has_the_cores_alone_may_wait_by_yields),
		cmocka_unit_test(collectives_go_through_one_process),
		cmocka_unit_test(events_are_asked_for_often),
		cmocka_unit_test(the_shape_has_values_but_no_addresses),
		cmocka_unit_test(a_process_says_what_it_lacks),
		cmocka_unit_test(without_a_set_there_is_rollbenchs_own),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
