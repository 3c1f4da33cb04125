/* Sweeps over a block against loops over its points: new values, and the sum of the squares of
 * their changes to the last bit, so in the same order of additions; with cached and
 * streaming stores; blocks of all shapes, at all distances from the beginning of a cache line. */
#include "kernels/jacobi/sweep.h"

#include "kernels/vector.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 44, GUARD = VECTOR_LINE, LINE_BYTES = VECTOR_LINE * sizeof(double) };

/* Halo lines included; what a block does not use stays as it was. */
struct grid {
	int64_t h, w;
	double u[MOST * MOST], expected[MOST * MOST];
	double north[MOST], south[MOST], west[MOST], east[MOST];
	_Alignas(LINE_BYTES) double v[MOST * MOST + VECTOR_LINE + 2 * GUARD];
};

/* Points of a column are integers times its power of two, neighbouring columns differ by a factor
 * of at most 4: squares of changes are exact, with and without fused operations, but their sums
 * are not. */
static double drawn(int exponent)
{
	return ldexp(rand() % 255 - 127, exponent);
}

static void draw(struct grid *g, int64_t h, int64_t w)
{
	int exponent[MOST];

	g->h = h;
	g->w = w;
	exponent[0] = 0;
	for (int64_t j = 1; j < w; j++)
		exponent[j] = exponent[j - 1] + rand() % 5 - 2;
	for (int64_t k = 0; k < h * w; k++)
		g->u[k] = drawn(exponent[k % w]);
	for (int64_t j = 0; j < w; j++) {
		g->north[j] = drawn(exponent[j]);
		g->south[j] = drawn(exponent[j]);
	}
	for (int64_t i = 0; i < h; i++) {
		g->west[i] = drawn(exponent[0]);
		g->east[i] = drawn(exponent[w - 1]);
	}
}

static double at(const struct grid *g, int64_t i, int64_t j)
{
	if (i < 0)
		return g->north[j];
	if (i == g->h)
		return g->south[j];
	if (j < 0)
		return g->west[i];
	return j == g->w ? g->east[i] : g->u[i * g->w + j];
}

/* Returns the square of the change. */
static double expect_point(struct grid *g, int64_t i, int64_t j)
{
	double new = 0.25 * (at(g, i - 1, j) + at(g, i + 1, j) + at(g, i, j - 1) + at(g, i, j + 1));
	double d = new - at(g, i, j);

	g->expected[i * g->w + j] = new;
	return d * d;
}

/* Eight sums, the last points of a row, if they are not eight, in the first one. */
static double expect_row(struct grid *g, int64_t i)
{
	const int64_t inner = g->w - 2;
	double sum[8] = { 0 }, total = 0;

	for (int64_t j = 0; j < inner; j++)
		sum[j < inner / 8 * 8 ? j % 8 : 0] += expect_point(g, i, j + 1);
	for (int k = 0; k < 8; k++)
		total += sum[k];
	return total;
}

static double expect_inner(struct grid *g)
{
	double sum = 0;

	for (int64_t i = 1; i < g->h - 1; i++)
		sum += expect_row(g, i);
	return sum;
}

static double expect_edge(struct grid *g)
{
	double sum = expect_row(g, 0);

	if (g->h > 1)
		sum += expect_row(g, g->h - 1);
	for (int64_t i = 0; i < g->h; i++) {
		sum += expect_point(g, i, 0);
		if (g->w > 1)
			sum += expect_point(g, i, g->w - 1);
	}
	return sum;
}

static struct block block_of(struct grid *g, int64_t offset, bool streaming)
{
	for (size_t k = 0; k < sizeof g->v / sizeof *g->v; k++)
		g->v[k] = -1e300;
	return (struct block){ g->h,     g->w,     g->u,    g->v + GUARD + offset,
			       g->north, g->south, g->west, g->east,
			       streaming };
}

static void check(struct grid *g, int64_t offset, bool streaming)
{
	const struct block b = block_of(g, offset, streaming);
	const int64_t points = g->h * g->w, end = (int64_t)(sizeof g->v / sizeof *g->v);
	const double sums[2] = { expect_inner(g), expect_edge(g) };
	const double found[2] = { sweep_inner(&b), sweep_edge(&b) };

	if (memcmp(sums, found, sizeof sums) != 0)
		fail_msg("%d x %d at %d%s: sums %a, %a instead of %a, %a", (int)g->h, (int)g->w,
			 (int)offset, streaming ? ", streaming" : "", found[0], found[1], sums[0],
			 sums[1]);
	assert_memory_equal(b.v, g->expected, (size_t)points * sizeof *b.v);
	for (int64_t k = 0; k < end; k++)
		if (k < GUARD + offset || k >= GUARD + offset + points)
			assert_true(g->v[k] == -1e300);
}

static void blocks_of_all_shapes_are_right(void **state)
{
	struct grid *g = aligned_alloc(LINE_BYTES, sizeof *g);

	(void)state;
	assert_non_null(g);
	for (int64_t w = 1; w <= MOST; w++)
		for (int64_t h = 1; h <= MOST; h += h < 5 ? 1 : 13) {
			draw(g, h, w);
			for (int64_t offset = 0; offset < VECTOR_LINE; offset++) {
				check(g, offset, false);
				check(g, offset, true);
			}
		}
	free(g);
}

/* Any numbers, as in a run. */
static void streaming_stores_change_no_bit(void **state)
{
	struct grid *g = aligned_alloc(LINE_BYTES, sizeof *g);

	(void)state;
	assert_non_null(g);
	for (int64_t w = 1; w <= MOST; w++) {
		draw(g, 7, w);
		for (int64_t k = 0; k < g->h * g->w; k++)
			g->u[k] = (double)rand() / RAND_MAX;
		for (int64_t offset = 0; offset < VECTOR_LINE; offset++) {
			const struct block cached = block_of(g, 0, false);
			const double first = sweep_inner(&cached), second = sweep_edge(&cached);
			struct block b;

			memcpy(g->expected, cached.v, (size_t)(g->h * g->w) * sizeof *cached.v);
			b = block_of(g, offset, true);
			assert_true(sweep_inner(&b) == first);
			assert_true(sweep_edge(&b) == second);
			assert_memory_equal(b.v, g->expected, (size_t)(g->h * g->w) * sizeof *b.v);
		}
	}
	free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_all_shapes_are_right),
		cmocka_unit_test(streaming_stores_change_no_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
