/* The simulator's engine `fast`: cases computed by hand, and closed forms. */
#include "forecast/fast/fast.h"
#include "tests/time_cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct scene {
	struct stencil_pattern stencil;
	struct model m;
	struct result r;
};

/* Work takes 1 s, a message 1/4 s, and nothing else takes any time. */
static void set(struct scene *s, int axes, const int *length, int64_t steps, int64_t interval)
{
	static const size_t bytes[STENCIL_AXES] = { 1, 0, 0 };
	struct rb_error err;

	assert_int_equal(stencil_pattern_init(&s->stencil, axes, length, false, bytes, &err),
			 RB_OK);
	s->m = (struct model){ .pattern = &s->stencil.pattern,
			       .steps = steps,
			       .policy = { .ops = &policy_none },
			       .schedule = { .interval = interval },
			       .work = { 1, { 1 }, 0 },
			       .costs = { .latency_s = 0.25, .bytes_per_s = 1e30 },
			       .watts = { 100, 10, 1, 0 } };
}

static void set_line(struct scene *s, int roles, int64_t steps, int64_t interval)
{
	set(s, 1, &roles, steps, interval);
}

static void play(struct scene *s, const struct failure *list, size_t count)
{
	struct rb_error err = { "" };

	if (model_check(&s->m, &err) != RB_OK ||
	    simulate_fast(&s->m, 1, list, count, &s->r, &err) != RB_OK)
		fail_msg("%s", err.text);
}

static void ends(const struct scene *s, const double *seconds, int64_t ticks)
{
	for (int r = 0; r < s->r.np; r++)
		if (s->r.end[r] != ticks_of(seconds[r]) + ticks)
			fail_msg("role %d ends at %.12g s + %lld ticks", r, seconds[r],
				 (long long)(s->r.end[r] - ticks_of(seconds[r])));
}

/* Each iteration waits for a message that was sent at its beginning. */
static void test_without_failures(void **state)
{
	struct scene s;

	(void)state;
	set_line(&s, 3, 4, 10);
	play(&s, NULL, 0);
	ends(&s, (double[]){ 5, 5, 5 }, 0);
	assert_int_equal(s.r.useful, 12);
	assert_true(s.r.state_s[STATE_COMPUTE] == 12 && s.r.state_s[STATE_WAIT] == 3);
	assert_true(s.r.energy_j[STATE_COMPUTE] == 1200 && s.r.energy_j[STATE_WAIT] == 30);
	result_free(&s.r);
}

/* The middle of three roles dies, and all have four iterations. */
struct death {
	const char *what;
	const struct policy_ops *policy;
	double detect_s, repair_s, restore_s, replay_speed;
	struct failure failure;
	/* and a tick: a failure happens half a tick later, and all go on half a tick later still */
	double end_s[3];
	int64_t repeated, stopped;
};

static const struct death deaths[] = {
	/* It dies at 2.5 s and is noticed at 3 s; the repair is over at 3.25 s, and its state is
	 * loaded at 3.375 s. It gets what its neighbours have logged at 3.5 s, and they wait for it
	 * in iteration 2 until 5.75 s. */
	{ "local rollback",
	  &policy_all,
	  0.5,
	  0.25,
	  0.125,
	  0,
	  { 1, AT_START, 2 },
	  { 7.75, 8, 7.75 },
	  2,
	  2 },
	/* It dies at 3 s in iteration 2, and the others stop at 5 s. They have its message of
	 * iteration 2, and wait in iteration 3 from 3.75 s for the next one, which it does not send
	 * any more. The repair is over at 5.25 s, the role begins at 5.375 s and repeats iteration
	 * 0 from 5.5 s, when the logged messages are there. It begins iteration 3 at 8.5 s. */
	{ "a dead role sends nothing",
	  &policy_all,
	  2,
	  0.25,
	  0.125,
	  0,
	  { 1, INT64_C(3) << 30, 0 },
	  { 9.75, 9.5, 9.75 },
	  2,
	  2 },
	/* All go back to the beginning. */
	{ "global rollback", &policy_none, 0, 0, 0.5, 0, { 1, AT_START, 2 }, { 8, 8, 8 }, 6, 0 },
	/* Twice as fast in iterations 0 and 1: they take from 3.5 to 4.5 s, and iteration 2 takes
	   as long as for the first time. */
	{ "fast replay",
	  &policy_all,
	  0.5,
	  0.25,
	  0.125,
	  2,
	  { 1, AT_START, 2 },
	  { 6.75, 7, 6.75 },
	  2,
	  2 },
	{ "slow replay", &policy_none, 0, 0, 0.5, 0.5, { 1, AT_START, 2 }, { 10, 10, 10 }, 6, 0 },
};

static void test_deaths(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
		const struct death *d = &deaths[i];
		struct scene s;

		print_message("%s\n", d->what);
		set_line(&s, 3, 4, 10);
		s.m.policy.ops = d->policy;
		s.m.costs.detect_s = d->detect_s, s.m.costs.repair_s = d->repair_s,
		s.m.costs.restore_s = d->restore_s;
		s.m.costs.replay_speed = d->replay_speed;
		play(&s, &d->failure, 1);
		ends(&s, d->end_s, 1);
		assert_int_equal(s.r.repeated, d->repeated);
		assert_int_equal(s.r.supported, 0);
		assert_int_equal(s.r.stopped, d->stopped);
		result_free(&s.r);
	}
}

