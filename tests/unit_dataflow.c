/* Forecasts of data-flow rollback: survivors that are not in the same iteration, partial logs, who
 * replays and who is idle. The cone itself is tested in unit_cone.c. */
#include "forecast/forecast.h"
#include "base/status.h"
#include "forecast/pattern/stencil_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NP = 11, DEAD = 5, CHECKPOINT = 20 };

struct scene {
	/* 11 roles in a row, one message of 8 bytes to each neighbour */
	struct stencil_pattern stencil;
	struct forecast_run run;
	bool dead[NP];
	int64_t lo[NP], hi[NP];
	struct forecast f;
};

/* Role 5 dies in iteration `front`, and all are there. */
static void all_at(struct scene *s, const char *policy, int64_t front)
{
	const int length[] = { NP };
	const size_t bytes[] = { 8 };
	struct rb_error err;

	*s = (struct scene){ .dead = { [DEAD] = true } };
	assert_int_equal(stencil_pattern_init(&s->stencil, 1, length, false, bytes, &err), RB_OK);
	s->run = (struct forecast_run){ .pattern = &s->stencil.pattern,
					.schedule = { .interval = CHECKPOINT },
					.dataflow = true };
	assert_int_equal(policy_parse(&s->run.policy, policy, &err), RB_OK);
	for (int r = 0; r < NP; r++)
		s->lo[r] = s->hi[r] = front;
}

static void make(struct scene *s)
{
	struct rb_error err;

	assert_int_equal(forecast_make(&s->f, &s->run, CHECKPOINT, s->dead, s->lo, s->hi, &err),
			 RB_OK);
}

/* expected: iterations on each role's duplicate, -1: it has none. */
static void check_supported(const struct dataflow *d, const int64_t *expected)
{
	for (int r = 0; r < NP; r++)
		assert_int_equal(d->supported[r], expected[r]);
}

static void without_logs(void **state)
{
	static const int64_t expected[NP] = { -1, -1, 0, 1, 2, -1, 2, 1, 0, -1, -1 };
	struct scene s;

	(void)state;
	all_at(&s, "none", 23);
	make(&s);
	assert_true(dataflow_same(&s.f.early, &s.f.late));
	check_supported(&s.f.early, expected);
	assert_int_equal(s.f.early.front, 23);
	assert_int_equal(s.f.early.iterations.restarted, 3);
	assert_int_equal(s.f.early.iterations.supported, 6);
	assert_int_equal(s.f.early.iterations.rollback, 3 * NP);
	assert_int_equal(s.f.early.iterations.full_logging, 3);
	assert_int_equal(s.f.early.iterations.global, 3 * NP);
	assert_int_equal(s.f.early.global_after, 0);
	for (int r = 0; r < NP; r++) {
		assert_int_equal(s.f.rolled[r], r == DEAD ? FORECAST_YES : FORECAST_NO);
		assert_int_equal(s.f.active[r], FORECAST_NO);
	}
	forecast_free(&s.f);
}

/* The neighbours replay, and nobody has a duplicate. */
static void with_full_logs(void **state)
{
	struct scene s;

	(void)state;
	all_at(&s, "all", 23);
	make(&s);
	for (int r = 0; r < NP; r++) {
		assert_int_equal(s.f.early.supported[r], -1);
		assert_int_equal(s.f.active[r], abs(r - DEAD) == 1 ? FORECAST_YES : FORECAST_NO);
	}
	assert_int_equal(s.f.early.iterations.rollback, 3);
	forecast_free(&s.f);
}

/* Teams of 4 log what leaves the team: role 5 is in the team 4 to 7, so that the cone ends at roles
 * 4 and 7. What comes from outside is in the logs of roles 3 and 8, which send it to duplicates and
 * not to restarted roles. */
static void with_teams(void **state)
{
	static const int64_t expected[NP] = { -1, -1, -1, -1, 5, -1, 5, 4, -1, -1, -1 };
	struct scene s;

	(void)state;
	all_at(&s, "teams:4", 26);
	make(&s);
	check_supported(&s.f.early, expected);
	assert_int_equal(s.f.early.iterations.rollback, 4 * 6);
	for (int r = 0; r < NP; r++)
		assert_int_equal(s.f.active[r], FORECAST_NO);
	forecast_free(&s.f);
}

/* The first two iterations of the interval are logged: no duplicate begins before them, but all
 * begin at the checkpoint. */
