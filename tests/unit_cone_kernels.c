/* The cone of data-flow rollback with the patterns of the kernels, whose global reductions are
 * recorded: Jacobi by closed forms and geometry, LULESH and CG by geometry and brute force. */
#include "tests/cone_oracle.h"
#include "tests/cone_scene.h"

#include <string.h>

enum { LULESH_EXCHANGE = 3 }; /* place of the option */

static struct scene scene;

static const struct pattern *pattern_of(struct kernel_pattern *p, const char *kernel,
					const struct kernel_args *args, int np)
{
	struct kernel_plan plan;
	struct rb_error err;

	*p = kernel_pattern(kernel_find(kernel), args, np);
	assert_int_equal(p->kernel->plan(args, np, &plan, &err), RB_OK);
	return &p->pattern;
}

static int64_t at_least_0(int64_t x)
{
	return x > 0 ? x : 0;
}

/* In a grid of rows x columns a role at distance d commits L - d iterations, and those at d == L
 * only send. */
static void check_grid(const struct pattern *pattern, int columns, int dead, int64_t lost,
		       int64_t expected)
{
	int64_t sum = lost;
	int last = 0;

	lose(&scene, pattern, dead, lost);
	assert_int_equal(find(&scene, -1), RB_OK);
	for (int r = 0; r < pattern->np; r++) {
		int d = abs(r / columns - dead / columns) + abs(r % columns - dead % columns);
		int64_t supported = d ? at_least_0(lost - d) : 0;

		assert_int_equal(cone_supported(&scene.cone, scene.line, r), supported);
		assert_int_equal(scene.cone.distance[r], d <= lost ? d : -1);
		assert_int_equal(scene.cone.end[r].iter, d && d <= lost ? supported : -1);
		sum += supported;
		last += d == lost;
	}
	assert_int_equal(work(&scene, lost), sum);
	assert_int_equal(sending(&scene), last);
	if (expected)
		assert_int_equal(sum, expected);
	cone_free(&scene.cone);
}

static void jacobi_in_a_row(void **state)
{
	const struct kernel_args args = { { "64", "100", "1x16" } };
	struct kernel_pattern p;

	(void)state;
	pattern_of(&p, "jacobi", &args, 16);
	for (int64_t lost = 1; lost <= 8; lost++)
		for (int dead = 0; dead < 16; dead++) {
			bool inside = dead - (lost - 1) >= 0 && dead + (lost - 1) < 16;

			check_grid(&p.pattern, 16, dead, lost, inside ? lost * lost : 0);
		}
}

/* Up to 4 lost iterations the cone of the role in the middle meets no border. */
static void jacobi_in_a_square(void **state)
{
	const struct kernel_args args = { { "70", "100", "7x7" } };
	struct kernel_pattern p;

	(void)state;
	pattern_of(&p, "jacobi", &args, 49);
	for (int64_t lost = 1; lost <= 8; lost++)
		for (int dead = 0; dead < 49; dead++)
			check_grid(&p.pattern, 7, dead, lost,
				   dead == 24 && lost <= 4
					   ? lost + 2 * (lost * lost * lost - lost) / 3
					   : 0);
	/* the corners of the square cut off: at distance 4 there are 12 roles instead of 16, at 5
	 * 8, at 6 4 */
	check_grid(&p.pattern, 7, 24, 5, 5 + 4 * 4 + 8 * 3 + 12 * 2 + 12 * 1);
	check_grid(&p.pattern, 7, 24, 8, 8 + 4 * 7 + 8 * 6 + 12 * 5 + 12 * 4 + 8 * 3 + 4 * 2);
}

static void against_brute_force(const struct pattern *pattern, int dead, int64_t lost)
{
	struct cone_case x;

	lose(&scene, pattern, dead, lost);
	x = case_of(&scene, -1);
	assert_int_equal(oracle_check(&x), RB_OK);
}

/* An iteration of LULESH has four rounds that depend on each other: forces along x, y and z, so
 * that a role gets data of all 26 roles around it, and then gradients of its 6 neighbours, which
 * need all rounds of forces. With `--exchange all`, forces are one round with these 26 roles, and
 * the same data are needed. So in one iteration data come from the cube of 27 roles around each of
 * these 7: along an axis two roles far, and 80 other roles take part. In k iterations they come
 * from where the sum of |x|-k, |y|-k, |z|-k, of those that are positive, is at most k. */
