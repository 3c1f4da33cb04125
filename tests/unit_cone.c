/* The cone of data-flow rollback: closed forms of the paper on stencils, borders, several failures,
 * partial logs, lines that are not straight, survivors that lag behind, and cases that are refused.
 * unit_cone_random.c has a search by brute force, unit_cone_kernels.c the patterns of the
 * kernels. */
#include "forecast/pattern/stencil_pattern.h"
#include "tests/cone_scene.h"

#include <string.h>

static struct scene scene;

static void in_one_dimension(void **state)
{
	struct stencil_pattern p;

	(void)state;
	for (int64_t lost = 1; lost <= 8; lost++) {
		lose(&scene, chain(&p, 21), 10, lost);
		assert_int_equal(find(&scene, -1), RB_OK);
		assert_int_equal(work(&scene, lost), lost * lost);
		assert_int_equal(supporting(&scene), 2 * (lost - 1));
		assert_int_equal(sending(&scene), 2);
		for (int r = 0; r < 21; r++)
			assert_int_equal(scene.cone.distance[r],
					 abs(r - 10) <= lost ? abs(r - 10) : -1);
		cone_free(&scene.cone);
	}
}

static void in_two_dimensions(void **state)
{
	const int length[] = { 64, 64 };
	const size_t bytes[] = { 8, 0 };
	struct stencil_pattern p;
	struct rb_error err;

	(void)state;
	assert_int_equal(stencil_pattern_init(&p, 2, length, false, bytes, &err), RB_OK);
	for (int64_t lost = 1; lost <= 8; lost++) {
		lose(&scene, &p.pattern, 32 * 64 + 32, lost);
		assert_int_equal(find(&scene, -1), RB_OK);
		assert_int_equal(work(&scene, lost), lost + 2 * (lost * lost * lost - lost) / 3);
		assert_int_equal(supporting(&scene), 2 * lost * (lost - 1));
		assert_int_equal(supporting(&scene) + sending(&scene), 2 * lost * (lost + 1));
		cone_free(&scene.cone);
	}
}

/* 26 neighbours: at distance d by the largest coordinate there are (2d+1)^3 - (2d-1)^3 roles. */
static void in_three_dimensions(void **state)
{
	const int length[] = { 13, 13, 13 };
	const size_t bytes[] = { 8, 8, 8 };
	struct stencil_pattern p;
	struct rb_error err;

	(void)state;
	assert_int_equal(stencil_pattern_init(&p, 3, length, false, bytes, &err), RB_OK);
	for (int64_t lost = 1; lost <= 6; lost++) {
		int64_t expected = lost;

		for (int64_t d = 1; d < lost; d++)
			expected += (lost - d) * ((2 * d + 1) * (2 * d + 1) * (2 * d + 1) -
						  (2 * d - 1) * (2 * d - 1) * (2 * d - 1));
		lose(&scene, &p.pattern, 6 * 169 + 6 * 13 + 6, lost);
		assert_int_equal(find(&scene, -1), RB_OK);
		assert_int_equal(work(&scene, lost), expected);
		cone_free(&scene.cone);
	}
}

static const struct pattern *square(struct stencil_pattern *p, int side)
{
	struct rb_error err;

	assert_int_equal(
		stencil_pattern_init(p, 2, (int[]){ side, side }, false, (size_t[]){ 8, 0 }, &err),
		RB_OK);
	return &p->pattern;
}

