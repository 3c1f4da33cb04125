/* The kernel amr: its mesh follows the ring, its blocks lose nothing, its fields are the same for
 * any number of roles, its error has first order, and its check finds what is wrong. */
#include "kernels/amr/amr.h"
#include "kernels/amr/block.h"

#include "base/mix.h"
#include "tests/played_kernel.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 8 };

static int64_t sum_of(const int64_t *v, int n)
{
	int64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

static void draw(int64_t *v, int n, uint64_t *state)
{
	for (int i = 0; i < n; i++)
		v[i] = (int64_t)(mix_draw(state) % (1u << 27));
}

static void blocks_lose_nothing(void **state)
{
	int64_t mass[WIDTH * WIDTH], fine[4 * WIDTH * WIDTH], again[WIDTH * WIDTH], east[WIDTH],
		north[WIDTH], west[WIDTH], south[WIDTH], two[2 * WIDTH];
	uint64_t random = 5;

	(void)state;
	for (int k = 0; k < 1000; k++) {
		int64_t in;

		draw(mass, WIDTH * WIDTH, &random);
		draw(west, WIDTH, &random);
		draw(south, WIDTH, &random);
		in = sum_of(mass, WIDTH * WIDTH) + sum_of(west, WIDTH) + sum_of(south, WIDTH);
		block_east(mass, WIDTH, k % 3, east);
		block_north(mass, WIDTH, k % 3, north);
		block_step(mass, WIDTH, k % 3, west, south, again);
		assert_int_equal(sum_of(again, WIDTH * WIDTH) + sum_of(east, WIDTH) +
					 sum_of(north, WIDTH),
				 in);
		assert_memory_equal(south, north, sizeof north); /* the last row's */
		block_refine(mass, WIDTH, fine);
		block_coarsen(fine, 2 * WIDTH, again);
		assert_memory_equal(again, mass, sizeof mass);
		side_refine(west, WIDTH, two);
		side_coarsen(two, 2 * WIDTH, again);
		assert_memory_equal(again, west, sizeof west);
	}
}

/* A density of 1 stays 1, also where a side has another resolution. */
static void a_constant_stays(void **state)
{
	int64_t coarse[4] = { 4 * AMR_UNIT, 4 * AMR_UNIT, 4 * AMR_UNIT, 4 * AMR_UNIT }, next[16],
		fine[16], in[4], south[4], side[4];

	(void)state;
	for (int i = 0; i < 16; i++)
		fine[i] = AMR_UNIT;
	block_east(coarse, 2, 1, side);
	side_refine(side, 2, in);
	block_north(coarse, 2, 1, side);
	side_refine(side, 2, south);
	block_step(fine, 4, 0, in, south, next);
	assert_memory_equal(next, fine, sizeof fine);
	block_east(fine, 4, 0, side);
	side_coarsen(side, 4, in);
	block_north(fine, 4, 0, side);
	side_coarsen(side, 4, south);
	block_step(coarse, 2, 1, in, south, next);
	assert_memory_equal(next, coarse, sizeof coarse);
}

/* Where the exact field is not 1 in some step of the epoch, there is the highest level. */
static void check_ring(const struct grid *g, const struct layout *l, int64_t *exact)
{
	for (int64_t i = 0; i <= g->regrid; i++)
		for (int b = 0; b < grid_blocks(g); b++) {
			const int width = grid_width(g, g->levels);
			bool ring = false;

			layout_exact(g, b, g->levels, l->epoch * g->regrid + i, exact);
			for (int k = 0; k < width * width; k++)
				ring = ring || exact[k] != AMR_UNIT;
			assert_true(!ring || l->level[b] == g->levels);
		}
}

static void check_neighbours(const struct grid *g, const struct layout *l)
{
	for (int b = 0; b < grid_blocks(g); b++) {
		for (int d = 0; d < SIDES; d++) {
			const int other = grid_neighbour(g, b, d);

			assert_in_range(other, 0, grid_blocks(g) - 1);
			assert_in_range(l->level[other] - l->level[b] + 1, 0, 2);
		}
		assert_true(b == 0 || l->owner[b] >= l->owner[b - 1]);
	}
}

static void the_mesh_follows_the_ring(void **state)
{
	const struct grid g = { 16, 2, 3, 7 };
	const int np = 5;
	int64_t exact[16 * 16];
	size_t before = 0;
	int changes = 0, seen[4] = { 0 };
	struct layout l;

	(void)state;
	assert_int_equal(layout_init(&l, &g, np), RB_OK);
	for (int64_t epoch = 0; epoch < 150; epoch++) { /* more than once around the square */
		layout_make(&l, &g, np, epoch);
		check_neighbours(&g, &l);
		if (epoch % 10 == 0)
			check_ring(&g, &l, exact);
		changes += l.size[0] != before;
		before = l.size[0];
		for (int b = 0; b < grid_blocks(&g); b++)
			seen[l.level[b]]++;
	}
	assert_in_range(changes, 75, 150);
	assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
	layout_free(&l);
}

/* The same mass at other places. */
static void turn_round(struct cells *c)
{
	for (size_t i = 0; i < c->count / 2; i++) {
		const int64_t t = c->mass[i];

		c->mass[i] = c->mass[c->count - 1 - i];
		c->mass[c->count - 1 - i] = t;
	}
}

static void damage(struct kernel_state *s, int wrong)
{
	if (wrong == 1 && s->role == 1)
		s->now.mass[3]++;
	s->clock.total += wrong == 2;
	if (wrong == 3)
		turn_round(&s->now);
}

static struct role *begin(struct local_world *w, int np, const struct kernel_args *args,
			  int64_t steps, int wrong)
{
	return play_begin(w, np, &(struct play){ &kernel_amr, args, steps, false, damage, wrong });
}

/* Block by block. */
static void compare(const struct role *one, const struct role *many, int64_t epoch)
{
	const struct layout *a = amr_layout(one[0].s, epoch);
	const struct grid *g = &one[0].s->grid;

	for (int b = 0; b < grid_blocks(g); b++) {
		const struct layout *l = amr_layout(many[0].s, epoch);
		struct kernel_state *s = many[l->owner[b]].s;
		const size_t width = (size_t)grid_width(g, l->level[b]);

		assert_int_equal(a->level[b], l->level[b]);
		assert_memory_equal(one[0].s->now.mass + a->at[b], s->now.mass + l->at[b],
				    width * width * sizeof(int64_t));
	}
}

static void fields_do_not_depend_on_the_number_of_roles(void **state)
{
	static const struct kernel_args args = { { "8", "4", "2", "40", "6" } };
	struct local_world a, b;
	struct role *one, *many;

	(void)state;
	one = begin(&a, 1, &args, 40, 0);
	for (int np = 2; np <= 64; np += np < 8 ? 1 : 28) {
		many = begin(&b, np, &args, 40, 0);
		compare(one, many, 39 / 6);
		play_end(&b, many);
	}
	play_end(&a, one);
}

/* Half the width of a cell, twice as many steps: half the error. */
static void the_error_has_first_order(void **state)
{
	static const struct kernel_args args[] = {
		{ { "8", "16", "2", "1", "16" } },
		{ { "8", "32", "2", "1", "16" } },
		{ { "8", "64", "2", "1", "16" } },
	};
	double error[3];

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct local_world w;
		struct role *role = begin(&w, 1, &args[k], 16 << k, 0);

		assert_true(role[0].verdict.ok);
		assert_int_equal(sscanf(role[0].verdict.note, "distance from the exact field %lf",
					&error[k]),
				 1);
		play_end(&w, role);
	}
	for (int k = 1; k < 3; k++) {
		printf("note: amr: error %.3e, with half the width of cells %.3e\n", error[k - 1],
		       error[k]);
		assert_true(error[k - 1] / error[k] > 1.7 && error[k - 1] / error[k] < 2.2);
	}
}

