/* The cone of data-flow rollback: closed forms of the paper on stencils, borders, several failures, partial logs, lines that
 * are not straight, and a search by brute force over small random programs. */
#include "base/mix.h"
#include "ft/recovery/cone.h"
#include "kernels/stencil_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NP_MOST = 4096, GAPS_MOST = 26 * NP_MOST };

/* All roles are at `front`, the line is 0, nobody has a log. */
struct scene {
	const struct pattern *pattern;
	int64_t line[NP_MOST], front[NP_MOST];
	bool restarted[NP_MOST];
	struct gap gap[GAPS_MOST];
	size_t gaps;
	struct cone cone;
};

static struct scene scene;

struct sender {
	struct scene *s;
	int role;
};

static int add_gap(void *ctx, int dst, int tag, size_t bytes)
{
	struct sender *from = ctx;
	struct scene *s = from->s;

	(void)tag, (void)bytes;
	if (!s->restarted[from->role] && s->front[from->role] > 0)
		s->gap[s->gaps++] = (struct gap){ from->role, dst, 0, s->front[from->role], 0 };
	return RB_OK;
}

static void all_at(struct scene *s, const struct pattern *pattern, int64_t front)
{
	s->pattern = pattern;
	s->gaps = 0;
	for (int r = 0; r < pattern->np; r++) {
		s->line[r] = 0;
		s->front[r] = front;
		s->restarted[r] = false;
	}
}

static void restart(struct scene *s, int role)
{
	s->restarted[role] = true;
	s->front[role] = s->line[role];
}

/* Of a pattern that is the same in every iteration. */
static void without_logs(struct scene *s)
{
	s->gaps = 0;
	for (int r = 0; r < s->pattern->np; r++) {
		struct sender from = { s, r };

		assert_int_equal(pattern_sends(s->pattern, r, 0, add_gap, &from), RB_OK);
	}
}

static int find(struct scene *s, int me)
{
	struct cone_case x = { s->pattern, s->line, s->front, s->restarted, s->gap, s->gaps, me };

	return cone_find(&s->cone, &x);
}

/* Iterations on duplicates and of the restarted roles. */
static int64_t work(const struct scene *s, int64_t front)
{
	int64_t sum = 0;

	for (int r = 0; r < s->pattern->np; r++)
		sum += s->restarted[r] ? front - s->line[r] : cone_supported(&s->cone, s->line, r);
	return sum;
}

static int supporting(const struct scene *s)
{
	int count = 0;

	for (int r = 0; r < s->pattern->np; r++)
		count += cone_supported(&s->cone, s->line, r) > 0;
	return count;
}

static int sending(const struct scene *s)
{
	int count = 0;

	for (int r = 0; r < s->pattern->np; r++)
		count += s->cone.end[r].iter >= 0 && cone_supported(&s->cone, s->line, r) == 0;
	return count;
}

static void in_one_dimension(void **state)
{
	const int length[] = { 21 };
	const size_t bytes[] = { 8 };
	struct stencil_pattern p;
	struct rb_error err;

	(void)state;
	assert_int_equal(stencil_pattern_init(&p, 1, length, false, bytes, &err), RB_OK);
	for (int64_t lost = 1; lost <= 8; lost++) {
		all_at(&scene, &p.pattern, lost);
		restart(&scene, 10);
		without_logs(&scene);
		assert_int_equal(find(&scene, -1), RB_OK);
		assert_int_equal(work(&scene, lost), lost * lost);
		assert_int_equal(supporting(&scene), 2 * (lost - 1));
		assert_int_equal(sending(&scene), 2);
		for (int r = 0; r < 21; r++)
			assert_int_equal(scene.cone.distance[r], abs(r - 10) <= lost ? abs(r - 10) : -1);
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
		all_at(&scene, &p.pattern, lost);
		restart(&scene, 32 * 64 + 32);
		without_logs(&scene);
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
		all_at(&scene, &p.pattern, lost);
		restart(&scene, 6 * 169 + 6 * 13 + 6);
		without_logs(&scene);
		assert_int_equal(find(&scene, -1), RB_OK);
		assert_int_equal(work(&scene, lost), expected);
		cone_free(&scene.cone);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_one_dimension),
		cmocka_unit_test(in_two_dimensions),
		cmocka_unit_test(in_three_dimensions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
