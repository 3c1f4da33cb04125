/* The barrier benchmark without MPI: its plan, the order of its barriers, the product, and what
 * becomes of samples in the record; energy, cycles and several hosts are made up here. */
#include "base/clock.h"
#include "base/status.h"
#include "harness/barrier/barrier.h"
#include "harness/options/spec.h"
#include "tests/folder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct barrier_plan plan_of(int np, int repetitions, const char *list)
{
	struct barrier_plan p = { .np = np,
				  .seconds = 0.125,
				  .repetitions = repetitions,
				  .matrix_order = 16,
				  .seed = 7 };
	struct rb_error err;

	assert_int_equal(barrier_set_techniques(&p, list, &err), RB_OK);
	return p;
}

static void techniques_by_name(void **state)
{
	static const char *const bad[] = { "",
					   "none,",
					   "none,nap",
					   "sleep,none,sleep",
					   "none sleep",
					   "NONE",
					   "none,sleep,dvfs,cm,dvfs+cm,none" };
	struct barrier_plan p = plan_of(2, 1, "sleep,none,dvfs+cm");
	struct rb_error err;

	(void)state;
	assert_int_equal(p.techniques, 3);
	assert_int_equal(p.technique[0], POWER_SLEEP);
	assert_int_equal(p.technique[1], POWER_NONE);
	assert_int_equal(p.technique[2], POWER_DVFS_CM);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(barrier_set_techniques(&p, bad[i], &err), RB_EINVAL);
		assert_non_null(strstr(err.text, "--techniques"));
		assert_non_null(strstr(err.text, "dvfs+cm"));
	}
}

static void every_technique_once_in_each_repetition(void **state)
{
	struct barrier_plan p = plan_of(2, 200, "none,sleep,dvfs,cm,dvfs+cm");
	int first[POWER_TECHNIQUES] = { 0 }, place[POWER_TECHNIQUES], again[POWER_TECHNIQUES];

	(void)state;
	for (int r = 0; r < p.repetitions; r++) {
		int seen = 0;

		barrier_sequence(&p, r, place);
		barrier_sequence(&p, r, again);
		assert_memory_equal(place, again, sizeof place);
		for (int i = 0; i < p.techniques; i++)
			seen |= 1 << place[i];
		assert_int_equal(seen, (1 << p.techniques) - 1);
		first[place[0]]++;
	}
	for (int i = 0; i < p.techniques; i++) /* 40 each on average */
		assert_in_range(first[i], 20, 60);
}

static void another_seed_another_order(void **state)
{
	struct barrier_plan p = plan_of(2, 50, "none,sleep,dvfs,cm,dvfs+cm"), q = p;
	int a[POWER_TECHNIQUES], b[POWER_TECHNIQUES], same = 0;

	(void)state;
	q.seed++;
	for (int r = 0; r < p.repetitions; r++) {
		barrier_sequence(&p, r, a);
		barrier_sequence(&q, r, b);
		same += memcmp(a, b, sizeof a) == 0;
	}
	assert_true(same < 10);
}

static void phases_have_places_of_their_own(void **state)
{
	struct barrier_plan p = plan_of(2, 3, "none,sleep");

	(void)state;
	assert_int_equal(barrier_phases(&p), 9);
	assert_int_equal(barrier_phase(&p, 0, -1), 0);
	assert_int_equal(barrier_phase(&p, 0, 1), 2);
	assert_int_equal(barrier_phase(&p, 2, 1), 8);
}