static void borders_clip_it(void **state)
{
	/* roles of a chain of 21 or a square of 64 x 64, lost iterations, work, roles that only
	 * send */
	static const struct {
		bool in_square;
		int role;
		int64_t lost;
		int64_t work;
		int sending;
	} cases[] = {
		{ false, 0, 1, 1, 1 },
		{ false, 0, 4, 4 + 3 + 2 + 1, 1 },
		{ false, 1, 4, 4 + 3 + (3 + 2 + 1), 1 },
		{ false, 20, 25,
		  25 + 24 + 23 + 22 + 21 + 20 + 19 + 18 + 17 + 16 + 15 + 14 + 13 + 12 + 11 + 10 +
			  9 + 8 + 7 + 6 + 5,
		  0 },
		{ true, 0, 1, 1, 2 },
		{ true, 0, 4, 4 + 2 * 3 + 3 * 2 + 4 * 1, 5 },
		{ true, 32, 4, 4 + 3 * 3 + 5 * 2 + 7 * 1, 9 },    /* in the middle of a side */
		{ true, 65, 3, 3 + 4 * 2 + (8 - 2) * 1, 12 - 6 }, /* one away from two sides */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stencil_pattern p;

		lose(&scene, cases[i].in_square ? square(&p, 64) : chain(&p, 21), cases[i].role,
		     cases[i].lost);
		assert_int_equal(find(&scene, -1), RB_OK);
		assert_int_equal(work(&scene, cases[i].lost), cases[i].work);
		assert_int_equal(sending(&scene), cases[i].sending);
		cone_free(&scene.cone);
	}
}

/* That is local rollback: whoever has logged everything needs no duplicate. */
static void nothing_is_demanded_of_a_full_log(void **state)
{
	struct stencil_pattern p;

	(void)state;
	for (int me = -1; me < 36; me++) {
		all_at(&scene, square(&p, 6), 5);
		restart(&scene, 14);
		assert_int_equal(find(&scene, me), RB_OK);
		for (int r = 0; r < 36; r++) {
			assert_int_equal(scene.cone.end[r].iter, -1);
			assert_int_equal(scene.cone.distance[r], r == 14 ? 0 : -1);
		}
		assert_int_equal(scene.cone.needs, 0);
		assert_int_equal(work(&scene, 5), 5);
		cone_free(&scene.cone);
	}
}

/* Logs have all but the oldest iterations: the cone is that of the others. */
static void a_partial_log_shortens_it(void **state)
{
	struct stencil_pattern p;

	(void)state;
	for (int64_t lost = 0; lost <= 6; lost++) {
		lose(&scene, chain(&p, 21), 10, 6);
		log_has(&scene, -1, lost, 6);
		assert_int_equal(find(&scene, -1), RB_OK);
		assert_int_equal(work(&scene, 6), 6 + lost * lost - lost);
		cone_free(&scene.cone);
	}
}

static int everybody_to_everybody(const struct pattern *p, int role, int64_t iter,
				  pattern_watch *watch, void *ctx)
{
	(void)iter;
	for (int r = 0; r < p->np; r++)
		if (r != role)
			RB_TRY(watch(ctx, &(struct pattern_operation){ PATTERN_RECEIVE, r, 0, 8,
								       false }));
	for (int r = 0; r < p->np; r++)
		if (r != role)
			RB_TRY(watch(ctx,
				     &(struct pattern_operation){ PATTERN_SEND, r, 0, 8, false }));
	return watch(ctx, &(struct pattern_operation){ PATTERN_WAIT, -1, -1, 0, false });
}

static void everybody_to_everybody_is_everybody(void **state)
{
	const struct pattern p = { 9, everybody_to_everybody };

	(void)state;
	for (int64_t lost = 1; lost <= 5; lost++) {
		lose(&scene, &p, 3, lost);
		assert_int_equal(find(&scene, 3), RB_OK);
		for (int r = 0; r < 9; r++) {
			assert_int_equal(scene.cone.distance[r], r != 3);
			assert_int_equal(cone_supported(&scene.cone, scene.line, r),
					 r == 3 ? 0 : lost - 1);
		}
		/* of the last iteration it has no duplicate to serve */
		assert_int_equal(scene.cone.needs, 8 * (lost - 1));
		cone_free(&scene.cone);
	}
}

/* Where the duplicates end if these roles die. b == a: only one. */
static void ends_after(const struct pattern *p, int64_t lost, int a, int b, struct place *end)
{
	all_at(&scene, p, lost);
	restart(&scene, a);
	restart(&scene, b);
	without_logs(&scene);
	assert_int_equal(find(&scene, -1), RB_OK);
	memcpy(end, scene.cone.end, (size_t)p->np * sizeof *end);
	cone_free(&scene.cone);
}

