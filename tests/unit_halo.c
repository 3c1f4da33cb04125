/* LULESH's sums over shared nodes: all roles that have a node get the same bits, and these are the
 * bits of the parts added in the order that kernels/lulesh/halo.h states, for both exchanges. The
 * roles are threads of this process. */
#include "kernels/lulesh/domain.h"
#include "kernels/lulesh/lulesh.h"
#include "tests/local_port.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TAG = 5, STEPS = 40 };

static const char *const word[] = {
	[EXCHANGE_FACES] = "faces", [EXCHANGE_ALL] = "all", [EXCHANGE_REFERENCE] = "reference"
};

/* The same for all roles of a case. */
struct cube {
	enum exchange exchange;
	int edge, side;
	struct local_world world;
};

struct role {
	const struct cube *cube;
	struct local_port port;
	int at[3], rc;
	double *own[FIELDS], *sum[FIELDS]; /* nodal fields: this role's part, and the sum */
	struct kernel_state *state;        /* of the tests with the whole kernel */
};

static int64_t nodes_of(const struct cube *c)
{
	return (int64_t)(c->edge + 1) * (c->edge + 1) * (c->edge + 1);
}

/* Parts of very different sizes, so that the order of additions shows in the bits; some are
 * zero. */
static double draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	if (*seed >> 60 == 0)
		return *seed >> 59 & 1 ? -0.0 : 0.0;
	return ldexp((double)(int64_t)*seed, (int)(*seed >> 33 & 7) - 60);
}

static struct role *begin(struct cube *c)
{
	const int np = c->side * c->side * c->side;
	struct role *role = calloc((size_t)np, sizeof *role);
	uint64_t seed = (uint64_t)(c->edge * 100 + c->side);

	local_world_init(&c->world, np);
	for (int r = 0; r < np; r++) {
		role[r].cube = c;
		role[r].at[0] = r % c->side;
		role[r].at[1] = r / c->side % c->side;
		role[r].at[2] = r / c->side / c->side;
		local_port_init(&role[r].port, &c->world, r);
		for (int f = 0; f < FIELDS; f++) {
			role[r].own[f] = malloc((size_t)nodes_of(c) * sizeof(double));
			role[r].sum[f] = malloc((size_t)nodes_of(c) * sizeof(double));
			for (int64_t v = 0; v < nodes_of(c); v++)
				role[r].own[f][v] = role[r].sum[f][v] = draw(&seed);
		}
	}
	return role;
}

static void end(struct cube *c, struct role *role)
{
	for (int r = 0; r < c->world.np; r++) {
		for (int f = 0; f < FIELDS; f++) {
			free(role[r].own[f]);
			free(role[r].sum[f]);
		}
		kernel_lulesh.destroy(role[r].state);
		local_port_free(&role[r].port);
	}
	assert_int_equal(local_world_free(&c->world), 0);
	free(role);
}

static void all_well(const struct cube *c, const struct role *role)
{
	for (int r = 0; r < c->world.np; r++)
		if (role[r].rc != RB_OK)
			fail_msg("role %d of %d: %d %s", r, c->world.np, role[r].rc,
				 role[r].port.trouble);
}

/* Where the role has the node at this place of the whole cube; -1: it has it not. */
static int64_t node_in(const struct cube *c, const struct role *r, const int place[3])
{
	int64_t node = 0;

	for (int a = 2; a >= 0; a--) {
		const int mine = place[a] - r->at[a] * c->edge;

		if (mine < 0 || mine > c->edge)
			return -1;
		node = node * (c->edge + 1) + mine;
	}
	return node;
}

/* Added one after the other, by role number. */
static double in_order(const struct cube *c, const struct role *role, const int place[3], int f)
{
	bool first = true;
	double sum = 0;

	for (int r = 0; r < c->world.np; r++) {
		const int64_t node = node_in(c, &role[r], place);

		if (node < 0)
			continue;
		sum = first ? role[r].own[f][node] : sum + role[r].own[f][node];
		first = false;
	}
	return sum;
}

/* Axis by axis: pairs along x, sums of these along y, and of those along z; `axis` is the last one.
 * A block of roles that have the node is known by its role at the low end, `at`. */
static double by_axes(const struct cube *c, const struct role *role, const int place[3], int f,
		      int axis, const int at[3])
{
	int beside[3] = { at[0], at[1], at[2] };
	double low;

	if (axis < 0) {
		const struct role *r = &role[(at[2] * c->side + at[1]) * c->side + at[0]];

		return r->own[f][node_in(c, r, place)];
	}
	low = by_axes(c, role, place, f, axis - 1, at);
	beside[axis]++;
	if (beside[axis] >= c->side || place[axis] != beside[axis] * c->edge)
		return low;
	return low + by_axes(c, role, place, f, axis - 1, beside);
}

