/* Meters: who reads which package, and what this machine really counts. */
#include "base/clock.h"
#include "base/status.h"
#include "tests/meters.h"

#include <math.h>
#include <papi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rb_error err;

static void packages_are_told_apart(void **state)
{
	struct meter_package p[METER_PACKAGES];
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	hwloc_topology_t t;

	(void)state;
	hwloc_topology_init(&t);
	hwloc_topology_set_synthetic(t, "pack:2 core:2 pu:2");
	hwloc_topology_load(t);
	assert_int_equal(meter_packages_in(t, p, METER_PACKAGES), 2);
	assert_int_equal(p[1].number, 1);
	assert_int_equal(p[1].first_cpu, 4);
	assert_int_equal(meter_packages_in(t, p, 1), 1);
	hwloc_bitmap_only(set, 6);
	assert_int_equal(meter_package_of(t, set), 1);
	hwloc_bitmap_set(set, 1);
	assert_int_equal(meter_package_of(t, set), METER_NONE);
	hwloc_bitmap_zero(set);
	assert_int_equal(meter_package_of(t, set), METER_NONE);
	hwloc_topology_destroy(t);
	hwloc_bitmap_free(set);
	assert_true(meter_packages(p, METER_PACKAGES) >= 1);
}

static void one_role_reads_a_package(void **state)
{
	const int package[] = { METER_NONE, 1, 1, 0, 1, 0 }, node[] = { 0, 0, 0, 0, 1, 1 };
	const bool alone[] = { false, true, false, true, false, false };
	const bool spread[] = { false, true, false, true, true, true };

	(void)state;
	for (int r = 0; r < 6; r++) {
		assert_int_equal(meter_is_reader(NULL, package, r), alone[r]);
		assert_int_equal(meter_is_reader(node, package, r), spread[r]);
	}
}

static void spin(double seconds)
{
	double end = clock_read(CLOCK_THREAD_CPUTIME_ID) + seconds;

	while (clock_read(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void *spin_in_thread(void *arg)
{
	(void)arg;
	spin(0.03);
	return NULL;
}

static void cpu_time_is_ours_and_of_all_threads(void **state)
{
	struct meter *m = meter_open("", METER_NONE, &err);
	struct meter_sample a, b;
	pthread_t thread;

	(void)state;
	meter_sample(m, &a);
	spin(0.03);
	pthread_create(&thread, NULL, spin_in_thread, NULL);
	pthread_join(thread, NULL);
	meter_sample(m, &b);
	meter_difference(&a, &b, &b);
	assert_true(b.cpu_s >= 0.06 && b.cpu_s < 0.1);
	assert_true(b.wall_s >= b.cpu_s * 0.5);
	assert_double_equal(b.user_s + b.system_s, b.cpu_s, 0.01);
	meter_close(m);
}

/* PAPI itself, with an event that every kernel has: nanoseconds on a processor. PAPI lets threads
 * inherit a set only where the kernel has hardware counters. */
static void papi_counts_threads_started_later(void **state)
{
	struct meter_set set;
	char why[METER_TEXT] = "";
	long long before, after;
	pthread_t thread;
	bool inherits;

	(void)state;
	assert_int_equal(meter_set_open(&set, "no such component", true, why), RB_EIO);
	assert_non_null(strstr(why, "without its component no such component"));
	inherits = meter_set_open(&set, "perf_event", true, why) == RB_OK;
	if (!inherits) {
		print_message("note: inheritance by threads not exercised: %s\n", why);
		if (meter_set_open(&set, "perf_event", false, why) != RB_OK)
			fail_msg("%s", why);
	}
	assert_int_not_equal(meter_set_add(&set, "perf::NONSENSE"), PAPI_OK);
	assert_int_equal(meter_set_add(&set, "perf::PERF_COUNT_SW_TASK_CLOCK"), PAPI_OK);
	assert_int_equal(set.count, 1);
	if (meter_set_start(&set, why) != RB_OK)
		fail_msg("%s", why);
	assert_int_equal(meter_set_read(&set, &before), PAPI_OK);
	spin(0.03);
	pthread_create(&thread, NULL, spin_in_thread, NULL);
	pthread_join(thread, NULL);
	assert_int_equal(meter_set_read(&set, &after), PAPI_OK);
	assert_in_range(after - before, inherits ? 59000000 : 29000000,
			inherits ? 120000000 : 59000000);
	meter_set_close(&set);
}

static void loop(long n)
{
	for (long i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(i));
}

static double instructions_of(struct meter *m, long n, double *cycles)
{
	struct meter_sample a, b;

	meter_sample(m, &a);
	loop(n);
	meter_sample(m, &b);
	*cycles = b.cycles - a.cycles;
	return b.instructions - a.instructions;
}

static void cycles_and_instructions_count_or_say_why(void **state)
{
	struct meter *m = meter_open("", METER_NONE, &err);
	double cycles, one, two;

	(void)state;
	one = instructions_of(m, 10000000, &cycles);
	two = instructions_of(m, 20000000, &cycles);
	if (m->at[1] >= 0) {
		assert_true(one > 1.9e7 && one < 1e8); /* at least add and branch */
		assert_double_equal(two / one, 2, 0.1);
	} else {
		print_message("note: instructions not exercised: %s\n", m->count_why[1]);
		assert_true(isnan(one) && m->count_why[1][0]);
		assert_true(described(m, METER_ABSENT, m->count_why[1]));
	}
	if (m->at[0] >= 0) {
		assert_true(cycles > 1e6 && cycles < 1e9);
	} else {
		print_message("note: cycles not exercised: %s\n", m->count_why[0]);
		assert_true(isnan(cycles) && m->count_why[0][0]);
	}
	meter_close(m);
}

/* For each source: numbers that do not fall, or a reason. */
static void this_machine_measures_or_says_why(void **state)
{
	struct meter *m = meter_open("", METER_ALL, &err);
	struct meter_sample a;
	double j;

	(void)state;
	meter_sample(m, &a);
	spin(0.05);
	j = moved(m, &a, METER_ALL, METER_PACKAGE);
	if (m->source) {
		assert_true(j >= 0 && j < 0.05 * METER_MAX_W * METER_PACKAGES);
		print_message("note: %s: %g J in 50 ms\n", m->source->name, j);
	} else {
		assert_true(isnan(j));
		assert_true(m->notes >= 3);
		for (int i = 0; i < m->notes; i++)
			print_message("note: energy not exercised: %s\n", m->note[i].text);
	}
	meter_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packages_are_told_apart),
		cmocka_unit_test(one_role_reads_a_package),
		cmocka_unit_test(cpu_time_is_ours_and_of_all_threads),
		cmocka_unit_test(papi_counts_threads_started_later),
		cmocka_unit_test(cycles_and_instructions_count_or_say_why),
		cmocka_unit_test(this_machine_measures_or_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