/* With a straight line, of all others: what the one or the other needs, and no more. */
static void two_failures_are_the_union(void **state)
{
	enum { ROLES = 36 };
	struct stencil_pattern p;
	struct place one[ROLES][ROLES], both[ROLES];

	(void)state;
	square(&p, 6);
	for (int64_t lost = 1; lost <= 4; lost++) {
		for (int a = 0; a < ROLES; a++)
			ends_after(&p.pattern, lost, a, a, one[a]);
		for (int a = 0; a < ROLES; a++)
			for (int b = 0; b < a; b++) {
				ends_after(&p.pattern, lost, a, b, both);
				for (int r = 0; r < ROLES; r++) {
					struct place later = place_before(one[a][r], one[b][r])
								     ? one[b][r]
								     : one[a][r];

					if (r == a || r == b)
						later = (struct place){ -1, 0 };
					assert_int_equal(place_compare(&both[r], &later), 0);
				}
			}
	}
}

/* Role 9 has a newer checkpoint. What it sent before it must be in its log; it supports from there
 * on. */
static void a_line_need_not_be_straight(void **state)
{
	struct stencil_pattern p;

	(void)state;
	for (int logged = 0; logged < 2; logged++) {
		lose(&scene, chain(&p, 21), 10, 5);
		scene.line[9] = 3;
		if (logged)
			log_has(&scene, 9, 0, 3);
		assert_int_equal(find(&scene, -1), logged ? RB_OK : RB_EINVAL);
		if (!logged)
			continue;
		/* it needs iteration 3 of role 8 to compute iteration 3, which is role 8's second
		 * newest */
		assert_int_equal(cone_supported(&scene.cone, scene.line, 9), 1);
		for (int r = 0; r < 9; r++)
			assert_int_equal(cone_supported(&scene.cone, scene.line, r),
					 r < 5 ? 0 : r - 5);
		for (int r = 11; r < 21; r++)
			assert_int_equal(cone_supported(&scene.cone, scene.line, r),
					 r > 14 ? 0 : 15 - r);
		cone_free(&scene.cone);
	}
}

/* What the dead role sent before its entry in the line is nowhere. All others have logged
 * everything. */
static void a_dead_role_sends_nothing_from_before_its_line(void **state)
{
	struct stencil_pattern p;

	(void)state;
	for (int64_t newer = 0; newer <= 2; newer++)
		for (int second = 9; second <= 12; second++) {
			all_at(&scene, chain(&p, 21), 5);
			scene.line[10] = newer;
			restart(&scene, 10);
			restart(&scene, second);
			assert_int_equal(find(&scene, -1),
					 newer > 0 && (second == 9 || second == 11) ? RB_EINVAL
										    : RB_OK);
			cone_free(&scene.cone);
		}
}

/* Of the newest iteration of its neighbours a survivor that lags behind gets what they have kept.
 * Of an older one, or if they have kept nothing, they have to compute it again. */
static void survivors_apart(void **state)
{
	struct stencil_pattern p;

	(void)state;
	for (int64_t behind = 0; behind <= 3; behind++) {
		all_at(&scene, chain(&p, 21), 6);
		scene.front[10] = 6 - behind;
		without_logs(&scene);
		assert_int_equal(find(&scene, 9), RB_OK);
		/* of iterations 6 - behind to 4, so that duplicates start at 0 and end in iteration
		 * 4 */
		assert_int_equal(scene.cone.end[9].iter, behind < 2 ? -1 : 4);
		assert_int_equal(scene.cone.distance[9], behind < 2 ? -1 : 1);
		assert_int_equal(scene.cone.distance[8], behind < 2 ? -1 : 2);
		assert_int_equal(scene.cone.end[8].iter, behind < 2 ? -1 : 3);
		/* the lagging role helps the duplicates of its neighbours before its front, and
		 * with its own operations from there on */
		assert_int_equal(scene.cone.end[10].iter, behind < 2 ? -1 : behind == 2 ? 3 : 2);
		/* before their last iteration, from role 9: what the duplicates of 8 and 10
		 * receive */
		assert_int_equal(scene.cone.needs, behind < 2 ? 0 : behind == 2 ? 3 + 3 : 3 + 2);
		cone_free(&scene.cone);
	}
	all_at(&scene, chain(&p, 21), 6);
	scene.front[10] = 5;
	without_logs(&scene);
	for (size_t i = 0; i < scene.gaps; i++)
		scene.gap[i].kept = 0;
	assert_int_equal(find(&scene, -1), RB_OK);
	assert_int_equal(scene.cone.end[9].iter, 5);
	assert_int_equal(scene.cone.end[10].iter, 4);
	cone_free(&scene.cone);
}

