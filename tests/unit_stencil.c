/* Synthetic stencils: who the neighbours are and what they get; a forecast of them. */
#include "forecast/forecast.h"
#include "forecast/pattern/stencil_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Messages and bytes from one role to another. */
struct traffic {
	int np, role;
	int *count;
	size_t bytes;
};

static int count(void *ctx, int dst, int tag, size_t bytes)
{
	struct traffic *t = ctx;

	(void)tag;
	t->count[t->role * t->np + dst]++;
	t->bytes += bytes;
	return RB_OK;
}

static struct traffic traffic_of(const struct pattern *p)
{
	struct traffic t = { .np = p->np,
			     .count = calloc((size_t)p->np * (size_t)p->np, sizeof *t.count) };

	for (t.role = 0; t.role < p->np; t.role++)
		assert_int_equal(pattern_sends(p, t.role, 5, count, &t), RB_OK);
	return t;
}

static int degree(const struct traffic *t, int role)
{
	int sum = 0;

	for (int d = 0; d < t->np; d++)
		sum += t->count[role * t->np + d];
	return sum;
}

/* axes, lengths, periodic, bytes; messages of a role in the corner and of one in the middle, bytes
 * of all. */
static void stencils_have_their_neighbours(void **state)
{
	static const struct {
		int axes, length[3];
		bool periodic;
		size_t bytes[3];
		int corner, middle, middle_role;
		size_t all;
	} cases[] = {
		{ 1, { 5, 0, 0 }, false, { 8, 0, 0 }, 1, 2, 2, 8 * 8 },
		{ 1, { 5, 0, 0 }, true, { 8, 0, 0 }, 2, 2, 2, 10 * 8 },
		{ 2, { 3, 4, 0 }, false, { 10, 0, 0 }, 2, 4, 5, (2 * 4 + 3 * 3) * 2 * 10 },
		{ 2, { 3, 4, 0 }, true, { 10, 0, 0 }, 4, 4, 5, 12 * 4 * 10 },
		{ 2,
		  { 3, 4, 0 },
		  false,
		  { 10, 1, 0 },
		  3,
		  8,
		  5,
		  (2 * 4 + 3 * 3) * 2 * 10 + 2 * 3 * 4 },
		{ 3, { 3, 3, 3 }, false, { 100, 0, 0 }, 3, 6, 13, 54 * 2 * 100 },
		{ 3,
		  { 3, 3, 3 },
		  false,
		  { 100, 10, 1 },
		  7,
		  26,
		  13,
		  54 * 2 * 100 + 72 * 2 * 10 + 32 * 2 },
		{ 3, { 3, 3, 3 }, true, { 100, 10, 1 }, 26, 26, 13, 27 * (6 * 100 + 12 * 10 + 8) },
		/* both ways to the same role */
		{ 2, { 2, 1, 0 }, true, { 10, 0, 0 }, 2, 2, 1, 4 * 10 },
		{ 1, { 1, 0, 0 }, true, { 8, 0, 0 }, 0, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stencil_pattern s;
		struct rb_error err;
		struct traffic t;

		assert_int_equal(stencil_pattern_init(&s, cases[i].axes, cases[i].length,
						      cases[i].periodic, cases[i].bytes, &err),
				 RB_OK);
		t = traffic_of(&s.pattern);
		assert_int_equal(degree(&t, 0), cases[i].corner);
		assert_int_equal(degree(&t, cases[i].middle_role), cases[i].middle);
		assert_int_equal(t.bytes, cases[i].all);
		for (int a = 0; a < t.np; a++)
			for (int b = 0; b < t.np; b++)
				assert_int_equal(t.count[a * t.np + b], t.count[b * t.np + a]);
		free(t.count);
	}
}

/* Messages also go two steps away, across a corner by two in each axis. */
static void a_stencil_can_be_wider(void **state)
{
	struct stencil_pattern s;
	struct rb_error err;
	struct traffic t;

	(void)state;
	assert_int_equal(stencil_pattern_init(&s, 1, (int[]){ 6 }, false, (size_t[]){ 8 }, &err),
			 RB_OK);
	assert_non_null(stencil_of(&s.pattern));
	stencil_pattern_widen(&s, 2);
	assert_null(stencil_of(&s.pattern));
	t = traffic_of(&s.pattern);
	for (int a = 0; a < 6; a++)
		for (int b = 0; b < 6; b++)
			assert_int_equal(t.count[a * 6 + b], a != b && abs(a - b) <= 2);
	free(t.count);
	assert_int_equal(
		stencil_pattern_init(&s, 2, (int[]){ 5, 5 }, true, (size_t[]){ 10, 1 }, &err),
		RB_OK);
	stencil_pattern_widen(&s, 2);
	t = traffic_of(&s.pattern);
	assert_int_equal(degree(&t, 0), 24);
	assert_int_equal(t.bytes, 25 * (8 * 10 + 16));
	free(t.count);
}

static void a_stencil_has_the_neighbours_of_jacobi(void **state)
{
	const struct kernel_args args = { { "60", "5", "3x4" } };
	struct kernel_pattern k = kernel_pattern(kernel_find("jacobi"), &args, 12);
	struct stencil_pattern s;
	struct rb_error err;
	struct traffic of_kernel = traffic_of(&k.pattern), t;

	(void)state;
	assert_int_equal(
		stencil_pattern_init(&s, 2, (int[]){ 3, 4 }, false, (size_t[]){ 8, 0 }, &err),
		RB_OK);
	t = traffic_of(&s.pattern);
	for (int i = 0; i < 12 * 12; i++)
		assert_int_equal(t.count[i] > 0, of_kernel.count[i] > 0);
	free(t.count);
	free(of_kernel.count);
}

static void bad_stencils_are_refused(void **state)
{
	struct stencil_pattern s;
	struct rb_error err;
	size_t bytes[3] = { 1, 1, 1 };

	(void)state;
	assert_int_equal(stencil_pattern_init(&s, 0, (int[]){ 3 }, false, bytes, &err), RB_EINVAL);
	assert_int_equal(stencil_pattern_init(&s, 4, (int[]){ 3, 3, 3 }, false, bytes, &err),
			 RB_EINVAL);
	assert_int_equal(stencil_pattern_init(&s, 2, (int[]){ 3, 0 }, false, bytes, &err),
			 RB_EINVAL);
	assert_int_equal(
		stencil_pattern_init(&s, 3, (int[]){ 10000, 10000, 10000 }, false, bytes, &err),
		RB_EINVAL);
}

/* A forecast works with any pattern: of 1000 roles with 26 neighbours each, one dies. */
static void forecasts_take_any_pattern(void **state)
{
	enum { NP = 1000, DEAD = 555 };
	struct stencil_pattern s;
	struct forecast_run run = { .pattern = &s.pattern,
				    .policy = { .ops = &policy_all },
				    .schedule = { .interval = 10 } };
	static bool dead[NP];
	static int64_t lo[NP], hi[NP];
	struct forecast f;
	struct rb_error err;
	int rolled = 0, active = 0;

	(void)state;
	assert_int_equal(stencil_pattern_init(&s, 3, (int[]){ 10, 10, 10 }, true,
					      (size_t[]){ 64, 8, 8 }, &err),
			 RB_OK);
	dead[DEAD] = true;
	for (int r = 0; r < NP; r++)
		lo[r] = hi[r] = 25;
	assert_int_equal(forecast_make(&f, &run, 20, dead, lo, hi, &err), RB_OK);
	for (int r = 0; r < NP; r++) {
		rolled += f.rolled[r] == FORECAST_YES;
		active += f.active[r] == FORECAST_YES;
	}
	assert_int_equal(rolled, 1);
	assert_int_equal(active, 26);
	assert_int_equal(f.log_peak[7], 6 * (6 * 64 + 20 * 8));
	forecast_free(&f);
	run.policy.ops = &policy_none;
	assert_int_equal(forecast_make(&f, &run, 20, dead, lo, hi, &err), RB_OK);
	for (int r = 0; r < NP; r++)
		assert_int_equal(f.rolled[r], FORECAST_YES);
	assert_int_equal(f.chain_most, 5);
	forecast_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stencils_have_their_neighbours),
		cmocka_unit_test(a_stencil_can_be_wider),
		cmocka_unit_test(a_stencil_has_the_neighbours_of_jacobi),
		cmocka_unit_test(bad_stencils_are_refused),
		cmocka_unit_test(forecasts_take_any_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
