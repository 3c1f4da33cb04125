/* Power techniques, on a machine made of files (tests/power-tree): what is read, written and
 * refused. */
#include "tests/power_unit.h"

#include "base/status.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

static bool refused(enum power_technique technique, const char *reason, const char *remedy)
{
	bool usable = power_probe(technique, unit, text);

	if (!usable && strstr(text, reason) && strstr(text, remedy))
		return true;
	printf("%d: %s\n", usable, text);
	return false;
}

static void what_can_be_set_is_said(void **state)
{
	(void)state;
	assert_true(power_probe(POWER_NONE, unit, text));
	assert_true(power_probe(POWER_SLEEP, unit, text));
	assert_true(power_probe(POWER_DVFS, unit, text));
	assert_non_null(strstr(text, "at most 1200 instead of 3200 MHz"));
	assert_true(power_probe(POWER_CM, unit, text));
	assert_non_null(strstr(text, "% of the time (/dev/cpu/"));
	assert_true(power_probe(POWER_DVFS_CM, unit, text));
	assert_non_null(strstr(text, "MHz; clock running"));
	assert_int_equal(frequency(unit), HIGH);
	assert_true(clock_register(unit, "msr") == REGISTER);
}

/* That of the processors, which may be of several kinds, whatever the administrator allows now. */
static void the_range_is_the_processors(void **state)
{
	struct power_range range;

	(void)state;
	put_frequency(unit, "scaling_min_freq", "2000000\n");
	assert_true(power_range(POWER_DVFS, &core, &range, text));
	assert_true(range.least == 1.2e9 && range.most == 3.6e9);
	assert_true(power_range(POWER_CM, &core, &range, text));
	assert_true(range.least == (modulated() & 1 ? 0.0625 : 0.125) && range.most == 1);
	if (sysconf(_SC_NPROCESSORS_CONF) > 1) {
		cpu_set_t two = core;

		CPU_SET(!unit, &two);
		put_frequency(!unit, "cpuinfo_max_freq", "4800000\n");
		put_frequency(!unit, "cpuinfo_min_freq", "800000\n");
		assert_true(power_range(POWER_DVFS, &two, &range, text));
		assert_true(range.least == 0.8e9 && range.most == 4.8e9);
		remove_frequency(!unit, "cpuinfo_min_freq");
		assert_false(power_range(POWER_DVFS, &two, &range, text));
	}
	remove_frequency(unit, "cpuinfo_min_freq");
	assert_false(power_range(POWER_DVFS, &core, &range, text));
	assert_non_null(strstr(text, "no cpufreq"));
	put_file("/proc/cpuinfo", "processor : 0\nflags : fpu apic\n");
	assert_false(power_range(POWER_CM, &core, &range, text));
	assert_non_null(strstr(text, "no flag 'acpi'"));
}

static void no_frequency_scaling(void **state)
{
	(void)state;
	remove_frequency(unit, "cpuinfo_min_freq");
	assert_true(refused(POWER_DVFS, "no cpufreq", "remedy on a bare machine: modprobe"));
	assert_true(refused(POWER_DVFS_CM, "dvfs: ", "no cpufreq"));
	assert_true(power_probe(POWER_CM, unit, text));
	remove_frequency(unit, "scaling_max_freq");
	assert_true(refused(POWER_DVFS, "no cpufreq", "remedy"));
}

static void a_frequency_shared_with_other_cores(void **state)
{
	char related[64];

	(void)state;
	snprintf(related, sizeof related, "%d 900\n", unit);
	put_frequency(unit, "related_cpus", related);
	assert_true(
		refused(POWER_DVFS, "other cores have their frequency in common", "--power sleep"));
	remove_frequency(unit, "related_cpus");
	assert_true(refused(POWER_DVFS, "related_cpus is not there", "--power sleep"));
}

static void the_floor_is_the_administrators(void **state)
{
	(void)state;
	put_frequency(unit, "scaling_min_freq", "2000000\n");
	assert_true(power_probe(POWER_DVFS, unit, text));
	assert_non_null(strstr(text, "at most 2000 instead of 3200 MHz"));
	put_frequency(unit, "scaling_min_freq", "3200000\n");
	assert_true(refused(POWER_DVFS, "are the same", "scaling_min_freq"));
}

static void no_clock_modulation(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/dev/cpu/%d/msr", unit);
	assert_int_equal(truncate(path, 0x19a), 0);
	assert_true(refused(POWER_CM, "/msr: Input/output error", "does not have the register"));
	assert_int_equal(unlink(path), 0);
	assert_true(refused(POWER_CM, "/msr: No such file", "modprobe msr"));
	assert_true(power_probe(POWER_DVFS, unit, text));
	put_file("/proc/cpuinfo", "processor : 0\nflags : fpu apic\n");
	assert_true(refused(POWER_CM, "no flag 'acpi'", "--power sleep"));
	assert_true(refused(POWER_DVFS_CM, "cm: ", "no flag 'acpi'"));
}

static int reduce_once(enum power_technique technique, uint64_t *safe)
{
	struct power *p;
	int rc = power_open(technique, &p, &err);

	power_reduce(p, true);
	*safe = clock_register(unit, "msr_safe");
	power_close(p);
	return rc;
}

static void msr_safe_goes_first(void **state)
{
	uint64_t safe;

	(void)state;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &core))
			put_clock_register(i, "msr_safe", 7 << 8);
	assert_true(power_probe(POWER_CM, unit, text));
	assert_non_null(strstr(text, "/msr_safe)"));
	assert_int_equal(reduce_once(POWER_CM, &safe), RB_OK);
	assert_true(safe == (7 << 8 | modulated()));
	assert_true(clock_register(unit, "msr_safe") == 7 << 8);
	assert_true(clock_register(unit, "msr") == REGISTER);
}