static void the_ranks_read_the_plan_that_was_written(void **state)
{
	struct barrier_plan p = plan_of(5, 3, "sleep,none"), q;
	struct rb_error err;

	(void)state;
	p.asked = true;
	p.seconds = 0.1;
	memset(&q, 0, sizeof q);
	assert_int_equal(barrier_plan_save(&p, dir, &err), RB_OK);
	assert_int_equal(barrier_plan_load(&q, dir, &err), RB_OK);
	assert_true(q.np == 5 && q.seconds == 0.1 && q.repetitions == 3 && q.matrix_order == 16);
	assert_true(q.seed == 7 && q.techniques == 2 && q.technique[0] == POWER_SLEEP);
	assert_true(q.asked && !q.oversubscribed);
	assert_int_equal(barrier_plan_load(&q, "/nowhere", &err), RB_EIO);
	assert_non_null(strstr(err.text, "/nowhere"));
}

static void the_product_is_one(void **state)
{
	enum { N = 9 };
	struct barrier_product *p = barrier_product_make(N);
	double begin = clock_monotonic(), products = 0;

	(void)state;
	assert_non_null(p);
	while (products < 1)
		products += barrier_product_until(p, 0); /* a row at a time */
	assert_true(fabs(products - 1) < 1e-12);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += (1 + (i * N + k) % 7) * (1 + (k * N + j) % 5);
			assert_true(barrier_product_entry(p, i, j) == sum);
		}
	assert_true(barrier_product_until(p, clock_monotonic() + 0.02) > 1);
	assert_true(clock_monotonic() - begin >= 0.02);
	barrier_product_free(p);
}

/* Three ranks: the first two on a package each, the late one on the second of these. The waiting
 * ones leave the barrier after the late one, by 10 and 30 us times the place of the technique. */
enum { RANKS = 3 };

static void make_up(const struct barrier_plan *p, struct barrier_rank rank[RANKS],
		    struct barrier_sample *sample)
{
	static const int package[RANKS] = { 0, 1, 1 };

	memset(rank, 0, RANKS * sizeof *rank);
	for (int r = 0; r < RANKS; r++) {
		strcpy(rank[r].host, "made-up");
		snprintf(rank[r].binding, sizeof rank[r].binding, "%d", r);
		rank[r].package = package[r];
		rank[r].reads_energy = r < 2;
		rank[r].lines = 1;
		rank[r].line[0] = (struct meter_line){ METER_OK, "energy", "package" };
		for (int i = 0; i < barrier_phases(p); i++) {
			int place = i % (1 + p->techniques) - 1;

			sample[r * barrier_phases(p) + i] = (struct barrier_sample){
				.measured = 1,
				.wall_s = 0.5,
				.cpu_s = 0.25,
				.user_s = 0.2,
				.system_s = 0.05,
				.cycles = 2e9,
				.instructions = NAN,
				.energy_j = { r < 2 ? 20 + 5 * r : NAN, NAN, NAN, NAN, NAN },
				.products = place < 0 ? 3 : NAN,
				.entered_s = place < 0 ? NAN
					     : r == 2  ? 100
						       : 99.5,
				.left_s = place < 0 ? NAN
					  : r == 2  ? 100
						    : 100 + (place + 1) * (r ? 30e-6 : 10e-6),
			};
		}
	}
}

static json_t *record_of(const struct barrier_plan *p, const struct barrier_rank *rank,
			 const struct barrier_sample *sample)
{
	json_t *record = barrier_record(p, barrier_measured(p, rank, sample), json_object(), 1.5);

	assert_non_null(record);
	return record;
}

static double figure(const json_t *record, size_t phase, int rank, const char *key)
{
	json_t *at = json_array_get(json_object_get(record, "phases"), phase);

	if (rank >= 0)
		at = json_array_get(json_object_get(at, "samples"), (size_t)rank);
	at = json_object_get(at, key);
	assert_non_null(at);
	return json_is_null(at) ? NAN : json_number_value(at);
}

/* Why a technique has no numbers; NULL if it has some. */
static const char *why_not(const json_t *techniques, size_t i)
{
	const json_t *technique = json_array_get(techniques, i);
	const char *absent = json_string_value(json_object_get(technique, "absent"));

	return absent ? absent : json_string_value(json_object_get(technique, "trouble"));
}