static int64_t lulesh_iterations(const int offset[3])
{
	for (int64_t k = 0;; k++) {
		int64_t beyond = 0;

		for (int a = 0; a < 3; a++)
			beyond += at_least_0(abs(offset[a]) - k);
		if (beyond <= k)
			return k;
	}
}

/* How many messages the data of a role so far away go through: each goes to one role along one
 * axis, or along all of them. */
static int lulesh_messages(const int offset[3], bool all)
{
	int most = 0, sum = 0;

	for (int a = 0; a < 3; a++) {
		most = abs(offset[a]) > most ? abs(offset[a]) : most;
		sum += abs(offset[a]);
	}
	return all ? most : sum;
}

static void check_lulesh(const struct pattern *pattern, int side, int dead, int64_t lost,
			 int64_t expected)
{
	const bool all =
		strcmp(kernel_pattern_of(pattern)->args->value[LULESH_EXCHANGE], "all") == 0;
	int64_t sum = lost;

	lose(&scene, pattern, dead, lost);
	assert_int_equal(find(&scene, -1), RB_OK);
	for (int r = 0; r < pattern->np; r++) {
		const int offset[] = { r % side - dead % side, r / side % side - dead / side % side,
				       r / side / side - dead / side / side };
		int64_t k = lulesh_iterations(offset), supported = k ? at_least_0(lost - k) : 0;

		assert_int_equal(cone_supported(&scene.cone, scene.line, r), supported);
		assert_int_equal(scene.cone.end[r].iter, k && k <= lost ? supported : -1);
		assert_int_equal(scene.cone.distance[r],
				 k <= lost ? lulesh_messages(offset, all) : -1);
		sum += supported;
	}
	assert_int_equal(work(&scene, lost), sum);
	if (expected)
		assert_int_equal(sum, expected);
	cone_free(&scene.cone);
}

static void lulesh_by_geometry_with(const char *exchange)
{
	const struct kernel_args args = { { "2", "0", "double", exchange } };
	struct kernel_pattern p;

	pattern_of(&p, "lulesh", &args, 13 * 13 * 13);
	check_lulesh(&p.pattern, 13, 6 * (169 + 13 + 1), 1, 1);
	check_lulesh(&p.pattern, 13, 6 * (169 + 13 + 1), 2, 2 + 80);
	check_lulesh(&p.pattern, 13, 6 * (169 + 13 + 1), 3, 3 + 2 * 80 + 404);
	check_lulesh(&p.pattern, 13, 0, 4, 0);
	pattern_of(&p, "lulesh", &args, 64);
	for (int64_t lost = 1; lost <= 4; lost++)
		for (int dead = 0; dead < 64; dead++)
			check_lulesh(&p.pattern, 4, dead, lost, 0);
}

static void lulesh_by_geometry(void **state)
{
	(void)state;
	lulesh_by_geometry_with("faces");
	lulesh_by_geometry_with("all");
}

/* From the middle of 3 x 3 x 3 roles everybody takes part at once, and from an inner role of 4 x 4
 * x 4 in the second iteration. From a corner of 4 x 4 x 4 roles only the third one reaches the
 * corner opposite. */
static void lulesh_by_brute_force_with(const char *exchange)
{
	static const struct {
		int np, dead;
		int duplicates[3];
		int64_t supported[3];
	} cases[] = {
		{ 27, 13, { 26, 26, 26 }, { 0, 26, 52 } },
		{ 27, 0, { 19, 26, 26 }, { 0, 19, 45 } },
		{ 64, 21, { 53, 63, 63 }, { 0, 53, 116 } },
		{ 64, 0, { 19, 62, 63 }, { 0, 19, 81 } },
	};
	const struct kernel_args args = { { "2", "0", "double", exchange } };
	struct kernel_pattern p;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int64_t lost = 1; lost <= 3; lost++) {
			pattern_of(&p, "lulesh", &args, cases[i].np);
			lose(&scene, &p.pattern, cases[i].dead, lost);
			assert_int_equal(find(&scene, -1), RB_OK);
			assert_int_equal(supporting(&scene) + sending(&scene),
					 cases[i].duplicates[lost - 1]);
			assert_int_equal(work(&scene, lost), lost + cases[i].supported[lost - 1]);
			cone_free(&scene.cone);
			against_brute_force(&p.pattern, cases[i].dead, lost);
		}
}

static void lulesh_by_brute_force(void **state)
{
	(void)state;
	lulesh_by_brute_force_with("faces");
	lulesh_by_brute_force_with("all");
}

