/* What a role's process measures of itself: spans, who reads a package, and what a death leaves
 * behind. The processes of several roles are several meterings of this one; energy is what a file
 * says. */
#include "base/status.h"
#include "harness/machine/metering.h"
#include "harness/machine/pin.h"
#include "tests/folder.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct rb_error err;
static char zone[128];
static int package;
static double joules; /* what the counter says */

static void put(const char *file, const char *text)
{
	char path[192];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", zone, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void use(double more)
{
	char text[32];

	joules += more;
	snprintf(text, sizeof text, "%.0f", 1e6 * joules);
	put("energy_uj", text);
}

/* A run folder with a machine's tree in it; this process is on one core, so on one package. */
static int begin(void **state)
{
	char command[256], name[32];
	cpu_set_t set;
	int cpu = 0;

	if (make_dir(state) != 0 || sched_getaffinity(0, sizeof set, &set) != 0)
		return -1;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		return -1;
	package = pin_package();
	setenv("ROLLBENCH_METER_ROOT", dir, 1);
	snprintf(zone, sizeof zone, "%s/sys/class/powercap/intel-rapl:0", dir);
	snprintf(command, sizeof command, "mkdir -p '%s'", zone);
	if (system(command) != 0)
		return -1;
	snprintf(name, sizeof name, "package-%d", package);
	put("name", name);
	put("max_energy_range_uj", "65000000000");
	joules = 1;
	use(0);
	return 0;
}

static void start(struct metering *m, int role, int incarnation, bool doomed,
		  enum metering_detail detail)
{
	assert_int_equal(metering_open(m, detail, dir, &err), RB_OK);
	assert_int_equal(metering_adopt(m, role, incarnation, doomed, 64, &err), RB_OK);
}

static bool reads(const struct metering *m)
{
	return m->claim >= 0 && m->usage->reader.package == package;
}

static const struct usage_sum *sum(const struct metering *m, int phase)
{
	return &m->usage->sum[phase];
}

static double package_j(const struct metering *m, int phase)
{
	return sum(m, phase)->amount.energy_j[METER_PACKAGE];
}

static void spans_are_phases_or_iterations(void **state)
{
	struct metering m;

	(void)state;
	for (int detail = METERS_PHASES; detail <= METERS_ITERATIONS; detail++) {
		bool each = detail == METERS_ITERATIONS;

		start(&m, detail, 1, false, (enum metering_detail)detail);
		/* the first state is made, nothing is restored */
		metering_enter(&m, 0, LEDGER_RESTORE);
		for (int i = 0; i < 3; i++)
			metering_enter(&m, i, LEDGER_STEP);
		metering_enter(&m, 2, LEDGER_CHECKPOINT);
		metering_enter(&m, 3, LEDGER_STEP);
		metering_enter(&m, 3, LEDGER_REPAIR);
		metering_enter(&m, 3, LEDGER_RESTORE);
		metering_enter(&m, 3, LEDGER_STEP);
		metering_enter(&m, 4, LEDGER_VERIFY);
		assert_int_equal(sum(&m, LEDGER_SETUP)->spans, 1);
		assert_int_equal(sum(&m, LEDGER_CHECKPOINT)->spans, 1);
		assert_int_equal(sum(&m, LEDGER_REPAIR)->spans, 1);
		assert_int_equal(sum(&m, LEDGER_RESTORE)->spans, 1);
		assert_int_equal(sum(&m, LEDGER_STEP)->spans, each ? 4 : 3);
		assert_int_equal(sum(&m, USAGE_ABORTED)->spans, each);
		assert_int_equal(m.usage->rows, each ? 9 : 0);
		if (each) {
			assert_int_equal(m.usage->row[1].iter, 0);
			assert_int_equal(m.usage->row[3].iter, 2);
			assert_int_equal(m.usage->row[5].phase, USAGE_ABORTED);
		}
		metering_close(&m);
	}
}

static void joules_go_to_the_phase_they_were_used_in(void **state)
{
	struct metering m;

	(void)state;
	start(&m, 0, 1, false, METERS_PHASES);
	assert_true(reads(&m) && m.usage->reader.whole);
	assert_string_equal(m.usage->reader.source, "powercap");
	assert_string_equal(m.usage->reader.why, "");
	use(3);
	metering_enter(&m, 0, LEDGER_STEP);
	use(5);
	metering_enter(&m, 1, LEDGER_STEP);
	use(7);
	metering_enter(&m, 1, LEDGER_BLOCKED);
	use(11);
	metering_enter(&m, 1, LEDGER_FINISH);
	assert_true(fabs(package_j(&m, LEDGER_SETUP) - 3) < 1e-6);
	assert_true(fabs(package_j(&m, LEDGER_STEP) - 12) < 1e-6);
	assert_true(fabs(package_j(&m, LEDGER_BLOCKED) - 11) < 1e-6);
	/* there is no such counter */
	assert_true(isnan(sum(&m, LEDGER_STEP)->amount.energy_j[METER_DRAM]));
	metering_close(&m);
}

static void one_role_reads_a_package_and_doomed_ones_come_last(void **state)
{
	struct metering doomed, first, second;

	(void)state;
	start(&doomed, 0, 1, true, METERS_PHASES);
	start(&first, 1, 1, false, METERS_PHASES);
	start(&second, 2, 1, false, METERS_PHASES);
	metering_enter(&doomed, 0, LEDGER_STEP);
	metering_enter(&second, 0, LEDGER_STEP);
	assert_true(!reads(&doomed) && reads(&first) && !reads(&second));
	use(1);
	metering_enter(&second, 0, LEDGER_CHECKPOINT);
	assert_true(isnan(package_j(&second, LEDGER_STEP)));
	metering_close(&first);
	metering_close(&second);
	metering_close(&doomed);
	/* A process alone on the package reads it anyway, for the whole loop. */
	start(&doomed, 3, 1, true, METERS_PHASES);
	assert_false(reads(&doomed));
	metering_enter(&doomed, 0, LEDGER_STEP);
	assert_true(reads(&doomed) && doomed.usage->reader.whole);
	metering_close(&doomed);
}

static void another_takes_over_after_a_recovery(void **state)
{
	struct metering reader, other;

	(void)state;
	start(&reader, 0, 1, false, METERS_ITERATIONS);
	start(&other, 1, 1, false, METERS_ITERATIONS);
	metering_enter(&other, 0, LEDGER_STEP);
	metering_close(&reader); /* as its death does: the kernel frees the name */
	metering_enter(&other, 1, LEDGER_STEP);
	assert_false(reads(&other)); /* no process knows yet */
	metering_enter(&other, 1, LEDGER_REPAIR);
	metering_enter(&other, 1, LEDGER_RESTORE);
	assert_false(reads(&other)); /* nothing changes in a recovery */
	metering_enter(&other, 1, LEDGER_STEP);
	assert_true(reads(&other) && !other.usage->reader.whole);
	use(13);
	metering_enter(&other, 2, LEDGER_STEP);
	assert_true(fabs(other.usage->row[other.usage->rows - 1].amount.energy_j[METER_PACKAGE] -
			 13) < 1e-6);
	assert_true(isnan(package_j(&other, LEDGER_STEP))); /* what was before is not known */
	metering_close(&other);
}

static void a_replacement_notes_what_is_lost(void **state)
{
	struct metering m;

	(void)state;
	start(&m, 0, 1, false, METERS_PHASES);
	assert_int_equal(m.usage->formers, 0);
	metering_close(&m);
	/* on the same core: what the first one read is lost */
	start(&m, 0, 2, false, METERS_PHASES);
	assert_int_equal(m.usage->formers, 1);
	assert_int_equal(m.usage->former[0].package, package);
	assert_true(m.usage->former[0].read);
	assert_int_equal(m.usage->reader.package, METER_NONE);
	assert_false(reads(&m)); /* not before it has caught up */
	metering_close(&m);
	/* the second one had read nothing, and was here, too */
	start(&m, 0, 3, false, METERS_PHASES);
	assert_int_equal(m.usage->formers, 1);
	strcpy(m.usage->host, "elsewhere");
	metering_close(&m);
	start(&m, 0, 4, false, METERS_PHASES);
	assert_int_equal(m.usage->formers, 2);
	assert_string_equal(m.usage->former[1].host, "elsewhere");
	assert_false(m.usage->former[1].read);
	assert_string_not_equal(m.usage->host, "elsewhere");
	metering_enter(&m, 5, LEDGER_REPLAY);
	metering_enter(&m, 5, LEDGER_STEP);
	assert_true(reads(&m) && !m.usage->reader.whole);
	assert_int_equal(sum(&m, LEDGER_REPLAY)->spans, 1); /* a replacement's is no set-up */
	metering_close(&m);
}

static void a_counter_that_vanishes_is_told(void **state)
{
	struct metering m;
	char path[192];

	(void)state;
	start(&m, 0, 1, false, METERS_PHASES);
	metering_enter(&m, 0, LEDGER_STEP);
	snprintf(path, sizeof path, "%s/energy_uj", zone);
	assert_int_equal(truncate(path, 0), 0);
	metering_enter(&m, 1, LEDGER_FINISH);
	metering_enter(&m, 1, LEDGER_VERIFY);
	assert_true(isnan(package_j(&m, LEDGER_STEP)));
	assert_int_equal(strncmp(m.usage->reader.why, "package: ", 9), 0);
	metering_close(&m);
}

static void off_is_nothing_at_all(void **state)
{
	struct metering m;

	(void)state;
	start(&m, 0, 1, false, METERS_OFF);
	metering_enter(&m, 0, LEDGER_STEP);
	assert_null(m.usage);
	assert_null(usage_read(dir, 0));
	metering_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(spans_are_phases_or_iterations, begin, remove_dir),
		cmocka_unit_test_setup_teardown(joules_go_to_the_phase_they_were_used_in, begin,
						remove_dir),
		cmocka_unit_test_setup_teardown(one_role_reads_a_package_and_doomed_ones_come_last,
						begin, remove_dir),
		cmocka_unit_test_setup_teardown(another_takes_over_after_a_recovery, begin,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_replacement_notes_what_is_lost, begin,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_counter_that_vanishes_is_told, begin, remove_dir),
		cmocka_unit_test_setup_teardown(off_is_nothing_at_all, begin, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