static double expected(const struct cube *c, const struct role *role, const int place[3], int f)
{
	int low[3];

	if (c->exchange != EXCHANGE_FACES)
		return in_order(c, role, place, f);
	for (int a = 0; a < 3; a++) {
		low[a] = place[a] / c->edge;
		if (place[a] % c->edge == 0 && place[a] > 0)
			low[a]--; /* the node is the last one of the block before */
	}
	return by_axes(c, role, place, f, 2, low);
}

static void same(const struct role *role, const char *what, const int place[3], double is,
		 double should)
{
	if (memcmp(&is, &should, sizeof is) != 0)
		fail_msg("%s, edge %d, %d roles a side, role %d, node (%d, %d, %d): %s is %a "
			 "and not %a",
			 word[role->cube->exchange], role->cube->edge, role->cube->side,
			 role->port.msg.role, place[0], place[1], place[2], what, is, should);
}

/* Visit all nodes of the whole cube. */
static void each_node(const struct cube *c, struct role *role,
		      void (*visit)(const struct cube *c, struct role *role, const int place[3]))
{
	const int length = c->edge * c->side + 1;

	for (int v = 0; v < length * length * length; v++)
		visit(c, role, (int[]){ v % length, v / length % length, v / length / length });
}

static void compare_sums(const struct cube *c, struct role *role, const int place[3])
{
	for (int f = 0; f < FIELDS; f++) {
		const double should = expected(c, role, place, f);

		for (int r = 0; r < c->world.np; r++) {
			const int64_t node = node_in(c, &role[r], place);

			if (node >= 0)
				same(&role[r], "the sum", place, role[r].sum[f][node], should);
		}
	}
}

static void *sum_once(void *element)
{
	struct role *r = element;
	struct halo halo;

	r->rc = halo_init(&halo, r->cube->exchange, r->cube->edge, r->cube->side, r->at);
	if (r->rc == RB_OK)
		r->rc = halo_sum(&halo, &r->port.msg, TAG, r->sum);
	halo_free(&halo);
	return NULL;
}

static void sums_have_the_bits_of_the_stated_order(void **state)
{
	static const int edges[] = { 1, 2, 3, 6 };

	(void)state;
	for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
		for (int side = 1; side <= 4; side++)
			for (enum exchange x = EXCHANGE_FACES; x < EXCHANGES; x++) {
				struct cube c = { .exchange = x, .edge = edges[e], .side = side };
				struct role *role = begin(&c);

				local_run(c.world.np, sum_once, role, sizeof *role);
				all_well(&c, role);
				each_node(&c, role, compare_sums);
				end(&c, role);
			}
}

static int differ; /* nodes that have other bits if they are summed axis by axis */

static void compare_orders(const struct cube *c, struct role *role, const int place[3])
{
	for (int f = 0; f < FIELDS; f++)
		differ += expected(c, role, place, f) != in_order(c, role, place, f);
}

/* The test above could not tell orders apart if the numbers drawn had the same sum in any order. */
static void the_order_is_in_the_bits(void **state)
{
	struct cube c = { .exchange = EXCHANGE_FACES, .edge = 3, .side = 2 };
	struct role *role = begin(&c);

	(void)state;
	differ = 0;
	each_node(&c, role, compare_orders);
	assert_true(differ >= 10); /* of 3 fields in 19 nodes that more than two roles have */
	end(&c, role);
}

/* --- the whole kernel --- */

static struct kernel_args arguments(const struct cube *c, char edge[8])
{
	snprintf(edge, 8, "%d", c->edge);
	return (struct kernel_args){ { edge, "0", "double", word[c->exchange] } };
}

static void *step_on(void *element)
{
	struct role *r = element;
	struct rb_error err;
	char edge[8];
	const struct kernel_args args = arguments(r->cube, edge);

	r->rc = kernel_lulesh.create(&r->state, &args, r->port.msg.role, r->cube->world.np, NULL,
				     &err);
	for (int64_t i = 0; r->rc == RB_OK && i < STEPS; i++) {
		r->port.iter = i;
		r->rc = kernel_lulesh.step(r->state, &r->port.msg, i);
		if (r->rc == RB_OK)
			kernel_lulesh.commit(r->state, i);
	}
	return NULL;
}