/* Who commits no iteration on its duplicate does not only send what its checkpoint has: in a
 * stencil it ends behind its sends and before its wait, but in LULESH it may have to compute forces
 * for the gradient that it sends. */
static void to_commit_nothing_may_still_be_work(void **state)
{
	const struct kernel_args args = { { "2", "0", "double" } };
	struct kernel_pattern p;

	(void)state;
	lose(&scene, pattern_of(&p, "lulesh", &args, 64), 21, 1);
	assert_int_equal(find(&scene, -1), RB_OK);
	/* an inner role along x: places 0, 1 are sends and 2 the wait, along y 3 to 5, along z 6 to
	 * 8; the gradient goes back along x with place 9 */
	assert_int_equal(place_compare(&scene.cone.end[22], &(struct place){ 0, 10 }), 0);
	assert_int_equal(cone_supported(&scene.cone, scene.line, 22), 0);
	cone_free(&scene.cone);
}

/* An iteration of CG has a product, which is summed over a process row and transposed, and two dot
 * products over the row. With 8 roles (2 x 4) they reach everybody in one iteration: all compute a
 * part of the newest one, and all others completely. That is global rollback. */
static void cg_is_global(void **state)
{
	const struct kernel_args args = { { "S", "0" } };
	struct kernel_pattern p;

	(void)state;
	pattern_of(&p, "cg", &args, 8);
	for (int64_t lost = 1; lost <= 4; lost++)
		for (int dead = 0; dead < 8; dead++) {
			lose(&scene, &p.pattern, dead, lost);
			assert_int_equal(find(&scene, -1), RB_OK);
			for (int r = 0; r < 8; r++) {
				assert_int_equal(scene.cone.end[r].iter, r == dead ? -1 : lost - 1);
				assert_int_equal(cone_supported(&scene.cone, scene.line, r),
						 r == dead ? 0 : lost - 1);
			}
			assert_int_equal(work(&scene, lost), lost + 7 * (lost - 1));
			cone_free(&scene.cone);
			against_brute_force(&p.pattern, dead, lost);
		}
}

/* Two deaths, survivors one iteration apart, logs of some. */
static void mixed_cases_by_brute_force(void **state)
{
	const struct kernel_args cube = { { "2", "0", "double" } },
				 row = { { "64", "100", "3x5" } }, cg = { { "S", "0" } };
	struct kernel_pattern p[3];

	(void)state;
	pattern_of(&p[0], "lulesh", &cube, 27);
	pattern_of(&p[1], "jacobi", &row, 15);
	pattern_of(&p[2], "cg", &cg, 8);
	for (int i = 0; i < 3; i++)
		for (int apart = 0; apart < 2; apart++) {
			const int np = p[i].pattern.np;
			struct cone_case x;

			all_at(&scene, &p[i].pattern, 3);
			for (int r = 0; r < np; r += 3)
				scene.front[r] += apart;
			restart(&scene, 1);
			restart(&scene, np - 2);
			without_logs(&scene);
			for (int r = 2; r < np; r += 4)
				log_has(&scene, r, 0, 1);
			x = case_of(&scene, -1);
			assert_int_equal(oracle_check(&x), RB_OK);
		}
}

/* A pattern says nothing of the numbers in a message: the grid of points makes no difference. */
static void the_size_of_the_problem_does_not_matter(void **state)
{
	const struct kernel_args small = { { "8", "1", "2x4" } },
				 large = { { "100000", "1", "2x4" } };
	static struct place end[8];
	struct kernel_pattern p;

	(void)state;
	lose(&scene, pattern_of(&p, "jacobi", &small, 8), 2, 3);
	assert_int_equal(find(&scene, -1), RB_OK);
	memcpy(end, scene.cone.end, sizeof end);
	cone_free(&scene.cone);
	lose(&scene, pattern_of(&p, "jacobi", &large, 8), 2, 3);
	assert_int_equal(find(&scene, -1), RB_OK);
	for (int r = 0; r < 8; r++)
		assert_int_equal(place_compare(&end[r], &scene.cone.end[r]), 0);
	cone_free(&scene.cone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jacobi_in_a_row),
		cmocka_unit_test(jacobi_in_a_square),
		cmocka_unit_test(lulesh_by_geometry),
		cmocka_unit_test(lulesh_by_brute_force),
		cmocka_unit_test(to_commit_nothing_may_still_be_work),
		cmocka_unit_test(cg_is_global),
		cmocka_unit_test(mixed_cases_by_brute_force),
		cmocka_unit_test(the_size_of_the_problem_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