static void samples_become_a_record(void **state)
{
	struct barrier_plan p = plan_of(RANKS, 1, "none");
	struct barrier_sample sample[RANKS * 2];
	struct barrier_rank rank[RANKS];
	json_t *record;

	(void)state;
	make_up(&p, rank, sample);
	record = record_of(&p, rank, sample);
	assert_int_equal(json_array_size(json_object_get(record, "phases")), 2);
	assert_true(figure(record, 0, 0, "watts") == 40 && figure(record, 0, 1, "watts") == 50);
	assert_true(figure(record, 0, 0, "products") == 3);
	assert_true(isnan(figure(record, 0, 0, "latency_s")) &&
		    isnan(figure(record, 0, -1, "latency_max_s")));
	assert_true(isnan(figure(record, 0, 0, "instructions")) &&
		    figure(record, 0, 0, "cycles") == 2e9);
	assert_true(fabs(figure(record, 1, -1, "latency_max_s") - 30e-6) < 1e-9);
	assert_true(fabs(figure(record, 1, -1, "latency_median_s") - 20e-6) < 1e-9);
	assert_true(fabs(figure(record, 1, 0, "latency_s") - 10e-6) < 1e-9);
	json_decref(record);
}

static void clocks_of_other_hosts_give_no_latency(void **state)
{
	struct barrier_plan p = plan_of(RANKS, 1, "none");
	struct barrier_sample sample[RANKS * 2];
	struct barrier_rank rank[RANKS];
	json_t *record;

	(void)state;
	make_up(&p, rank, sample);
	rank[1].node = rank[2].node = 1;
	record = record_of(&p, rank, sample);
	assert_true(isnan(figure(record, 1, 0, "latency_s")));
	assert_true(fabs(figure(record, 1, -1, "latency_median_s") - 30e-6) < 1e-9);
	json_decref(record);
	rank[1].node = 0;
	record = record_of(&p, rank, sample);
	assert_true(isnan(figure(record, 1, -1, "latency_max_s")));
	json_decref(record);
}

static void who_cannot_gives_the_reason_and_no_number(void **state)
{
	struct barrier_plan p = plan_of(RANKS, 1, "none,dvfs,cm");
	struct barrier_sample sample[RANKS * 4];
	struct barrier_rank rank[RANKS];
	json_t *record, *list;

	(void)state;
	make_up(&p, rank, sample);
	for (int r = 0; r < RANKS; r++)
		sample[r * barrier_phases(&p) + barrier_phase(&p, 0, 1)].measured = 0;
	strcpy(rank[1].absent[POWER_DVFS], "no such file");
	strcpy(rank[2].trouble[POWER_CM], "vanished");
	record = record_of(&p, rank, sample);
	list = json_object_get(record, "techniques");
	assert_null(why_not(list, 0));
	assert_string_equal(why_not(list, 1), "rank 1: no such file");
	assert_string_equal(why_not(list, 2), "rank 2: vanished");
	assert_int_equal(json_array_size(json_object_get(record, "phases")), 3);
	json_decref(record);
	for (int r = 0; r < RANKS; r++)
		strcpy(rank[r].absent[POWER_DVFS], "nowhere");
	record = record_of(&p, rank, sample);
	list = json_object_get(record, "techniques");
	assert_string_equal(why_not(list, 1), "nowhere");
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(techniques_by_name),
		cmocka_unit_test(every_technique_once_in_each_repetition),
		cmocka_unit_test(another_seed_another_order),
		cmocka_unit_test(phases_have_places_of_their_own),
		cmocka_unit_test(the_ranks_read_the_plan_that_was_written),
		cmocka_unit_test(the_product_is_one),
		cmocka_unit_test(samples_become_a_record),
		cmocka_unit_test(clocks_of_other_hosts_give_no_latency),
		cmocka_unit_test(who_cannot_gives_the_reason_and_no_number),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
