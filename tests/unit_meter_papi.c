/* PAPI's meters on machines we do not have: this program contains its own PAPI, two packages made
 * by hwloc, and denied permissions. */
#include "tests/meters.h"

#include <math.h>
#include <papi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The component that this PAPI has, the events it knows and what they read. */
static struct {
	PAPI_component_info_t component;
	const char *known[16];
	int known_count, refusal, fails;
	int added[16], added_count;
	bool inherits;
	long long value[16];
} fake;

int PAPI_library_init(int version)
{
	return version;
}

int PAPI_get_component_index(const char *name)
{
	return strcmp(name, fake.component.name) == 0 ? 0 : PAPI_ENOCMP;
}

const PAPI_component_info_t *PAPI_get_component_info(int index)
{
	(void)index;
	return &fake.component;
}

int PAPI_create_eventset(int *set)
{
	*set = 1;
	fake.added_count = 0;
	return PAPI_OK;
}

int PAPI_assign_eventset_component(int set, int component)
{
	(void)set, (void)component;
	return PAPI_OK;
}

int PAPI_set_opt(int option, PAPI_option_t *value)
{
	fake.inherits = option == PAPI_INHERIT && value->inherit.inherit == PAPI_INHERIT_ALL;
	return PAPI_OK;
}

int PAPI_add_named_event(int set, const char *name)
{
	(void)set;
	for (int i = 0; i < fake.known_count; i++) {
		if (strcmp(fake.known[i], name) != 0)
			continue;
		fake.added[fake.added_count++] = i;
		return PAPI_OK;
	}
	return fake.refusal;
}

int PAPI_start(int set)
{
	(void)set;
	return PAPI_OK;
}

int PAPI_read(int set, long long *values)
{
	(void)set;
	for (int i = 0; i < fake.added_count; i++)
		values[i] = fake.value[fake.added[i]];
	return fake.fails;
}

int PAPI_stop(int set, long long *values)
{
	(void)set, (void)values;
	return PAPI_OK;
}

int PAPI_cleanup_eventset(int set)
{
	(void)set;
	return PAPI_OK;
}

int PAPI_destroy_eventset(int *set)
{
	*set = PAPI_NULL;
	return PAPI_OK;
}

static struct rb_error err;

static void known(const char *component, const char *const *events)
{
	memset(&fake, 0, sizeof fake);
	fake.refusal = PAPI_ENOEVNT;
	strcpy(fake.component.name, component);
	while (events[fake.known_count]) {
		fake.known[fake.known_count] = events[fake.known_count];
		fake.known_count++;
	}
}

static double joules(struct meter *m, int package, enum meter_domain domain)
{
	struct meter_sample s;

	meter_sample(m, &s);
	return meter_joules(m, &s, package, domain);
}

/* Two packages of four processing units each; the second begins with number 4. */
static void perf_events_are_of_both_packages(void **state)
{
	static const char *const events[] = {
		"rapl::RAPL_ENERGY_PKG:cpu=0",  "rapl::RAPL_ENERGY_DRAM:cpu=0",
		"rapl::RAPL_ENERGY_PSYS:cpu=0", "rapl::RAPL_ENERGY_PKG:cpu=4",
		"rapl::RAPL_ENERGY_PSYS:cpu=4", NULL
	};
	struct meter *m;
	int n;

	(void)state;
	known("perf_event_uncore", events);
	fake.value[0] = 1LL << 40; /* what was counted before does not count */
	m = meter_open("", METER_ALL, &err);
	meter_counters(m, &n);
	assert_int_equal(n, 4); /* psys only once */
	fake.value[0] += 3LL << 31;
	fake.value[1] += 1LL << 32;
	fake.value[3] += 1LL << 33;
	assert_double_equal(joules(m, 0, METER_PACKAGE), 1.5, 1e-12);
	assert_double_equal(joules(m, 0, METER_DRAM), 1, 1e-12);
	assert_double_equal(joules(m, 1, METER_PACKAGE), 2, 1e-12);
	assert_double_equal(joules(m, METER_ALL, METER_PACKAGE), 3.5, 1e-12);
	assert_double_equal(joules(m, METER_ALL, METER_PSYS), 0, 0);
	assert_true(isnan(joules(m, 1, METER_DRAM)));
	assert_true(described(m, METER_OK, "by perf_event_uncore"));
	assert_true(described(m, METER_ABSENT, "core: perf_event_uncore has no such counter"));
	fake.fails = PAPI_ESYS;
	assert_true(isnan(joules(m, 0, METER_PACKAGE)));
	fake.fails = PAPI_OK;
	assert_true(isnan(joules(m, 0, METER_PACKAGE)));
	meter_close(m);
}

