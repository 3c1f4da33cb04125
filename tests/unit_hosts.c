/* Host files, and who runs where: roles in blocks, spares apart, nobody on a host that is lost. */
#include "base/hostname.h"
#include "base/status.h"
#include "harness/options/allocation.h"
#include "harness/options/hosts.h"
#include "tests/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct hosts hosts;
static struct rb_error err;

static int load(const char *text)
{
	char path[96];

	snprintf(path, sizeof path, "%s/hosts", dir);
	write_file("hosts", text);
	memset(&hosts, 0, sizeof hosts);
	return hosts_load(&hosts, path, &err);
}

/* "0 0 1 1 2": the host of each of `ranks` ranks. */
static void check_places(int np, int ranks, const char *expected)
{
	char text[256] = "";
	size_t used = 0;

	for (int r = 0; r < ranks; r++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", r ? " " : "",
					 hosts_of(&hosts, np, r));
	assert_string_equal(text, expected);
}

static void files_are_read(void **state)
{
	(void)state;
	assert_int_equal(
		load("\xef\xbb\xbf# ours\nh0\n\n  h1\tslots=4 # twice the size\r\nh2 slots=1\n\n"),
		RB_OK);
	assert_int_equal(hosts.count, 3);
	assert_string_equal(hosts.host[1].name, "h1");
	assert_int_equal(hosts.host[0].slots, 0);
	assert_int_equal(hosts.host[1].slots, 4);
	assert_int_equal(hosts.host[2].slots, 1);
	assert_int_equal(load("last-line-without-an-end"), RB_OK);
	assert_int_equal(hosts.count, 1);
}

static void bad_files_are_refused_with_their_line(void **state)
{
	static const struct {
		const char *text, *words;
	} bad[] = {
		{ "", "names no host" },
		{ "# nothing\n \n", "names no host" },
		{ "a\nb\na\n", "hosts:3: host a is named twice" },
		{ "a slot=2\n", "hosts:1: slot=2" },
		{ "a\nb slots=0\n", "hosts:2: slots=0" },
		{ "a slots=\n", "hosts:1: slots=" },
		{ "a slots=2x\n", "hosts:1: slots=2x" },
		{ "a slots=9999999\n", "hosts:1: slots=9999999" },
		{ "a b\n", "hosts:1: b" },
		{ "0123456789012345678901234567890123456789012345678901234567890123\n",
		  "up to 63 characters" },
	};
	static char many[HOSTS_MAX * 8 + 16];
	size_t used = 0;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(load(bad[i].text), RB_EINVAL);
		if (!strstr(err.text, bad[i].words))
			fail_msg("no '%s' in: %s", bad[i].words, err.text);
	}
	for (int i = 0; i <= HOSTS_MAX; i++)
		used += (size_t)sprintf(many + used, "h%d\n", i);
	assert_int_equal(load(many), RB_EINVAL);
	assert_non_null(strstr(err.text, "hosts:257: h256"));
	assert_int_equal(hosts_load(&hosts, "/nowhere/hosts", &err), RB_EIO);
}

static void roles_go_in_blocks_by_slots(void **state)
{
	(void)state;
	assert_int_equal(load("a\nb\nc\n"), RB_OK);
	check_places(6, 6, "0 0 1 1 2 2");
	check_places(2, 2, "0 2"); /* the middle of each share */
	check_places(8, 8, "0 0 0 1 1 2 2 2");
	assert_int_equal(load("a slots=3\nb\n"), RB_OK);
	check_places(8, 8, "0 0 0 0 0 0 1 1");
}

static void spares_begin_at_the_end_or_stay_apart(void **state)
{
	(void)state;
	assert_int_equal(load("a\nb\nc\n"), RB_OK);
	check_places(3, 7, "0 1 2 2 1 0 2");
	hosts.spare_hosts = 1;
	check_places(4, 6, "0 0 1 1 2 2");
	hosts.spare_hosts = 2;
	check_places(2, 5, "0 0 2 1 2");
}

