/* The energy model against numbers worked out by hand and against roots found without its algebra; and
 * what is read from records for it. */
#include "base/status.h"
#include "harness/model/energy_model.h"
#include "harness/model/model_record.h"
#include "tests/folder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct energy_model paper = { .lambda = 0.98, .mu = 1, .c = 0.75 };
static const struct energy_model paper_fast = { .lambda = 0.98, .mu = 2, .c = 0.75 };

static void near(double a, double b)
{
	if (isinf(a) || isinf(b))
		assert_true(isinf(a) && isinf(b));
	else
		assert_true(fabs(a - b) <= 1e-12 * fmax(1, fabs(b)));
}

static void times_and_energies_by_hand(void **state)
{
	const struct energy_load l = { .solve_s = 980, .rework_s = 100 };

	(void)state;
	near(energy_time_global(&l), 1080);
	near(energy_time_local(&paper, &l), 1100);
	near(energy_time_local(&paper_fast, &l), 1050);
	near(energy_global(&l), 1080);
	near(energy_local(&paper, &l), 1075);
	near(energy_difference(&paper, &l), -5);
	near(energy_local(&paper_fast, &l), 1037.5);
	near(energy_difference(&paper_fast, &l), -42.5);
	near(energy_difference_printed(&paper, &l), 19.6 - 25);
	near(energy_difference_printed(&paper_fast, &l), 19.6 - 12.5);
}

static void the_papers_figures(void **state)
{
	(void)state;
	near(energy_break_even(&paper), 0.02 / 0.98 / 0.25);
	near(energy_break_even_printed(&paper), 0.08);
	near(energy_break_even_quoted(&paper), 0.08);
	near(energy_break_even(&paper_fast), 0.02 / 0.98 / 0.625);
	near(energy_break_even_printed(&paper_fast), 0.16);
	near(energy_break_even_quoted(&paper_fast), 0.04);
}

static double excess(const struct energy_model *m, double share)
{
	const struct energy_load l = { .solve_s = 1, .rework_s = share };

	return energy_local(m, &l) - energy_global(&l);
}

/* Where local rollback stops to need more, by halving; INFINITY if it always does. */
static double root(const struct energy_model *m)
{
	double low = 0, high = 1e6;

	if (excess(m, high) > 0)
		return INFINITY;
	for (int i = 0; i < 200; i++) {
		double middle = (low + high) / 2;

		*(excess(m, middle) > 0 ? &low : &high) = middle;
	}
	return high;
}

static void break_even_is_the_root(void **state)
{
	static const double lambda[] = { 0.5, 0.9, 0.98, 0.9895 }, mu[] = { 0.3, 0.9, 1, 1.5, 2, 7 },
			    c[] = { 0.1, 0.5, 0.75, 1 };
	int never = 0;

	(void)state;
	for (int i = 0; i < 4 * 6 * 4; i++) {
		const struct energy_model m = { lambda[i % 4], mu[i / 4 % 6], c[i / 24] };
		const struct energy_load l = { .solve_s = 3600, .rework_s = 10 * i };
		double found = root(&m);

		never += isinf(found) != 0;
		if (isinf(found))
			assert_true(isinf(energy_break_even(&m)));
		else
			assert_true(fabs(energy_break_even(&m) - found) < 1e-9 * found);
		assert_true(fabs(energy_difference(&m, &l) - energy_local(&m, &l) + energy_global(&l)) <
			    1e-9);
	}
	assert_in_range(never, 1, 95);
}

static void borders(void **state)
{
	const struct energy_model no_saving = { 0.98, 1, 1 }, slow = { 0.98, 0.5, 0.75 },
				  free_log = { 1, 1, 0.75 }, speed_only = { 0.98, 2, 1 };

	(void)state;
	assert_true(isinf(energy_break_even(&no_saving)));
	assert_true(isinf(energy_break_even_printed(&no_saving)));
	assert_true(isinf(energy_break_even(&slow)));
	near(energy_break_even(&free_log), 0);
	near(energy_break_even(&speed_only), 0.02 / 0.98 / 0.5);
}