static void with_a_window(void **state)
{
	static const int64_t expected[NP] = { -1, -1, -1, 2, 3, -1, 3, 2, -1, -1, -1 };
	struct scene s;

	(void)state;
	all_at(&s, "window:2", 24);
	make(&s);
	check_supported(&s.f.early, expected);
	assert_int_equal(s.f.active[4], FORECAST_NO); /* its duplicate sends these messages */
	forecast_free(&s.f);
}

/* Role 0 is an iteration behind role 1, which has kept the message that it lacks. */
static void a_survivor_lags_behind(void **state)
{
	static const int64_t expected[NP] = { -1, -1, 0, 1, 2, -1, 2, 1, 0, -1, -1 };
	struct scene s;

	(void)state;
	all_at(&s, "none", 23);
	s.lo[0] = s.hi[0] = 22;
	make(&s);
	check_supported(&s.f.early, expected);
	assert_int_equal(s.f.early.iterations.rollback, 3 * NP - 1);
	forecast_free(&s.f);
}

/* Role 5 dies before it commits iteration 22: either all others do not, either, or all do. */
static void one_iteration_more_may_be_lost(void **state)
{
	static const int64_t early[NP] = { -1, -1, -1, 0, 1, -1, 1, 0, -1, -1, -1 };
	static const int64_t late[NP] = { -1, -1, 0, 1, 2, -1, 2, 1, 0, -1, -1 };
	struct scene s;

	(void)state;
	all_at(&s, "none", 22);
	for (int r = 0; r < NP; r++)
		s.hi[r] += r != DEAD;
	make(&s);
	assert_false(dataflow_same(&s.f.early, &s.f.late));
	check_supported(&s.f.early, early);
	check_supported(&s.f.late, late);
	assert_int_equal(s.f.late.iterations.restarted, 3);
	assert_int_equal(s.f.late.iterations.rollback, 3 * NP);
	forecast_free(&s.f);
}

static int (*row_operations)(const struct pattern *p, int role, int64_t iter, pattern_watch *watch,
			     void *ctx);

/* Role 0 sends a part of a reduction to role 5, besides what the roles in a row do. */
static int with_a_reduction(const struct pattern *p, int role, int64_t iter, pattern_watch *watch,
			    void *ctx)
{
	const struct stencil_pattern *stencil = (const struct stencil_pattern *)p;
	struct pattern_operation o = { role == 0 ? PATTERN_SEND : PATTERN_RECEIVE,
				       role == 0 ? DEAD : 0, 9, 8, true };
	struct stencil_pattern row = *stencil;

	row.pattern.operations = row_operations;
	RB_TRY(row_operations(&row.pattern, role, iter, watch, ctx));
	if (role != 0 && role != DEAD)
		return RB_OK;
	RB_TRY(watch(ctx, &o));
	o.kind = PATTERN_WAIT;
	return watch(ctx, &o);
}

/* It is in the log of role 0, or it is not, and in neither case it is sent again. */
static void recorded_reductions_are_no_messages(void **state)
{
	static const char *const policies[] = { "all", "none" };
	struct scene s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		all_at(&s, policies[i], 21);
		row_operations = s.stencil.pattern.operations;
		s.stencil.pattern.operations = with_a_reduction;
		make(&s);
		assert_int_equal(s.f.active[0], FORECAST_NO);
		assert_int_equal(s.f.active[4], i == 0 ? FORECAST_YES : FORECAST_NO);
		assert_int_equal(s.f.early.supported[0], -1);
		assert_int_equal(s.f.early.supported[4], i == 0 ? -1 : 0);
		forecast_free(&s.f);
	}
}

/* Roles 0 and 10 are at distance 5 of role 5. */
static void a_cone_becomes_global(void **state)
{
	struct scene s;

	(void)state;
	for (int64_t lost = 1; lost <= 8; lost++) {
		all_at(&s, "none", CHECKPOINT + lost);
		make(&s);
		assert_int_equal(s.f.early.global_after, lost < 5 ? 0 : 5);
		forecast_free(&s.f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_logs),
		cmocka_unit_test(with_full_logs),
		cmocka_unit_test(with_teams),
		cmocka_unit_test(with_a_window),
		cmocka_unit_test(a_survivor_lags_behind),
		cmocka_unit_test(one_iteration_more_may_be_lost),
		cmocka_unit_test(recorded_reductions_are_no_messages),
		cmocka_unit_test(a_cone_becomes_global),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
