/* `rollbench interval KERNEL`: the costs that a failure shows, the two formulas, and what is
 * printed of recorded runs. */
#include "harness/interval/measured.h"

#include "base/json.h"
#include "base/status.h"
#include "contract/kernel.h"
#include "ft/levels.h"
#include "harness/options/spec_options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Killed in iteration 49, with the state before 25: 24 iterations are repeated. */
static json_t *failure_of(double restored_s, double catchup_s)
{
	return json_pack("{s:i, s:i, s:o, s:o}", "iteration", 49, "checkpoint", 25, "restored_s",
			 number_json(restored_s), "catchup_s", number_json(catchup_s));
}

/* What the failure tells of runs whose iteration takes 0.125 s; recovery_s NAN: nothing. Frees it.
 */
static struct interval_costs told(json_t *failure)
{
	struct interval_costs costs = { .iteration_s = 0.125, .recovery_s = NAN };
	const bool tells = interval_death(failure, &costs);

	assert_int_equal(tells, !isnan(costs.recovery_s));
	json_decref(failure);
	return costs;
}

static void test_a_death_shows_recovery_and_rework(void **state)
{
	struct interval_costs costs = told(failure_of(0.75, 3));

	(void)state;
	assert_true(costs.recovery_s == 0.75 && costs.rework == 1); /* 24 iterations in 3 s */
}

static void test_what_was_not_measured_is_not_zero(void **state)
{
	json_t *nothing_repeated = failure_of(0.75, 3);

	(void)state;
	assert_true(isnan(told(failure_of(NAN, 3)).recovery_s));
	assert_true(isnan(told(failure_of(0.75, NAN)).recovery_s));
	assert_true(isnan(told(failure_of(0.75, 0)).recovery_s));
	json_object_set_new(nothing_repeated, "checkpoint", json_integer(49));
	assert_true(isnan(told(nothing_repeated).recovery_s));
	assert_true(isnan(told(json_object()).recovery_s));
}

static void test_formulas(void **state)
{
	struct interval_costs costs = { .iteration_s = 1, .checkpoint_s = 2, .rework = 1 };

	(void)state;
	assert_double_equal(optimal_young(&costs, 100), 20, 1e-12);
	/* 20 (1 + sqrt(0.01) / 3 + 0.01 / 9) - 2 */
	assert_double_equal(optimal_daly(&costs, 100), 18.6888888888889, 1e-11);
	assert_double_equal(optimal_daly(&costs, 0.5), 0.5, 0);
	assert_int_equal(optimal_iterations(&costs, 18.5), 19);
	assert_int_equal(optimal_iterations(&costs, 0.1), 1);
	costs.rework = 0.25; /* as if deaths were four times as rare */
	assert_double_equal(optimal_young(&costs, 25), 20, 1e-12);
	costs = (struct interval_costs){ 1, 2, 1, 3, 0.5 };
	assert_double_equal(optimal_wasted(&costs, 100, 20), 2.0 / 20 + (3 + 0.5 * (10 + 1)) / 100,
			    1e-15);
	/* 100 e^(3/100) (e^(20/100) - 1) */
	assert_double_equal(optimal_expected(&costs, 100, 20), 22.814547597596107, 1e-12);
}

/* A record of 200 iterations of 2 roles in 1 s and 8 checkpoints in 0.16 s. */
static json_t *normal(const char *ckpt)
{
	return json_pack("{s:s, s:i, s:i, s:s, s:f, s:{s:i}, s:{s:i, s:f}, s:[{s:f}, {s:f}], s:[]}",
			 "kernel", "jacobi", "np", 2, "interval", 25, "ckpt", ckpt, "loop_s", 1.16,
			 "iterations", "useful", 400, "checkpoints", "count", 16, "seconds_max",
			 0.16, "roles", "drain_s", 0.08, "drain_s", 0.24, "failures");
}

static json_t *died(double restored_s, double catchup_s)
{
	json_t *record = normal("file");

	json_array_append_new(json_object_get(record, "failures"),
			      failure_of(restored_s, catchup_s));
	return record;
}

/* 24 iterations again in 0.12 s, and in 0.06 s. */
static json_t *usual(void)
{
	return died(0.75, 0.12);
}

static json_t *local(void)
{
	return died(0.75, 0.06);
}

static json_t *new_job(void)
{
	return died(2, 0.12);
}

static json_t *untimed(void)
{
	return died(NAN, 0.12);
}

/* Runs that have these records, one after the other. */
enum { RUNS_MAX = 16 };
struct play {
	json_t *record[RUNS_MAX]; /* those that were not used are freed at the end; NULL: refused */
	int made;
	char asked[RUNS_MAX][SPEC_TEXT]; /* what recovers them, and who dies */
	struct rb_error err;
	char *said;
};

static int play_run(void *ctx, const struct run_spec *spec, json_t **record, struct rb_error *err)
{
	struct play *p = ctx;
	char kill[INJECT_TEXT] = "";

	if (spec->plan.count > 0)
		inject_format(&spec->plan.kill[0], kill, sizeof kill);
	snprintf(p->asked[p->made], SPEC_TEXT, "%.20s %.20s", spec_recovery(spec), kill);
	*record = p->record[p->made];
	p->record[p->made++] = NULL;
	return *record ? RB_OK : rb_fail(err, RB_EINVAL, "--np 3: no, not that");
}

