/* Energy from powercap files, against trees of our own making. */
#include "harness/machine/meter/meter.h"
#include "tests/folder.h"
#include "tests/meters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define RANGE "262143328850" /* 2^32 x 2^-14 J */

static struct rb_error err;

static void path_of(char *out, size_t size, const char *zone, const char *file)
{
	snprintf(out, size, "%s/sys/class/powercap/%s/%s", dir, zone, file);
}

static void put(const char *zone, const char *file, const char *text)
{
	char path[256];
	FILE *f;

	path_of(path, sizeof path, zone, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void zone(const char *zone_name, const char *name, const char *energy, const char *range)
{
	char command[256];

	snprintf(command, sizeof command, "mkdir -p '%s/sys/class/powercap/%s'", dir, zone_name);
	assert_int_equal(system(command), 0);
	put(zone_name, "name", name);
	put(zone_name, "energy_uj", energy);
	put(zone_name, "max_energy_range_uj", range);
}

/* The meter of a package, and a first sample. */
static struct meter *open_at(int package, struct meter_sample *s)
{
	struct meter *m = meter_open(dir, package, &err);

	meter_sample(m, s);
	return m;
}

static void two_packages(void)
{
	zone("intel-rapl:0", "package-0", "1000000", RANGE);
	zone("intel-rapl:0:0", "core", "500000", RANGE);
	zone("intel-rapl:0:1", "dram", "100", "65712999613");
	zone("intel-rapl:1", "package-1", "262143328000", RANGE);
	zone("intel-rapl:1:0", "dram", "7", "65712999613");
	zone("intel-rapl:2", "psys", "3", RANGE);
	zone("intel-rapl-mmio:0", "package-0", "1000000", RANGE);
}

static void all_domains_are_read(void **state)
{
	struct meter_sample s;
	struct meter *m;
	int n;

	(void)state;
	two_packages();
	m = meter_open(dir, METER_ALL, &err);
	meter_counters(m, &n);
	assert_int_equal(n, 6);
	meter_sample(m, &s);
	put("intel-rapl:0", "energy_uj", "3500000");
	put("intel-rapl:0:0", "energy_uj", "1500000");
	put("intel-rapl:0:1", "energy_uj", "200");
	put("intel-rapl:1:0", "energy_uj", "57");
	put("intel-rapl:2", "energy_uj", "4000003");
	assert_double_equal(moved(m, &s, 0, METER_PACKAGE), 2.5, 1e-9);
	assert_double_equal(moved(m, &s, 0, METER_CORE), 1.0, 1e-9);
	assert_double_equal(moved(m, &s, METER_ALL, METER_DRAM), 150e-6, 1e-12);
	assert_double_equal(moved(m, &s, 1, METER_PACKAGE), 0, 0);
	assert_double_equal(moved(m, &s, METER_ALL, METER_PSYS), 4.0, 1e-9);
	assert_true(isnan(moved(m, &s, 1, METER_CORE)));
	assert_true(isnan(moved(m, &s, 0, METER_UNCORE)));
	assert_true(described(m, METER_OK, "package 1: dram intel-rapl:1:0"));
	assert_true(described(m, METER_OK, "machine: psys"));
	assert_true(described(m, METER_ABSENT, "uncore: powercap has no such counter"));
	meter_close(m);
}

static void only_the_package_asked_for(void **state)
{
	const struct meter_counter *c;
	struct meter *m;
	int n;

	(void)state;
	two_packages();
	m = meter_open(dir, 1, &err);
	c = meter_counters(m, &n);
	assert_int_equal(n, 2); /* psys goes with package 0 */
	assert_int_equal(c[0].package, 1);
	assert_int_equal(c[1].domain, METER_DRAM);
	meter_close(m);
	m = meter_open(dir, 5, &err);
	meter_counters(m, &n);
	assert_int_equal(n, 0);
	assert_true(described(m, METER_ABSENT, "no zone of package 5"));
	meter_close(m);
	m = meter_open(dir, METER_NONE, &err);
	meter_counters(m, &n);
	assert_int_equal(n, 0);
	assert_true(described(m, METER_ABSENT, "not read by this process"));
	meter_close(m);
}

static void dies_are_summed(void **state)
{
	struct meter_sample s;
	struct meter *m;

	(void)state;
	zone("intel-rapl:0", "package-0-die-0", "0", RANGE);
	zone("intel-rapl:1", "package-0-die-1", "0", RANGE);
	m = open_at(0, &s);
	put("intel-rapl:0", "energy_uj", "1000000");
	put("intel-rapl:1", "energy_uj", "2000000");
	assert_double_equal(moved(m, &s, 0, METER_PACKAGE), 3, 1e-9);
	put("intel-rapl:1", "energy_uj", "");
	assert_true(isnan(moved(m, &s, 0, METER_PACKAGE)));
	meter_close(m);
}

static void wraps_are_undone(void **state)
{
	struct meter_sample s;
	struct meter *m;

	(void)state;
	two_packages();
	m = open_at(METER_ALL, &s);
	put("intel-rapl:1", "energy_uj", "150"); /* 850 to the end, 150 from the start */
	assert_double_equal(moved(m, &s, 1, METER_PACKAGE), 1e-3, 1e-9);
	put("intel-rapl:1", "energy_uj", "262143328850");
	assert_double_equal(moved(m, &s, 1, METER_PACKAGE), 262143.329700, 1e-6);
	put("intel-rapl:1", "energy_uj", "0"); /* again: the sum is beyond the range by now */
	assert_double_equal(moved(m, &s, 1, METER_PACKAGE), 262143.329700, 1e-6);
	put("intel-rapl:1", "energy_uj", "300");
	assert_double_equal(moved(m, &s, 1, METER_PACKAGE), 262143.330000, 1e-6);
	meter_close(m);
}

static void going_back_without_a_range_is_absent(void **state)
{
	struct meter_sample s;
	struct meter *m;

	(void)state;
	zone("intel-rapl:0", "package-0", "1000", "unknown");
	m = open_at(METER_ALL, &s);
	put("intel-rapl:0", "energy_uj", "900");
	assert_true(isnan(moved(m, &s, 0, METER_PACKAGE)));
	assert_true(described(m, METER_ABSENT, "went back from 1000 to 900"));
	put("intel-rapl:0", "energy_uj", "2000");
	assert_true(isnan(moved(m, &s, 0, METER_PACKAGE)));
	meter_close(m);
}

static void a_wrap_that_may_be_missed_is_absent(void **state)
{
	struct meter_sample s;
	struct meter *m;

	(void)state;
	zone("intel-rapl:0", "package-0", "1000", "2000000"); /* 2 J: 2 ms at the most */
	m = meter_open(dir, METER_ALL, &err);
	usleep(5000);
	meter_sample(m, &s);
	assert_true(isnan(meter_joules(m, &s, 0, METER_PACKAGE)));
	assert_true(described(m, METER_ABSENT, "may have wrapped unseen"));
	meter_close(m);
}

static void a_domain_that_vanishes_stays_away(void **state)
{
	char path[256];
	struct meter_sample s;
	struct meter *m;

	(void)state;
	two_packages();
	m = open_at(METER_ALL, &s);
	path_of(path, sizeof path, "intel-rapl:0:1", "energy_uj");
	unlink(path);
	put("intel-rapl:0", "energy_uj", "2000000");
	assert_true(isnan(moved(m, &s, 0, METER_DRAM)));
	assert_true(isnan(moved(m, &s, METER_ALL, METER_DRAM)));
	assert_double_equal(moved(m, &s, 0, METER_PACKAGE), 1, 1e-9);
	assert_true(described(m, METER_ABSENT, "intel-rapl:0:1/energy_uj: it is gone"));
	put("intel-rapl:0:1", "energy_uj", "900");
	assert_true(isnan(moved(m, &s, 0, METER_DRAM)));
	meter_close(m);
}

static void garbage_is_no_number(void **state)
{
	static const char *const bad[] = {
		"", "abc", "-5", "12x", "1e9", "99999999999999999999", "262143328851"
	};
	struct meter_sample s;
	struct meter *m;
	int n;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		two_packages();
		m = meter_open(dir, 0, &err);
		meter_sample(m, &s);
		put("intel-rapl:0", "energy_uj", bad[i]);
		assert_true(isnan(moved(m, &s, 0, METER_PACKAGE)));
		assert_double_equal(moved(m, &s, 0, METER_CORE), 0, 0);
		meter_close(m);
	}
	zone("intel-rapl:3", "nonsense", "1", RANGE);
	zone("intel-rapl:4:0", "core", "1", RANGE); /* has no parent */
	m = meter_open(dir, METER_ALL, &err);
	meter_counters(m, &n);
	assert_int_equal(n, 6);
	assert_true(described(m, METER_ABSENT, "intel-rapl:3: named 'nonsense'"));
	assert_true(described(m, METER_ABSENT, "intel-rapl:4:0: named 'core'"));
	meter_close(m);
}

static void an_empty_tree_has_a_reason(void **state)
{
	struct meter_sample s;
	struct meter *m = meter_open(dir, METER_ALL, &err);
	char command[600];

	(void)state;
	meter_sample(m, &s);
	assert_true(isnan(meter_joules(m, &s, METER_ALL, METER_PACKAGE)));
	assert_true(isnan(s.energy_j[0]));
	assert_true(described(m, METER_ABSENT, "modprobe intel_rapl_msr"));
	meter_close(m);
	snprintf(command, sizeof command,
		 "mkdir -p %s/sys/class/powercap %s/proc; echo 'flags : "
		 "fpu hypervisor' >%s/proc/cpuinfo",
		 dir, dir, dir);
	assert_int_equal(system(command), 0);
	m = meter_open(dir, METER_ALL, &err);
	assert_true(described(m, METER_ABSENT, "no zone intel-rapl:N"));
	assert_true(described(m, METER_ABSENT, "virtual machine"));
	meter_close(m);
	memset(command, 'x', sizeof command);
	command[sizeof command - 1] = '\0';
	assert_null(meter_open(command, METER_ALL, &err));
	assert_non_null(strstr(err.text, "too long"));
}

/* What a user sees where only root may read, as is the kernel's default since 2020. */
static int as_nobody(void)
{
	struct meter *m;
	int n, bad = 0;

	if (chmod(dir, 0755) != 0 || seteuid(65534) != 0)
		return 100;
	m = meter_open(dir, METER_ALL, &err);
	meter_counters(m, &n);
	bad += n != 6 || !described(m, METER_ABSENT, "chmod a+r");
	bad += !described(m, METER_ABSENT, "intel-rapl:0/energy_uj");
	bad += !described(m, METER_OK, "package 1: package intel-rapl:1");
	meter_close(m);
	return bad;
}

static void no_permission_names_the_remedy(void **state)
{
	char path[256];
	pid_t child;
	int status;

	(void)state;
	two_packages();
	path_of(path, sizeof path, "intel-rapl:0", "energy_uj");
	chmod(path, 0400);
	child = fork();
	if (child == 0)
		_exit(getuid() == 0 ? as_nobody() : 0);
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	if (getuid() != 0)
		print_message("note: not root, so nothing was tried as another user\n");
}

static void what_is_no_file_is_absent(void **state)
{
	char path[256];
	struct meter *m;

	(void)state;
	zone("intel-rapl:0", "package-0", "1", RANGE);
	path_of(path, sizeof path, "intel-rapl:0", "energy_uj");
	unlink(path);
	mkdir(path, 0755);
	m = meter_open(dir, METER_ALL, &err);
	assert_true(described(m, METER_ABSENT, "powercap: intel-rapl:0/energy_uj: Is a directory"));
	meter_close(m);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(all_domains_are_read),
		IN_FOLDER(only_the_package_asked_for),
		IN_FOLDER(dies_are_summed),
		IN_FOLDER(wraps_are_undone),
		IN_FOLDER(going_back_without_a_range_is_absent),
		IN_FOLDER(a_wrap_that_may_be_missed_is_absent),
		IN_FOLDER(a_domain_that_vanishes_stays_away),
		IN_FOLDER(garbage_is_no_number),
		IN_FOLDER(an_empty_tree_has_a_reason),
		IN_FOLDER(no_permission_names_the_remedy),
		IN_FOLDER(what_is_no_file_is_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