/* A record of jacobi on 2 roles, with these members. RB_OK or what the model says to it. */
static int add(struct model_records *r, const char *status, const char *members, struct rb_error *err)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof path, "%s/record.json", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "{\"schema\": \"rollbench-run-1\", \"status\": \"%s\", \"kernel\": \"jacobi\", "
		"\"np\": 2, %s}", status, members);
	assert_int_equal(fclose(file), 0);
	return model_record_add(r, path, err);
}

static const char duel[] = "\"policy\": \"all\", \"failures\": [], \"duel\": {\"protected_s\": "
			   "[1.0, 2.0, 4.0, 1.0], \"bare_s\": [0.9, 1.9, 3.92, 0.96]}";

/* 100 iterations in 2 s without the recovery and the checkpoints; 40 of them again in 0.5 s. */
#define FAILURE(set, catchup)                                                                    \
	"{\"iteration\": 90, \"checkpoint\": 50, \"rollback_set\": " set ", \"resume_s\": 0.1, "  \
	"\"restore_s\": 0.2, \"catchup_s\": " catchup "}"
#define RUN "\"policy\": \"all\", \"loop_s\": 3.0, \"checkpoints\": {\"seconds_max\": 0.2}, " \
	    "\"iterations\": {\"useful\": 200}, \"failures\": "

static void records_hold_lambda_and_mu(void **state)
{
	struct model_records r = { .np = 0 };
	struct rb_error err;

	(void)state;
	assert_int_equal(add(&r, "ok", duel, &err), RB_OK);
	assert_int_equal(add(&r, "ok", RUN "[" FAILURE("[1]", "0.5") "]", &err), RB_OK);
	assert_int_equal(r.lambda.count, 4);
	assert_int_equal(r.lambda.records, 1);
	near(model_samples_median(&r.lambda), (0.95 + 0.96) / 2);
	assert_int_equal(r.mu.count, 1);
	near(model_samples_median(&r.mu), 0.02 / (0.5 / 40));
	model_records_free(&r);
}

static void records_without_them_say_why(void **state)
{
	static const struct {
		const char *members, *lambda, *mu;
	} cases[] = {
		{ "\"policy\": \"none\", \"duel\": {}, \"failures\": []", "not `all`", "no record" },
		{ "\"policy\": \"all\", \"duel\": {}", "no pair", "no record" },
		{ RUN "[" FAILURE("[0, 1]", "0.5") "]", "no record", "not local" },
		{ RUN "[" FAILURE("[1]", "null") "]", "no record", "catch up" },
		{ RUN "[" FAILURE("[1]", "2.9") "]", "no record", "all recovery" },
		{ RUN "[" FAILURE("[1]", "1") ", " FAILURE("[1]", "1") "]", "no record", "more than one" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model_records r = { .np = 0 };
		struct rb_error err;

		assert_int_equal(add(&r, "ok", cases[i].members, &err), RB_OK);
		assert_int_equal(r.lambda.count + r.mu.count, 0);
		assert_non_null(strstr(r.lambda.why_not, cases[i].lambda));
		assert_non_null(strstr(r.mu.why_not, cases[i].mu));
		model_records_free(&r);
	}
}

static void other_records_are_refused(void **state)
{
	struct model_records r = { .kernel = "cg", .np = 2 }, fresh = { .np = 0 };
	struct rb_error err;

	(void)state;
	assert_int_equal(add(&r, "ok", duel, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "cg on 2"));
	assert_int_equal(add(&fresh, "hang", duel, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "hang"));
	assert_int_equal(add(&fresh, "ok", "\"schema\": \"x\"", &err), RB_EINVAL);
	assert_int_equal(add(&fresh, "ok", "no JSON", &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "--record"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_and_energies_by_hand),
		cmocka_unit_test(the_papers_figures),
		cmocka_unit_test(break_even_is_the_root),
		cmocka_unit_test(borders),
		cmocka_unit_test(records_hold_lambda_and_mu),
		cmocka_unit_test(records_without_them_say_why),
		cmocka_unit_test(other_records_are_refused),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