/* The duplicate of role 9, which was one iteration ahead of role 8, receives the message of role
 * 8's newest iteration. Role 8 has kept it, but a duplicate of role 8 computes it. */
static void duplicates_get_nothing_that_was_kept(void **state)
{
	struct stencil_pattern p;

	(void)state;
	all_at(&scene, chain(&p, 21), 4);
	scene.front[9] = scene.front[11] = 6;
	scene.front[8] = scene.front[12] = 5;
	restart(&scene, 10);
	without_logs(&scene);
	assert_int_equal(find(&scene, -1), RB_OK);
	assert_int_equal(scene.cone.newest, 6);
	assert_int_equal(cone_supported(&scene.cone, scene.line, 9), 5);
	/* iteration 4 is its newest */
	assert_int_equal(cone_supported(&scene.cone, scene.line, 8), 4);
	assert_int_equal(cone_supported(&scene.cone, scene.line, 7), 3);
	cone_free(&scene.cone);
}

/* Role 3 sends to 1; then 1 sends to 0, waits, and sends to 2; then 2 sends to 0, which dies. */
static int in_four_steps(const struct pattern *p, int role, int64_t iter, pattern_watch *watch,
			 void *ctx)
{
	const struct pattern_operation wait = { PATTERN_WAIT, -1, -1, 0, false }, op[][5] = {
		{ { PATTERN_RECEIVE, 1, 0, 8, false }, { PATTERN_RECEIVE, 2, 0, 8, false }, wait },
		{ { PATTERN_RECEIVE, 3, 0, 8, false },
		  wait,
		  { PATTERN_SEND, 0, 0, 8, false },
		  wait,
		  { PATTERN_SEND, 2, 0, 8, false } },
		{ { PATTERN_RECEIVE, 1, 0, 8, false }, wait, { PATTERN_SEND, 0, 0, 8, false } },
		{ { PATTERN_SEND, 1, 0, 8, false } },
	};
	static const int count[] = { 3, 5, 3, 1 };

	(void)p, (void)iter;
	for (int k = 0; k < count[role]; k++)
		RB_TRY(watch(ctx, &op[role][k]));
	return RB_OK;
}

/* Role 1 is first asked for its message to 0, and later for the one to 2. What it received before
 * it receives once. */
static void a_duplicate_that_has_to_go_on_receives_nothing_twice(void **state)
{
	const struct pattern p = { 4, in_four_steps };

	(void)state;
	for (int me = 0; me < 4; me++) {
		lose(&scene, &p, 0, 1);
		assert_int_equal(find(&scene, me), RB_OK);
		assert_int_equal(scene.cone.end[1].number, 4);
		assert_int_equal(scene.cone.end[2].number, 2);
		assert_int_equal(scene.cone.end[3].number, 1);
		assert_int_equal(scene.cone.needs, me == 1 || me == 3);
		cone_free(&scene.cone);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_one_dimension),
		cmocka_unit_test(in_two_dimensions),
		cmocka_unit_test(in_three_dimensions),
		cmocka_unit_test(borders_clip_it),
		cmocka_unit_test(nothing_is_demanded_of_a_full_log),
		cmocka_unit_test(a_partial_log_shortens_it),
		cmocka_unit_test(everybody_to_everybody_is_everybody),
		cmocka_unit_test(two_failures_are_the_union),
		cmocka_unit_test(a_line_need_not_be_straight),
		cmocka_unit_test(a_dead_role_sends_nothing_from_before_its_line),
		cmocka_unit_test(survivors_apart),
		cmocka_unit_test(duplicates_get_nothing_that_was_kept),
		cmocka_unit_test(a_duplicate_that_has_to_go_on_receives_nothing_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