static void nobody_is_on_a_host_that_is_lost(void **state)
{
	(void)state;
	assert_int_equal(load("a\nb\nc\nd\n"), RB_OK);
	hosts.host[1].lost = true;
	check_places(6, 9, "0 0 2 2 3 3 3 2 0");
	hosts.spare_hosts = 1;
	check_places(4, 5, "0 0 2 2 3");
	hosts.host[3].lost = true; /* no other host: spares are among the roles */
	check_places(4, 6, "0 0 2 2 2 0");
	hosts.host[3].lost = false;
	hosts.host[0].lost = hosts.host[2].lost = true; /* and the other way round */
	check_places(2, 3, "3 3 3");
}

static void nodes_are_numbered_as_ranks_come_to_them(void **state)
{
	(void)state;
	assert_int_equal(load("a\nb\nc\n"), RB_OK);
	hosts.spare_hosts = 1;
	hosts.host[0].lost = true;
	assert_int_equal(hosts_node(&hosts, 4, 0), 0); /* on b */
	assert_int_equal(hosts_node(&hosts, 4, 3), 0);
	assert_int_equal(hosts_node(&hosts, 4, 4), 1); /* the spare, on c */
	hosts.host[0].lost = false;
	hosts.spare_hosts = 0;
	assert_int_equal(hosts_node(&hosts, 6, 5), 2);
	/* c's two roles need two spares that are not on c: the 1st and the 4th are */
	assert_int_equal(hosts_spares_for(&hosts, 6, 2), 3);
	assert_int_equal(hosts_spares_for(&hosts, 6, 0), 2);
	assert_int_equal(hosts_spares_for(&hosts, 6, 9), 0); /* there is no such node */
}

static void impossible_placements_are_refused(void **state)
{
	(void)state;
	memset(&hosts, 0, sizeof hosts);
	assert_int_equal(hosts_check(&hosts, &err), RB_OK);
	hosts.spare_hosts = 1;
	assert_int_equal(hosts_check(&hosts, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "--hostfile"));
	assert_int_equal(load("a\nb\n"), RB_OK);
	hosts.spare_hosts = 1;
	assert_int_equal(hosts_check(&hosts, &err), RB_OK);
	hosts.spare_hosts = 2;
	assert_int_equal(hosts_check(&hosts, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "--spare-hosts 2: of 2 hosts"));
	hosts.host[0].lost = hosts.host[1].lost = true;
	assert_int_equal(hosts_check(&hosts, &err), RB_EIO);
}

static void oversubscription_is_by_slots_else_by_cores(void **state)
{
	(void)state;
	assert_int_equal(load("a slots=2\nb\n"), RB_OK);
	assert_false(hosts_oversubscribed(&hosts, 3, 0, 1)); /* 2 and 1 */
	assert_true(hosts_oversubscribed(&hosts, 3, 1, 1));  /* the spare is b's second */
	assert_false(hosts_oversubscribed(&hosts, 3, 1, 2));
	assert_true(hosts_oversubscribed(&hosts, 6, 0, 8)); /* for any cores here */
}

static void check_file(const char *path, const char *expected)
{
	char text[256] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, expected);
}

static void placements_are_written(void **state)
{
	char path[96];
	int processes;

	(void)state;
	snprintf(path, sizeof path, "%s/placement", dir);
	assert_int_equal(load("a\nb\nc\n"), RB_OK);
	hosts.host[1].lost = true;
	assert_int_equal(hosts_place(&hosts, 3, 1, path, &err), RB_OK);
	check_file(path, "a\nc\nc\nc\n");
	assert_int_equal(hosts_place_each(&hosts, path, &processes, &err), RB_OK);
	assert_int_equal(processes, 2);
	check_file(path, "a\nc\n");
	assert_int_equal(hosts_place(&hosts, 3, 1, "/nowhere/placement", &err), RB_EIO);
	assert_int_equal(load("a.lan\n10.0.0.2\n"), RB_OK);
	assert_int_equal(hosts_place(&hosts, 2, 1, path, &err), RB_OK);
	check_file(path, "a.lan\n10.0.0.2\n10.0.0.2\n");
	snprintf(path, sizeof path, "%s/placement" HOSTS_ORDER, dir);
	check_file(path, "a\n10.0.0.2\n10.0.0.2\n");
}