static void what_is_wrong_is_found(void **state)
{
	static const struct kernel_args args = { { "16", "4", "2", "16", "4" } };
	struct local_world w;

	(void)state;
	for (int wrong = 0; wrong <= 3; wrong++) {
		struct role *role = begin(&w, 3, &args, 16, wrong);

		for (int r = 0; r < 3; r++)
			assert_int_equal(role[r].verdict.ok, wrong == 0);
		play_end(&w, role);
	}
}

/* A total that changes ends the run, and sizes that no state has are refused. */
static void lost_mass_and_odd_sizes_are_refused(void **state)
{
	static const struct kernel_args args = { { "8", "4", "1", "16", "4" } };
	const size_t odd[] = { 12, sizeof(struct amr_clock) }, less[] = { 16, 8 }, few[] = { 16 },
		     good[] = { 800000, sizeof(struct amr_clock) };
	struct kernel_region region[KERNEL_MAX_REGIONS];
	struct rb_error err = { "" };
	struct local_world w;
	struct role *role = begin(&w, 1, &args, 5, 0);

	(void)state;
	role[0].s->clock.total++;
	assert_int_equal(kernel_amr.step(role[0].s, &role[0].port.msg, 5), RB_ENUMERIC);
	kernel_amr.breakdown(role[0].s, &err);
	assert_non_null(strstr(err.text, "mass"));
	assert_int_equal(kernel_amr.fit(role[0].s, odd, 2), RB_EINVAL);
	assert_int_equal(kernel_amr.fit(role[0].s, less, 2), RB_EINVAL);
	assert_int_equal(kernel_amr.fit(role[0].s, few, 1), RB_EINVAL);
	assert_int_equal(kernel_amr.fit(role[0].s, good, 2), RB_OK);
	kernel_amr.regions(role[0].s, region);
	assert_int_equal(region[0].bytes, 800000);
	play_end(&w, role);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_lose_nothing),
		cmocka_unit_test(a_constant_stays),
		cmocka_unit_test(the_mesh_follows_the_ring),
		cmocka_unit_test(fields_do_not_depend_on_the_number_of_roles),
		cmocka_unit_test(the_error_has_first_order),
		cmocka_unit_test(what_is_wrong_is_found),
		cmocka_unit_test(lost_mass_and_odd_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