/* All that is known of a node. */
static double *nodal(struct kernel_state *s, int which)
{
	return which < 3 ? s->force[which] : which < 6 ? s->pos[which - 3] : s->vel[which - 6];
}

static void compare_copies(const struct cube *c, struct role *role, const int place[3])
{
	const struct role *first = NULL;
	int64_t there = -1;

	for (int r = 0; r < c->world.np; r++) {
		const int64_t node = node_in(c, &role[r], place);

		if (node < 0)
			continue;
		if (!first) {
			first = &role[r];
			there = node;
		}
		for (int which = 0; which < 9; which++)
			same(&role[r],
			     which < 3   ? "the force"
			     : which < 6 ? "the position"
					 : "the velocity",
			     place, nodal(role[r].state, which)[node],
			     nodal(first->state, which)[there]);
		same(&role[r], "the mass", place, role[r].state->node_mass[node],
		     first->state->node_mass[there]);
	}
}

/* What step() has done and the pattern has not yet said. */
struct done {
	const struct local_operation *next, *end;
	int64_t iter;
};

static int compare_operation(void *ctx, const struct pattern_operation *o)
{
	struct done *d = ctx;
	const struct pattern_operation *is = &d->next->is;

	assert_true(d->next < d->end && d->next->iter == d->iter);
	assert_true(o->kind == is->kind && o->peer == is->peer && o->tag == is->tag &&
		    o->bytes == is->bytes && o->reduction == is->reduction);
	d->next++;
	return RB_OK;
}

/* The pattern is what step() does, operation by operation, in every iteration. */
static void compare_pattern(const struct cube *c, const struct role *role)
{
	char edge[8];
	const struct kernel_args args = arguments(c, edge);
	struct kernel_pattern p = kernel_pattern(&kernel_lulesh, &args, c->world.np);

	for (int r = 0; r < c->world.np; r++) {
		const struct local_port *port = &role[r].port;
		struct done d = { .next = port->done, .end = port->done + port->operations };

		for (d.iter = 0; d.iter < STEPS; d.iter++)
			assert_int_equal(
				p.pattern.operations(&p.pattern, r, d.iter, compare_operation, &d),
				RB_OK);
		assert_true(d.next == d.end);
	}
}

static void copies_of_a_node_stay_the_same(void **state)
{
	(void)state;
	for (int side = 2; side <= 3; side++)
		for (enum exchange x = EXCHANGE_FACES; x < EXCHANGES; x++) {
			struct cube c = { .exchange = x, .edge = 6 / side, .side = side };
			struct role *role = begin(&c);
			local_run(c.world.np, step_on, role, sizeof *role);
			all_well(&c, role);
			each_node(&c, role, compare_copies);
			compare_pattern(&c, role);
			/* the blast has come so far */
			assert_true(role[0].state->force[0][nodes_of(&c) - 1] != 0);
			end(&c, role);
		}
}

/* Who gets how much: a plane, a line or a point of three fields, and gradients across faces. */
static int count_sends(void *ctx, int dst, int tag, size_t bytes)
{
	size_t *sent = ctx;

	(void)tag;
	sent[dst] += bytes;
	return RB_OK;
}

static void check_shares(enum exchange exchange, size_t components)
{
	const struct cube c = { .exchange = exchange, .edge = 4, .side = 3 };
	size_t sent[27] = { 0 };
	char edge[8];
	const struct kernel_args args = arguments(&c, edge);
	struct kernel_pattern p = kernel_pattern(&kernel_lulesh, &args, 27);

	assert_int_equal(pattern_sends(&p.pattern, 13, 0, count_sends, sent), RB_OK);
	for (int r = 0; r < 27; r++) {
		const int away = (r % 3 != 1) + (r / 3 % 3 != 1) + (r / 9 != 1);
		const size_t forces[] = { 0, 3 * 8 * 25, 3 * 8 * 5, 3 * 8 },
			     gradients = away == 1 ? components * 8 * 16 : 0;
		const size_t clock =
			r == 12 || r == 14 || r == 10 || r == 16 || r == 4 || r == 22 ? 16 : 0;

		assert_true(sent[r] == forces[away] + gradients ||
			    sent[r] == forces[away] + gradients + clock);
	}
}

static void all_neighbours_get_what_they_share(void **state)
{
	(void)state;
	check_shares(EXCHANGE_ALL, 1);
	check_shares(EXCHANGE_REFERENCE, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_have_the_bits_of_the_stated_order),
		cmocka_unit_test(the_order_is_in_the_bits),
		cmocka_unit_test(copies_of_a_node_stay_the_same),
		cmocka_unit_test(all_neighbours_get_what_they_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