static void lost_daemons_are_noticed_once(void **state)
{
	static const char said[] = "PRRTE has lost communication with a remote daemon.\n"
				   "  HNP daemon   : [prterun-a-1@0,0] on node a\n"
				   "  Remote daemon: [prterun-a-1@0,2] on node c\n"
				   "  Remote daemon: [prterun-a-1@0,9] on node elsewhere\n";
	char path[96];

	(void)state;
	snprintf(path, sizeof path, "%s/log", dir);
	write_file("log", said);
	assert_int_equal(load("a\nb\nc\n"), RB_OK);
	/* said of an earlier job */
	assert_int_equal(hosts_notice(&hosts, path, (long)strlen(said)), 0);
	assert_int_equal(hosts_notice(&hosts, path, 0), 1);
	assert_true(hosts.host[2].lost && !hosts.host[0].lost && !hosts.host[1].lost);
	assert_int_equal(hosts_notice(&hosts, path, 0), 0);
	assert_int_equal(hosts_notice(&hosts, "/nowhere/log", 0), 0);
	/* the MPI prints the name without its domain, or the one that the host has itself */
	assert_int_equal(load("10.0.0.1\n10.0.0.2\n"), RB_OK);
	assert_int_equal(hosts_notice(&hosts, path, 0), 0);
	strcpy(hosts.host[1].own, "c.lan");
	assert_int_equal(hosts_notice(&hosts, path, 0), 1);
	assert_true(hosts.host[1].lost && !hosts.host[0].lost);
	assert_int_equal(load("A.lan\nb.lan\nC.lan slots=2\n"), RB_OK);
	assert_int_equal(hosts_notice(&hosts, path, 0), 1);
	assert_true(hosts.host[2].lost);
}

static void one_host_has_several_names(void **state)
{
	(void)state;
	assert_true(hostname_same("n1", "N1.a.org") && hostname_same("n1.A.org", "n1.a.org"));
	assert_false(hostname_same("n1.a.org", "n1.b.org") || hostname_same("n1", "n11.a.org"));
	assert_true(hostname_same("10.0.0.1", "10.0.0.1"));
	assert_false(hostname_same("10.0.0.1", "10.0.0.2") || hostname_same("10", "10.0.0.2"));
	assert_int_equal(hostname_short("n1.a.org"), 2);
	assert_int_equal(hostname_short("::ffff:10.0.0.2"), 15);
	assert_int_equal(load("n1\nN1.lan\n"), RB_EINVAL);
	assert_non_null(strstr(err.text, ":2: host N1.lan is named twice"));
	assert_int_equal(load("n1.a.org\nn1.b.org\n"), RB_EINVAL);
	assert_non_null(strstr(err.text, ":2: the MPI takes n1.a.org and n1.b.org for the same"));
	assert_int_equal(load("10.0.0.1\n10.0.0.2\n"), RB_OK);
}

static void check_names(const char *expected)
{
	char text[1024] = "";

	for (int i = 0; i < hosts.count; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof text - used, hosts.host[i].slots ? "%s%s:%d" : "%s%s",
			 i ? " " : "", hosts.host[i].name, hosts.host[i].slots);
	}
	assert_string_equal(text, expected);
}

static void expands(const char *list, const char *expected)
{
	memset(&hosts, 0, sizeof hosts);
	assert_int_equal(allocation_expand(&hosts, list, &err), RB_OK);
	check_names(expected);
}

