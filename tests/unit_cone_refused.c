/* Cones of data-flow rollback that cannot be computed: wrong patterns, too many operations,
 * checkpoints that are too new, a pattern that fails. */
#include "tests/cone_scene.h"

static struct scene scene;

/* Two roles; the same in every iteration. */
struct script {
	struct pattern pattern;
	struct pattern_operation op[2][8];
	int count[2];
	int extra; /* so many waits first, by role 1 */
	int rc;    /* what operations() returns at its end */
};

static int operations(const struct pattern *p, int role, int64_t iter, pattern_watch *watch,
		      void *ctx)
{
	const struct script *s = (const struct script *)p;

	(void)iter;
	for (int k = 0; role == 1 && k < s->extra; k++)
		RB_TRY(watch(ctx, &(struct pattern_operation){ PATTERN_WAIT, -1, -1, 0, false }));
	for (int k = 0; k < s->count[role]; k++)
		RB_TRY(watch(ctx, &s->op[role][k]));
	return s->rc;
}

/* Role 1 sends role 0 one message with tag 3 in an iteration. */
static struct script one_message(void)
{
	return (struct script){
		.pattern = { 2, operations },
		.op = { { { PATTERN_RECEIVE, 1, 3, 8, false }, { PATTERN_WAIT, -1, -1, 0, false } },
			{ { PATTERN_SEND, 0, 3, 8, false } } },
		.count = { 2, 1 },
	};
}

/* Role 0 dies and has lost two iterations; role 1 has no log. */
static int find_for(const struct script *s)
{
	lose(&scene, &s->pattern, 0, 2);
	return find(&scene, -1);
}

static void expect_refused(const struct script *s, int rc)
{
	all_at(&scene, &s->pattern, 2);
	restart(&scene, 0);
	scene.gap[scene.gaps++] = (struct gap){ 1, 0, 0, 2, 0 };
	assert_int_equal(find(&scene, 0), rc);
	assert_null(scene.cone.end); /* nothing is left to be freed */
	assert_null(scene.cone.distance);
	assert_null(scene.cone.needed);
}

static void a_message_that_nobody_sends_is_refused(void **state)
{
	struct script s = one_message();

	(void)state;
	assert_int_equal(find_for(&s), RB_OK);
	assert_int_equal(scene.cone.end[1].iter, 1);
	assert_int_equal(scene.cone.end[1].number, 1);
	cone_free(&scene.cone);
	s.op[1][0].tag = 4;
	expect_refused(&s, RB_EINVAL);
	s = one_message();
	s.op[1][0].reduction = true;
	expect_refused(&s, RB_EINVAL);
	s = one_message();
	s.op[0][2] = s.op[0][1]; /* it receives twice what is sent once */
	s.op[0][1] = s.op[0][0];
	s.count[0] = 3;
	expect_refused(&s, RB_EINVAL);
	s = one_message();
	for (int peer = -1; peer <= 2; peer += 3) {
		s.op[0][0].peer = peer;
		expect_refused(&s, RB_EINVAL);
	}
}

/* A receive that nobody waits for is not executed, so it needs no message. */
static void a_receive_without_a_wait_needs_nothing(void **state)
{
	struct script s = one_message();

	(void)state;
	s.op[1][0].tag = 4;
	s.count[0] = 1;
	assert_int_equal(find_for(&s), RB_OK);
	assert_int_equal(scene.cone.end[1].iter, -1);
	cone_free(&scene.cone);
}

/* Also if the line is not straight and no duplicate is involved. */
static void what_was_sent_before_the_line_must_be_in_a_log(void **state)
{
	struct script s = one_message();

	(void)state;
	for (int64_t line = 0; line <= 2; line++)
		for (int64_t logged = 0; logged <= 2; logged++) {
			all_at(&scene, &s.pattern, 2);
			restart(&scene, 0);
			scene.line[1] = line;
			scene.gap[scene.gaps++] = (struct gap){ 1, 0, logged, 2, 0 };
			assert_int_equal(find(&scene, -1),
					 line <= logged || logged == 2 ? RB_OK : RB_EINVAL);
			cone_free(&scene.cone);
		}
}

/* The send of role 1 has the last place that there may be. */
static void there_are_only_so_many_places(void **state)
{
	struct script s = one_message();

	(void)state;
	s.extra = PLACE_MAX - 1;
	assert_int_equal(find_for(&s), RB_OK);
	assert_int_equal(scene.cone.end[1].number, PLACE_MAX);
	cone_free(&scene.cone);
	s.extra = PLACE_MAX;
	expect_refused(&s, RB_EINVAL);
}

static void what_the_pattern_returns_is_passed_on(void **state)
{
	struct script s = one_message();

	(void)state;
	s.rc = RB_ENOMEM;
	expect_refused(&s, RB_ENOMEM);
}

static int reduces_while_it_expects(const struct kernel_args *args, int role, int np, int64_t iter,
				    struct msg *m)
{
	double v[2];

	(void)args, (void)role, (void)np, (void)iter;
	msg_post(m, 1, 7, v, sizeof v);
	RB_TRY(msg_sum_all(m, 20, v, 2));
	return msg_wait(m);
}

static int ignore(void *ctx, const struct pattern_operation *o)
{
	(void)ctx, (void)o;
	return RB_OK;
}

/* A duplicate knows the result, so there is no wait in a reduction that could complete the
 * receive. */
static void no_receive_waits_for_a_reduction(void **state)
{
	struct kernel_ops kernel = { .pattern = reduces_while_it_expects };
	struct kernel_args none = { { NULL } };
	struct kernel_pattern p = kernel_pattern(&kernel, &none, 4);

	(void)state;
	assert_int_equal(p.pattern.operations(&p.pattern, 0, 0, ignore, NULL), RB_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_receive_waits_for_a_reduction),
		cmocka_unit_test(a_message_that_nobody_sends_is_refused),
		cmocka_unit_test(a_receive_without_a_wait_needs_nothing),
		cmocka_unit_test(what_was_sent_before_the_line_must_be_in_a_log),
		cmocka_unit_test(there_are_only_so_many_places),
		cmocka_unit_test(what_the_pattern_returns_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