/* A death every 100 s. Returns what interval_measure() does. */
static int measure(struct play *p, const char *ckpt)
{
	struct run_spec spec;
	size_t size;
	FILE *to = open_memstream(&p->said, &size);
	int rc;

	assert_non_null(to);
	spec_init(&spec, kernel_find("jacobi"));
	snprintf(spec.ckpt, sizeof spec.ckpt, "%s", ckpt);
	rc = interval_measure(&spec, 100, play_run, p, to, &p->err);
	fclose(to);
	return rc;
}

static void play_free(struct play *p)
{
	for (int i = 0; i < RUNS_MAX; i++)
		json_decref(p->record[i]);
	free(p->said);
}

#define HEAD                                                                                     \
	"jacobi, 2 roles: an iteration takes 0.005 s; a checkpoint (%s) keeps it waiting for "   \
	"0.02 s and\ncounts 0.02 s after it was taken; a death every 100 s\n\n                 " \
	"recovery s rework speed     Young s    iter.      Daly s    iter. time wasted\n"
#define RESTART_ROW \
	"job restart          2.0000         1.00        2.00      400        1.99      397       4.0 %\n"
#define RESTART_NOT "job restart      not possible: --ckpt buddy keeps no files\n"
#define GLOBAL_ROW \
	"global rollback      0.7500         1.00        2.00      400        1.99      397       2.8 %\n"
#define LOCAL_ROW \
	"local rollback       0.7500         0.50        2.83      566        2.82      563       2.2 %\n"
#define FOOT                                                                        \
	"\nrework speed: what a repeated iteration costs, in iterations of normal " \
	"operation;\ntime wasted: by checkpoints, recoveries and rework, at Daly's interval\n"

static void expect_said(const struct play *p, const char *ckpt, const char *rows)
{
	char text[4096];

	snprintf(text, sizeof text, HEAD, ckpt);
	strcat(text, rows);
	assert_string_equal(p->said, text);
}

static void test_the_table_is_of_medians_of_three(void **state)
{
	struct play p = { .record = { normal("file"), died(9, 1.2), new_job(), died(0.1, 0.001),
				      usual(), died(0.5, 0.001), died(9.5, 1.2), local(),
				      died(9.5, 1.2), died(0.25, 0.06) } };
	static const char *const recovery[] = { "restart 0@49:start", "none 0@49:start",
						"all 0@49:start" };

	(void)state;
	assert_int_equal(measure(&p, "file"), RB_OK);
	expect_said(&p, "file", RESTART_ROW GLOBAL_ROW LOCAL_ROW FOOT);
	assert_int_equal(p.made, 10);
	assert_string_equal(p.asked[0], "none ");
	for (int i = 1; i < p.made; i++)
		assert_string_equal(p.asked[i], recovery[(i - 1) / 3]);
	play_free(&p);
}

static void test_a_run_that_could_not_time_its_recovery_is_made_again(void **state)
{
	struct play memory = { .record = { normal("buddy"), untimed(), usual(), untimed(), usual(),
					   untimed(), usual(), local(), local(), local() } };
	struct play files = { .record = { normal("file"), new_job(), new_job(), new_job(),
					  untimed(), untimed(), untimed(), untimed(), untimed(),
					  untimed() } };
	struct play once = { .record = { normal("buddy"), untimed(), usual(), untimed(), untimed(),
					 untimed(), untimed() } };

	(void)state;
	assert_int_equal(measure(&memory, "buddy"), RB_OK);
	expect_said(&memory, "buddy", RESTART_NOT GLOBAL_ROW LOCAL_ROW FOOT);
	assert_int_equal(memory.made, 1 + 6 + 3);
	assert_int_equal(measure(&files, "file"), RB_EINVAL);
	expect_said(&files, "file", RESTART_ROW);
	assert_int_equal(files.made, 1 + 3 + 6);
	assert_non_null(strstr(files.err.text, "global rollback: only 0 of 6 runs"));
	assert_int_equal(measure(&once, "buddy"), RB_EINVAL);
	assert_string_equal(once.err.text,
			    "global rollback: only 1 of 6 runs could measure how long the recovery "
			    "and the repeated iterations took, 3 are needed; try a larger "
			    "--interval");
	play_free(&memory);
	play_free(&files);
	play_free(&once);
}

/* Frees the records. */
static void expect_refused(json_t *first, json_t *second, const char *words)
{
	struct play p = { .record = { first, second } };

	assert_int_equal(measure(&p, "file"), RB_EINVAL);
	assert_non_null(strstr(p.err.text, words));
	play_free(&p);
}

static json_t *with(json_t *record, const char *key, json_t *value)
{
	json_object_set_new(record, key, value);
	return record;
}

static void test_what_cannot_be_measured_is_refused(void **state)
{
	(void)state;
	expect_refused(with(normal("file"), "checkpoints",
			    json_pack("{s:i, s:i}", "count", 0, "seconds_max", 0)),
		       NULL, "--interval 25: the run takes no checkpoint");
	expect_refused(with(normal("file"), "loop_s", json_real(0.16)), NULL,
		       "--interval 25: checkpoints took all of the time");
	expect_refused(normal("file"), normal("file"),
		       "--interval 25: the run is shorter than two intervals");
	expect_refused(normal("file"), NULL, "--np 3: no, not that");
	expect_refused(NULL, NULL, "--np 3: no, not that");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_death_shows_recovery_and_rework),
		cmocka_unit_test(test_what_was_not_measured_is_not_zero),
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_the_table_is_of_medians_of_three),
		cmocka_unit_test(test_a_run_that_could_not_time_its_recovery_is_made_again),
		cmocka_unit_test(test_what_cannot_be_measured_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