/* In each iteration, 2 sends to 1 and 1 sends to 0. */
static int chain_operations(const struct pattern *p, int role, int64_t iter, pattern_watch *watch,
			    void *ctx)
{
	(void)p, (void)iter;
	if (role > 0)
		RB_TRY(watch(ctx, &(struct pattern_operation){
					  .kind = PATTERN_SEND, .peer = role - 1, .bytes = 1 }));
	if (role < 2)
		RB_TRY(watch(ctx, &(struct pattern_operation){
					  .kind = PATTERN_RECEIVE, .peer = role + 1, .bytes = 1 }));
	return watch(ctx, &(struct pattern_operation){ .kind = PATTERN_WAIT });
}

/* Role 0 dies at 2.5 s, and 1 goes back with it: 0 had the only copies. 1 has its own copies of
 * what 2 has sent, so it repeats iterations 0 and 1 without a wait, from 2.5 s to 4.5 s, and 2
 * keeps its state. */
static void test_receivers(void **state)
{
	static const struct pattern chain = { 3, chain_operations };
	static const struct failure list[] = { { 0, AT_START, 2 } };
	static const struct failure again[] = { { 0, INT64_C(4) << 30, 0 }, { 0, AT_START, 2 } };
	struct scene s;

	(void)state;
	set_line(&s, 3, 4, 10);
	s.m.pattern = &chain;
	s.m.policy = (struct policy){ .ops = &policy_receiver, .by_receivers = true };
	play(&s, list, 1);
	ends(&s, (double[]){ 6.75, 6.5, 4.5 }, 1);
	assert_int_equal(s.r.repeated, 4);
	assert_int_equal(s.r.stopped, 1);
	result_free(&s.r);
	/* It dies again at 4 s, in iteration 1 as 1 is. 1 has kept its last iteration, so it goes
	 * on, and it still has the copies of its first time through iteration 1; without them, 2
	 * would go back. */
	play(&s, again, 2);
	ends(&s, (double[]){ 8.25, 7, 5 }, 1);
	assert_int_equal(s.r.repeated, 5);
	assert_int_equal(s.r.stopped, 3);
	result_free(&s.r);
	/* Of the two messages of an iteration, each takes its receiver a second to copy. */
	s.m.costs.log_bytes_per_s = 1;
	play(&s, NULL, 0);
	assert_true(s.r.state_s[STATE_COMPUTE] == 12 + 8);
	result_free(&s.r);
}

/* Iterations recomputed in the interior: L^2 in one dimension, L + 2 (L^3 - L) / 3 in two. */
static void check_work_of_cone(int axes, int roles, int64_t lost, int64_t expected)
{
	const int length[] = { roles, roles };
	struct scene s;

	set(&s, axes, length, 12, 20);
	s.m.recompute = FT_DATAFLOW;
	for (enum repair_reach reach = REPAIR_ALL; reach <= REPAIR_AFFECTED; reach++) {
		s.m.reach = reach;
		play(&s,
		     &(struct failure){ axes == 1 ? roles / 2 : roles * (roles / 2) + roles / 2, -1,
					lost },
		     1);
		assert_int_equal(s.r.repeated, lost);
		assert_int_equal(s.r.repeated + s.r.supported, expected);
		result_free(&s.r);
	}
}

static void test_work_of_cones(void **state)
{
	(void)state;
	for (int64_t l = 1; l <= 8; l++) {
		check_work_of_cone(1, 21, l, l * l);
		check_work_of_cone(2, 19, l, l + 2 * (l * l * l - l) / 3);
	}
}

/* What must hold in every case: all iterations are done, time passes, and no time is lost in the
 * sums. */
static void test_random_cases(void **state)
{
	enum { CASES = 2000 };
	static struct time_case c;
	int made = 0, repaired = 0;

	(void)state;
	for (uint64_t seed = 1; made < CASES; seed++) {
		struct result r;
		struct rb_error err;
		double all = 0;

		if (!case_make(&c, seed))
			continue;
		made++;
		if (simulate_fast(&c.m, 1, c.failure, c.failures, &r, &err) != RB_OK)
			fail_msg("%s: %s", c.text, err.text);
		repaired += r.repairs > 0;
		for (int i = 0; i < STATES; i++) {
			all += r.state_s[i];
			if (r.state_s[i] < 0)
				fail_msg("%s: %g s in state %s", c.text, r.state_s[i],
					 energy_state_name((enum energy_state)i));
		}
		assert_true(fabs(all - seconds_of(r.makespan) * r.np) < 1e-6 * (all + 1));
		if (r.repeated > 0 || r.supported > 0)
			assert_true(r.repairs > 0);
		result_free(&r);
	}
	assert_true(repaired > CASES / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_failures), cmocka_unit_test(test_deaths),
		cmocka_unit_test(test_receivers),        cmocka_unit_test(test_work_of_cones),
		cmocka_unit_test(test_random_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