static void amd_has_another_name(void **state)
{
	static const char *const events[] = { "amd64_rapl::RAPL_ENERGY_PKG:cpu=4", NULL };
	struct meter *m;

	(void)state;
	known("perf_event_uncore", events);
	m = meter_open("", 1, &err);
	fake.value[0] = 1LL << 32;
	assert_double_equal(joules(m, 1, METER_PACKAGE), 1, 1e-12);
	assert_true(described(m, METER_OK, "amd64_rapl::RAPL_ENERGY_PKG:cpu=4"));
	meter_close(m);
}

static void rapl_is_the_last_resort(void **state)
{
	static const char *const events[] = { "rapl:::PACKAGE_ENERGY:PACKAGE0",
					      "rapl:::PP0_ENERGY:PACKAGE0",
					      "rapl:::DRAM_ENERGY:PACKAGE0",
					      "rapl:::PACKAGE_ENERGY:PACKAGE1", NULL };
	struct meter *m;

	(void)state;
	known("rapl", events);
	m = meter_open("", 0, &err);
	if (strcmp(m->source->name, "papi rapl") != 0) {
		print_message("note: rapl not exercised, the machine has %s\n", m->source->name);
		meter_close(m);
		return;
	}
	fake.value[0] = 2500000000;
	fake.value[1] = 1000000000;
	assert_double_equal(joules(m, 0, METER_PACKAGE), 2.5, 1e-12);
	assert_double_equal(joules(m, 0, METER_CORE), 1, 1e-12);
	assert_true(isnan(joules(m, 1, METER_PACKAGE)));
	assert_true(described(m, METER_ABSENT, "perf_event_uncore: "));
	assert_true(described(m, METER_ABSENT, "powercap: "));
	meter_close(m);
}

static void a_disabled_component_says_so(void **state)
{
	static const char *const none[] = { NULL };
	struct meter *m;

	(void)state;
	known("rapl", none);
	fake.component.disabled = PAPI_ESYS;
	strcpy(fake.component.disabled_reason, "Can't open fd for cpu0: Permission denied");
	m = meter_open("", METER_ALL, &err);
	assert_true(m->source || described(m, METER_ABSENT, "Can't open fd for cpu0"));
	meter_close(m);
	fake.component.disabled = PAPI_OK;
	fake.refusal = PAPI_EPERM;
	m = meter_open("", METER_ALL, &err);
	assert_true(m->source || described(m, METER_ABSENT, "no energy event can be opened"));
	meter_close(m);
}

/* One count by PAPI's name, the other, which this PAPI does not know of, by the kernel's. */
static void counts_have_two_names(void **state)
{
	static const char *const events[] = { "PAPI_TOT_CYC", "perf::PERF_COUNT_HW_INSTRUCTIONS",
					      NULL };
	struct meter_sample a, b;
	struct meter *m;

	(void)state;
	known("perf_event", events);
	m = meter_open("", METER_NONE, &err);
	assert_true(fake.inherits);
	meter_sample(m, &a);
	fake.value[0] = 3000;
	fake.value[1] = 7000;
	meter_sample(m, &b);
	meter_difference(&a, &b, &b);
	assert_double_equal(b.cycles, 3000, 0);
	assert_double_equal(b.instructions, 7000, 0);
	assert_true(described(m, METER_OK, "PERF_COUNT_HW_INSTRUCTIONS, in user mode"));
	fake.fails = PAPI_ESYS;
	meter_sample(m, &b);
	assert_true(isnan(b.cycles) && isnan(b.instructions));
	assert_true(described(m, METER_ABSENT, "PAPI_read: "));
	meter_close(m);
}

static void one_count_may_be_absent(void **state)
{
	static const char *const events[] = { "PAPI_TOT_INS", NULL };
	struct meter_sample s;
	struct meter *m;

	(void)state;
	known("perf_event", events);
	fake.value[0] = 5;
	m = meter_open("", METER_NONE, &err);
	meter_sample(m, &s);
	assert_true(isnan(s.cycles));
	assert_double_equal(s.instructions, 5, 0);
	meter_close(m);
}

static int counts(void)
{
	return 0;
}

static bool reads(const struct meter_source *source)
{
	(void)source;
	return true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_events_are_of_both_packages),
		cmocka_unit_test(amd_has_another_name),
		cmocka_unit_test(rapl_is_the_last_resort),
		cmocka_unit_test(a_disabled_component_says_so),
		cmocka_unit_test(counts_have_two_names),
		cmocka_unit_test(one_count_may_be_absent),
	};

	meter_kernel_counts = counts;
	meter_kernel_reads = reads;

	setenv("HWLOC_SYNTHETIC", "pack:2 core:2 pu:2", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