static void lists_of_a_batch_system_are_expanded(void **state)
{
	static const char *const bad[] = {
		"n[1-",
		"n[a]",
		"n[3-1]",
		"n[1-2x]",
		"n[0-99999]",
		"n[-1]",
		"a-name-of-a-host-that-is-much-longer-than-any-host-has-a-name-of-a-host-x"
	};

	(void)state;
	expands("n1", "n1");
	expands("n[1-3,07],login,gpu[09-11]", "n1 n2 n3 n07 login gpu09 gpu10 gpu11");
	expands("r[1-2]n[1-2]x", "r1n1x r1n2x r2n1x r2n2x");
	expands("", "");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(allocation_expand(&hosts, bad[i], &err), RB_EINVAL);
}

static void found(const char *variable, const char *value, const char *expected)
{
	char from[ALLOCATION_TEXT];

	memset(&hosts, 0, sizeof hosts);
	hosts.spare_hosts = 1;
	setenv(variable, value, 1);
	assert_int_equal(allocation_find(&hosts, from, &err), RB_OK);
	check_names(expected);
	assert_int_equal(hosts.spare_hosts, 1);
	assert_true(hosts.count == 0 || strstr(from, variable));
	unsetenv(variable);
}

static void allocations_are_found(void **state)
{
	char path[96], mine[HOST_NAME] = "";

	(void)state;
	found("ROLLBENCH_NOTHING", "x", "");
	found("SLURM_JOB_NODELIST", "n[1-2]", "n1 n2");
	setenv("SLURM_JOB_CPUS_PER_NODE", "8(x2),4", 1);
	found("SLURM_JOB_NODELIST", "n[1-3]", "n1:8 n2:8 n3:4");
	setenv("SLURM_JOB_CPUS_PER_NODE", "8(x3)", 1);
	found("SLURM_JOB_NODELIST", "n[1-3]", "n1 n2 n3"); /* equal slots say nothing */
	unsetenv("SLURM_JOB_CPUS_PER_NODE");
	snprintf(path, sizeof path, "%s/nodes", dir);
	write_file("nodes", "a\na\nb\n");
	found("PBS_NODEFILE", path, "a:2 b:1");
	found("LSB_DJOB_HOSTFILE", path, "a:2 b:1");
	write_file("nodes", "a\nb\n");
	found("PBS_NODEFILE", path, "a b");
	found("LSB_MCPU_HOSTS", "a 4 b 2", "a:4 b:2");
	gethostname(mine, sizeof mine - 1);
	found("SLURM_JOB_NODELIST", mine, ""); /* only this host: nothing to be placed */
	found("SLURM_JOB_NODELIST", "another-one", "another-one");
}

static void an_allocation_that_cannot_be_read_is_refused(void **state)
{
	char from[ALLOCATION_TEXT];

	(void)state;
	setenv("PBS_NODEFILE", "/no/such/file", 1);
	assert_int_equal(allocation_find(&hosts, from, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "PBS ($PBS_NODEFILE)"));
	assert_non_null(strstr(err.text, "--hostfile"));
	unsetenv("PBS_NODEFILE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(bad_files_are_refused_with_their_line),
		cmocka_unit_test(roles_go_in_blocks_by_slots),
		cmocka_unit_test(spares_begin_at_the_end_or_stay_apart),
		cmocka_unit_test(nobody_is_on_a_host_that_is_lost),
		cmocka_unit_test(nodes_are_numbered_as_ranks_come_to_them),
		cmocka_unit_test(impossible_placements_are_refused),
		cmocka_unit_test(oversubscription_is_by_slots_else_by_cores),
		cmocka_unit_test(placements_are_written),
		cmocka_unit_test(one_host_has_several_names),
		cmocka_unit_test(lost_daemons_are_noticed_once),
		cmocka_unit_test(lists_of_a_batch_system_are_expanded),
		cmocka_unit_test(allocations_are_found),
		cmocka_unit_test(an_allocation_that_cannot_be_read_is_refused),
	};

	unsetenv("ROLLBENCH_NO_ALLOCATION"); /* of tests/forked.py */
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
