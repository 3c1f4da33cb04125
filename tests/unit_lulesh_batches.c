/* LULESH's batches of elements against loops over single ones: which elements they hold, what they
 * gather, and in which order they add to a node. */
#include "kernels/lulesh/batch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Shorter than a batch, as long, longer, and with all remainders. */
enum { LONGEST_EDGE = 2 * LANES + 3, GUARD = 4 };

struct mesh {
	struct kernel_state s;
	int64_t offset[CORNERS];
	double *field, *expected;
};

static double drawn(void)
{
	return ldexp((double)rand() / RAND_MAX - 0.5, rand() % 40);
}

/* Zeros, the padding included; behind it -0.0, which becomes 0.0 as soon as 0.0 is added. */
static double *field_of(const struct mesh *m)
{
	const int64_t end = m->s.nodes + BATCH_PADDING;
	double *out = calloc((size_t)(end + GUARD), sizeof *out);

	assert_non_null(out);
	for (int n = 0; n < GUARD; n++)
		out[end + n] = -0.0;
	return out;
}

static struct mesh mesh_of(int64_t edge)
{
	const int64_t n = edge + 1;
	struct mesh m = {
		.s = { .edge = (int)edge, .elements = edge * edge * edge, .nodes = n * n * n }
	};

	m.field = field_of(&m);
	m.expected = field_of(&m);
	corner_offsets(&m.s, m.offset);
	return m;
}

static void drop(struct mesh *m)
{
	free(m->field);
	free(m->expected);
}

static int64_t first_corner(const struct mesh *m, int64_t element)
{
	const int64_t n = m->s.edge;
	const int64_t i = element % n, j = element / n % n, k = element / (n * n);

	return (k * (n + 1) + j) * (n + 1) + i;
}

static int64_t node_of(const struct batch *b, int lane)
{
	return b->node + lane + (lane < b->before ? 0 : b->skip);
}

static void batches_hold_each_element_once(void **state)
{
	(void)state;
	for (int edge = 1; edge <= LONGEST_EDGE; edge++) {
		struct mesh m = mesh_of(edge);
		int64_t next = 0;

		for (struct batch b = batch_at(&m.s, 0); b.count > 0;
		     b = batch_at(&m.s, b.element + b.count)) {
			assert_int_equal(b.element, next);
			assert_true(b.count <= LANES && b.before <= b.count);
			for (int l = 0; l < b.count; l++)
				assert_int_equal(node_of(&b, l), first_corner(&m, next + l));
			next += b.count;
		}
		assert_int_equal(next, m.s.elements);
		drop(&m);
	}
}

static void all_lanes_but_the_last_ones_are_used(void **state)
{
	(void)state;
	for (int edge = LANES; edge <= LONGEST_EDGE; edge++) {
		struct mesh m = mesh_of(edge);
		int64_t batches = 0;

		for (struct batch b = batch_at(&m.s, 0); b.count > 0;
		     b = batch_at(&m.s, b.element + b.count))
			batches++;
		assert_int_equal(batches, (m.s.elements + LANES - 1) / LANES);
		drop(&m);
	}
}

static void corners_are_gathered(void **state)
{
	(void)state;
	for (int edge = 1; edge <= LONGEST_EDGE; edge++) {
		struct mesh m = mesh_of(edge);
		lanes corner[CORNERS];

		for (int64_t n = 0; n < m.s.nodes; n++)
			m.field[n] = (double)n;
		for (struct batch b = batch_at(&m.s, 0); b.count > 0;
		     b = batch_at(&m.s, b.element + b.count)) {
			gather(m.field, &b, m.offset, corner);
			for (int l = 0; l < b.count; l++)
				for (int c = 0; c < CORNERS; c++)
					assert_true(corner[c][l] ==
						    (double)(first_corner(&m, b.element + l) +
							     m.offset[c]));
		}
		drop(&m);
	}
}

/* Parts of very unlike sizes, so that another order of additions has other bits. Lanes that are not
 * in use hold NaN. */
static void nodes_add_their_elements_in_order(void **state)
{
	(void)state;
	for (int edge = 1; edge <= LONGEST_EDGE; edge++) {
		struct mesh m = mesh_of(edge);

		for (struct batch b = batch_at(&m.s, 0); b.count > 0;
		     b = batch_at(&m.s, b.element + b.count)) {
			lanes part[CORNERS];

			for (int c = 0; c < CORNERS; c++)
				for (int l = 0; l < LANES; l++)
					part[c][l] = l < b.count ? drawn() : NAN;
			scatter_add(m.field, &b, m.offset, part);
			for (int l = 0; l < b.count; l++)
				for (int c = 0; c < CORNERS; c++)
					m.expected[first_corner(&m, b.element + l) + m.offset[c]] +=
						part[c][l];
		}
		assert_memory_equal(m.field, m.expected,
				    (size_t)(m.s.nodes + BATCH_PADDING + GUARD) * sizeof(double));
		drop(&m);
	}
}

static void only_lanes_in_use_can_be_in_trouble(void **state)
{
	struct mesh m = mesh_of(1);
	struct batch b = batch_at(&m.s, 0);
	lanes value = lanes_broadcast(-1);

	(void)state;
	assert_int_equal(b.count, 1);
	value[0] = 1;
	assert_int_equal(batch_check(&m.s, &b, "volume", ~(value > 0), value), RB_OK);
	drop(&m);
}

static void the_first_element_in_trouble_is_named(void **state)
{
	struct mesh m = mesh_of(LONGEST_EDGE);
	struct batch b = batch_at(&m.s, LANES);
	lanes value = lanes_broadcast(1);

	(void)state;
	for (int l = LANES - 1; l >= 0; l--) {
		value[l] = l % 2 ? NAN : -l - 1.0;
		assert_int_equal(batch_check(&m.s, &b, "volume", ~(value > 0), value), RB_ENUMERIC);
		assert_int_equal(m.s.trouble.element, LANES + l);
		assert_true(l % 2 ? isnan(m.s.trouble.value) : m.s.trouble.value == -l - 1.0);
	}
	drop(&m);
}

static void inverse_cube_roots_are_right_within_two_digits(void **state)
{
	(void)state;
	for (int n = 0; n < 200000; n++) {
		double a = ldexp(1 + (double)rand() / RAND_MAX, rand() % 2000 - 1000);
		long double exact = 1 / cbrtl((long double)a);
		double y = lanes_inverse_cbrt(lanes_broadcast(a))[LANES - 1];
		double ulp = nextafter(y, INFINITY) - y;

		if (!(fabsl((long double)y - exact) <= 2 * (long double)ulp))
			fail_msg("1 / cbrt(%a): %a instead of %La", a, y, exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_hold_each_element_once),
		cmocka_unit_test(all_lanes_but_the_last_ones_are_used),
		cmocka_unit_test(corners_are_gathered),
		cmocka_unit_test(nodes_add_their_elements_in_order),
		cmocka_unit_test(only_lanes_in_use_can_be_in_trouble),
		cmocka_unit_test(the_first_element_in_trouble_is_named),
		cmocka_unit_test(inverse_cube_roots_are_right_within_two_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