/* As in a container: what is mounted read-only is so for root, too. */
static void mounted_read_only(void **state)
{
	static const char *const places[] = { "/sys/devices/system/cpu", "/dev/cpu" };

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			mount(NULL, places[i], NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
	assert_true(refused(POWER_DVFS, "scaling_max_freq: Read-only", "writable"));
	assert_true(refused(POWER_CM, "/msr: Read-only", "writable"));
	for (int i = 0; i < 2; i++)
		assert_int_equal(mount(NULL, places[i], NULL, MS_REMOUNT | MS_BIND, NULL), 0);
}

static int as_nobody(void)
{
	if (seteuid(65534) != 0)
		return 100;
	return !refused(POWER_DVFS, "scaling_max_freq: Permission denied", "run as root") +
	       2 * !refused(POWER_CM, "/msr: Permission denied", "run as root");
}

static void no_permission(void **state)
{
	int status;
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/dev/cpu/%d/msr", unit);
	chmod(path, 0600);
	chmod(dir, 0755);
	if (fork() == 0)
		_exit(as_nobody());
	wait(&status);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 100)
		print_message("note: not root, so nothing was tried as another user\n");
	else
		assert_int_equal(status, 0);
}

static void own_bits_and_no_others(void **state)
{
	struct power *p;

	(void)state;
	assert_int_equal(power_open(POWER_DVFS_CM, &p, &err), RB_OK);
	check_all(false);
	for (int i = 0; i < 2; i++) {
		power_reduce(p, true);
		check_all(true);
		power_reduce(p, true);
		power_reduce(p, false);
		check_all(false);
		power_reduce(p, false);
	}
	power_reduce(p, true);
	assert_string_equal(power_trouble(p), "");
	power_close(p);
	check_all(false);
}

static void one_technique_leaves_the_other_alone(void **state)
{
	struct power *p;

	(void)state;
	assert_int_equal(power_open(POWER_CM, &p, &err), RB_OK);
	power_reduce(p, true);
	check(unit, true, false);
	power_close(p);
	assert_int_equal(power_open(POWER_DVFS, &p, &err), RB_OK);
	power_reduce(p, true);
	assert_int_equal(frequency(unit), LOW);
	assert_true(clock_register(unit, "msr") == REGISTER);
	power_close(p);
	check_all(false);
}

/* Somebody else may have the clock modulated already, or change other bits meanwhile. */
static void what_was_there_comes_back(void **state)
{
	struct power *p;

	(void)state;
	put_clock_register(unit, "msr", REGISTER | 0x1c);
	put_frequency(unit, "scaling_max_freq", "2400000\n");
	assert_int_equal(power_open(POWER_DVFS_CM, &p, &err), RB_OK);
	power_reduce(p, true);
	put_clock_register(unit, "msr", clock_register(unit, "msr") | UINT64_C(1) << 40);
	power_close(p);
	assert_true(clock_register(unit, "msr") == (REGISTER | 0x1c | UINT64_C(1) << 40));
	assert_int_equal(frequency(unit), 2400000);
}

static void what_sets_nothing_needs_nothing(void **state)
{
	struct power *p;

	(void)state;
	assert_int_equal(power_open(POWER_SLEEP, &p, &err), RB_OK);
	assert_null(p);
	power_reduce(p, true);
	assert_string_equal(power_trouble(p), "");
	power_close(p);
}

static void more_than_a_core_is_refused(void **state)
{
	cpu_set_t more = core;
	struct power *p;

	(void)state;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (frequency(i) >= 0)
			CPU_SET(i, &more);
	if (CPU_EQUAL(&more, &core)) {
		print_message("note: one core only, so none is another's\n");
		return;
	}
	assert_int_equal(sched_setaffinity(0, sizeof more, &more), 0);
	assert_int_equal(power_open(POWER_DVFS, &p, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "--power dvfs: this process is not bound to one core"));
	assert_int_equal(sched_setaffinity(0, sizeof core, &core), 0);
}

static void what_vanishes_is_told(void **state)
{
	struct power *p;

	(void)state;
	assert_int_equal(power_open(POWER_DVFS_CM, &p, &err), RB_OK);
	remove_frequency(unit, "scaling_max_freq");
	power_reduce(p, true);
	assert_non_null(strstr(power_trouble(p), "dvfs, processing unit"));
	assert_non_null(strstr(power_trouble(p), "could not be reduced: No such file"));
	assert_true(clock_register(unit, "msr") != REGISTER);
	power_reduce(p, false);
	assert_non_null(strstr(power_trouble(p), "could not be set again: No such file"));
	assert_true(clock_register(unit, "msr") == REGISTER);
	refill_tree(state);
	power_reduce(p, true);
	power_close(p);
	check_all(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(what_can_be_set_is_said),
		ON_TREE(the_range_is_the_processors),
		ON_TREE(no_frequency_scaling),
		ON_TREE(a_frequency_shared_with_other_cores),
		ON_TREE(the_floor_is_the_administrators),
		ON_TREE(no_clock_modulation),
		ON_TREE(mounted_read_only),
		ON_TREE(no_permission),
		ON_TREE(what_sets_nothing_needs_nothing),
		ON_TREE(msr_safe_goes_first),
		ON_TREE(own_bits_and_no_others),
		ON_TREE(one_technique_leaves_the_other_alone),
		ON_TREE(what_was_there_comes_back),
		ON_TREE(more_than_a_core_is_refused),
		ON_TREE(what_vanishes_is_told),
	};

	return cmocka_run_group_tests(tests, bind_and_enter, leave_tree);
}
