/* Reductions in each shape, with 1 to 17 roles and other numbers: the right bits on all roles,
 * every time; as many messages, and from those roles, as contract/msg.h says; and the pattern of
 * the kernel allreduce is what is sent. The order of additions is known here a second time, on one
 * array. */
#include "base/mix.h"
#include "base/status.h"
#include "forecast/pattern/allreduce.h"
#include "tests/local_port.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { EACH = 17, TIMES = 2, KINDS = MSG_GRID + 1, RANDOM = 12, NUMBERS = 16 };

static const char *const names[] = { "doubling", "binomial", "ring", "central", "grid" };

struct sums {
	const struct msg_shape *shape;
	const int *order;     /* of a group that is not in the order of roles */
	double (*x)[NUMBERS]; /* of all roles */
	size_t n;
};

struct role {
	struct local_port port;
	const struct sums *of;
	double sum[TIMES][NUMBERS], most[NUMBERS], in_order[NUMBERS];
	int rc;
};

static int reduce_all(struct role *r, struct msg *m)
{
	const struct sums *s = r->of;
	const size_t bytes = s->n * sizeof(double);
	double scratch[NUMBERS];
	int me = 0;

	for (int t = 0; t < TIMES; t++) {
		memcpy(r->sum[t], s->x[m->role], bytes);
		r->port.iter = t;
		RB_TRY(msg_sum_shape(m, s->shape, 0, r->sum[t], s->n));
	}
	r->port.iter = TIMES;
	memcpy(r->most, s->x[m->role], bytes);
	RB_TRY(msg_max_shape(m, s->shape, 0, r->most, s->n));
	if (s->shape->kind == MSG_GRID)
		return RB_OK;
	while (s->order[me] != m->role)
		me++;
	memcpy(r->in_order, s->x[m->role], bytes);
	return msg_sum(m, s->shape, &(struct msg_group){ s->order, m->np, me }, 7, r->in_order,
		       s->n, scratch);
}

static void *body(void *element)
{
	struct role *r = element;

	r->rc = reduce_all(r, &r->port.msg);
	return NULL;
}

/* The sum over one line of a grid: its halves from the ends inwards. */
static double sum_line(const double *x, int length, int stride)
{
	const int lower = (length - 1) / 2, upper = length / 2;
	double a = x[0], b = x[(length - 1) * stride];

	if (length < 3)
		return length == 1 ? a : a + b;
	for (int k = 1; k < lower; k++)
		a = x[k * stride] + a;
	for (int k = length - 2; k > upper; k--)
		b = x[k * stride] + b;
	return lower == upper ? (x[lower * stride] + a) + b
			      : (x[lower * stride] + a) + (x[upper * stride] + b);
}

static double sum_grid(double *x, int np, const struct msg_shape *shape)
{
	double lines[LOCAL_ROLES];
	int stride = 1;

	for (int a = shape->axes - 1; a >= 0; a--) {
		const int length = shape->length[a];

		for (int r = 0; r < np; r++)
			lines[r] = sum_line(x + r - r / stride % length * stride, length, stride);
		memcpy(x, lines, (size_t)np * sizeof *x);
		stride *= length;
	}
	return x[0];
}

static double sum_doubling(double *x, int np)
{
	double next[LOCAL_ROLES];
	int power = 1;

	while (2 * power <= np)
		power *= 2;
	for (int i = power; i < np; i++)
		x[i - power] += x[i];
	for (int bit = 1; bit < power; bit *= 2) {
		for (int i = 0; i < power; i++)
			next[i] = x[i] + x[i ^ bit];
		memcpy(x, next, (size_t)power * sizeof *x);
	}
	return x[0];
}

/* The sum in the order of the shape. order NULL: that of roles. */
static double expected(const struct sums *s, const int *order, int np, size_t number)
{
	double x[LOCAL_ROLES], sum;

	for (int i = 0; i < np; i++)
		x[i] = s->x[order ? order[i] : i][number];
	if (s->shape->kind == MSG_GRID)
		return sum_grid(x, np, s->shape);
	if (s->shape->kind == MSG_DOUBLING)
		return sum_doubling(x, np);
	for (int bit = 1; s->shape->kind == MSG_BINOMIAL && bit < np; bit *= 2)
		for (int i = 0; i + bit < np; i += 2 * bit)
			x[i] += x[i + bit];
	sum = x[0];
	for (int i = 1; s->shape->kind != MSG_BINOMIAL && i < np; i++)
		sum += x[i];
	return sum;
}

static void check_numbers(const struct role *r, const struct sums *s, int np)
{
	for (size_t k = 0; k < s->n; k++) {
		const double sum = expected(s, NULL, np, k),
			     in_order = expected(s, s->order, np, k);
		double most = s->x[0][k];

		for (int i = 1; i < np; i++)
			most = s->x[i][k] > most ? s->x[i][k] : most;
		for (int t = 0; t < TIMES; t++)
			if (memcmp(&r->sum[t][k], &sum, sizeof sum) != 0)
				fail_msg("%s, np %d, role %d, time %d: %.17g, not %.17g",
					 names[s->shape->kind], np, r->port.msg.role, t,
					 r->sum[t][k], sum);
		if (memcmp(&r->most[k], &most, sizeof most) != 0)
			fail_msg("%s, np %d, role %d: the maximum is %.17g, not %.17g",
				 names[s->shape->kind], np, r->port.msg.role, r->most[k], most);
		if (s->shape->kind != MSG_GRID &&
		    memcmp(&r->in_order[k], &in_order, sizeof in_order) != 0)
			fail_msg("%s, np %d, role %d, in another order: %.17g, not %.17g",
				 names[s->shape->kind], np, r->port.msg.role, r->in_order[k],
				 in_order);
	}
}

static int floor_log2(int np)
{
	int k = 0;

	while (np >> (k + 1))
		k++;
	return k;
}

static int messages(const struct msg_shape *shape, int np)
{
	const int rounds = floor_log2(np), power = 1 << rounds;
	int sum = 0;

	if (shape->kind == MSG_DOUBLING)
		return power * rounds + 2 * (np - power);
	if (shape->kind != MSG_GRID)
		return 2 * (np - 1);
	for (int a = 0; a < shape->axes;
	     a++) /* there and back, in each line of the axis; two in the middle: once */
		sum += np / shape->length[a] * 2 * (shape->length[a] - 1);
	return sum;
}

/* Does `role` receive from `src`, as contract/msg.h says? */
static bool receives_from(const struct msg_shape *shape, int np, int role, int src)
{
	const int power = 1 << floor_log2(np), apart = role ^ src, low = role & -role;
	int stride = 1;
	bool near = false;

	switch (shape->kind) {
	case MSG_DOUBLING:
		return role >= power || src >= power ? role - src == power || src - role == power
						     : apart && !(apart & (apart - 1));
	case MSG_BINOMIAL:
		return (role > 0 && src == role - low) || (src > 0 && role == src - (src & -src));
	case MSG_RING:
		return src == (role + np - 1) % np;
	case MSG_CENTRAL:
		return role == 0 || src == 0;
	case MSG_GRID:
		break;
	}
	for (int a = shape->axes - 1; a >= 0; a--) {
		const int at = role / stride % shape->length[a];

		near = near || (src == role - stride && at > 0) ||
		       (src == role + stride && at < shape->length[a] - 1);
		stride *= shape->length[a];
	}
	return near;
}

/* The messages of the first sum: how many are sent, and from whom a role receives. */
static int check_partners(const struct role *r, const struct msg_shape *shape, int np)
{
	bool from[LOCAL_ROLES] = { false };
	int sent = 0;

	for (size_t i = 0; i < r->port.operations && r->port.done[i].iter == 0; i++) {
		const struct pattern_operation *o = &r->port.done[i].is;

		assert_true(o->reduction);
		sent += o->kind == PATTERN_SEND;
		if (o->kind == PATTERN_RECEIVE)
			from[o->peer] = true;
	}
	for (int src = 0; src < np; src++)
		if (src != r->port.msg.role &&
		    from[src] != receives_from(shape, np, r->port.msg.role, src))
			fail_msg("%s, np %d: role %d %s role %d", names[shape->kind], np,
				 r->port.msg.role,
				 from[src] ? "receives from" : "gets nothing from", src);
	return sent;
}

struct comparison {
	const struct role *role;
	size_t next;
};

static int compare(void *ctx, const struct pattern_operation *o)
{
	struct comparison *c = ctx;
	const struct pattern_operation *is = &c->role->port.done[c->next].is;
	const bool there =
		c->next < c->role->port.operations && c->role->port.done[c->next].iter == 0;

	c->next++;
	return there && is->kind == o->kind && is->peer == o->peer && is->tag == o->tag &&
			       is->bytes == o->bytes && is->reduction == o->reduction
		       ? RB_OK
		       : RB_LOST;
}

/* The kernel allreduce says the same operations in the same order. */
static void check_pattern(const struct role *r, const struct sums *s, int np)
{
	char bytes[16];
	const struct kernel_args args = { { bytes, names[s->shape->kind] } };
	struct kernel_pattern p = kernel_pattern(&allreduce, &args, np);
	struct comparison c = { r, 0 };

	snprintf(bytes, sizeof bytes, "%zu", s->n * sizeof(double));
	if (p.pattern.operations(&p.pattern, r->port.msg.role, 0, compare, &c) != RB_OK ||
	    (c.next < r->port.operations && r->port.done[c.next].iter == 0))
		fail_msg("%s, np %d, role %d: the pattern is another one at operation %zu",
			 names[s->shape->kind], np, r->port.msg.role, c.next);
	assert_int_equal(allreduce_doubling_bytes(&p.pattern),
			 s->shape->kind == MSG_DOUBLING ? s->n * sizeof(double) : 0);
}

static struct role *run(const struct sums *s, int np, struct local_world *world)
{
	struct role *role = calloc((size_t)np, sizeof *role);

	local_world_init(world, np);
	for (int r = 0; r < np; r++) {
		role[r].of = s;
		local_port_init(&role[r].port, world, r);
	}
	local_run(np, body, role, sizeof *role);
	for (int r = 0; r < np; r++)
		if (role[r].rc != RB_OK)
			fail_msg("%s, np %d, role %d: %d %s", names[s->shape->kind], np, r,
				 role[r].rc, role[r].port.trouble);
	return role;
}

static void reduce_and_check(const struct sums *s, int np)
{
	struct local_world world;
	struct role *role = run(s, np, &world);
	int sent = 0;

	for (int r = 0; r < np; r++) {
		check_numbers(&role[r], s, np);
		sent += check_partners(&role[r], s->shape, np);
		if (s->shape->kind != MSG_GRID)
			check_pattern(&role[r], s, np);
	}
	if (s->shape->kind ==
	    MSG_GRID) /* the two in the middle of a line exchange, and need no way back */
		assert_in_range(sent, messages(s->shape, np) / 2, messages(s->shape, np));
	else
		assert_int_equal(sent, messages(s->shape, np));
	for (int r = 0; r < np; r++)
		local_port_free(&role[r].port);
	assert_int_equal(local_world_free(&world), 0);
	free(role);
}

/* Numbers of very different size, so that the order of additions shows in the last bits. */
static void draw(double x[][NUMBERS], int *order, int np, uint64_t *seed)
{
	for (int r = 0; r < np; r++) {
		order[r] = r;
		for (int k = 0; k < NUMBERS; k++)
			x[r][k] = ldexp((double)(int64_t)mix_draw(seed),
					(int)(mix_draw(seed) % 40) - 80);
	}
	mix_shuffle(order, (size_t)np, mix_draw(seed));
}

static void each_shape(int np, size_t n, uint64_t seed)
{
	double x[LOCAL_ROLES][NUMBERS];
	int order[LOCAL_ROLES];

	for (int kind = 0; kind < MSG_GRID; kind++) {
		const struct msg_shape shape = { .kind = (enum msg_shape_kind)kind };

		draw(x, order, np, &seed);
		reduce_and_check(&(struct sums){ &shape, order, x, n }, np);
	}
	for (int p = 1; p <= np; p++)
		for (int q = 1; np % p == 0 && q <= np / p; q++) {
			const struct msg_shape shape = { MSG_GRID, 3, { p, q, np / p / q } };

			if (np / p % q != 0)
				continue;
			draw(x, order, np, &seed);
			reduce_and_check(&(struct sums){ &shape, order, x, n }, np);
		}
}

static void up_to_17_roles(void **state)
{
	(void)state;
	for (int np = 1; np <= EACH; np++)
		each_shape(np, NUMBERS - (size_t)np % 2, (uint64_t)np);
	each_shape(7, 1, 1);
}

static void other_numbers_of_roles(void **state)
{
	uint64_t seed = 20;

	(void)state;
	for (int i = 0; i < RANDOM; i++)
		each_shape(EACH + 1 + (int)(mix_draw(&seed) % (LOCAL_ROLES - EACH)),
			   1 + (size_t)(mix_draw(&seed) % NUMBERS), seed);
}

/* Zeros of both signs and NaN: the same on all roles, and in all shapes. */
static void maxima_do_not_depend_on_the_order(void **state)
{
	double x[8][NUMBERS];
	int order[8];

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		const struct msg_shape shape = { (enum msg_shape_kind)kind, 2, { 2, 4 } };
		const struct sums s = { &shape, order, x, 3 };
		struct local_world world;
		struct role *role;

		for (int r = 0; r < 8; r++) {
			order[r] = r;
			x[r][0] = r % 3 ? -0.0 : 0.0;
			x[r][1] = r == 5 ? NAN : r == 2 ? -NAN : r;
			x[r][2] = -0.0;
		}
		role = run(&s, 8, &world);
		for (int r = 0; r < 8; r++) {
			assert_true(role[r].most[0] == 0 && !signbit(role[r].most[0]));
			assert_true(isnan(role[r].most[1]) && !signbit(role[r].most[1]));
			assert_true(role[r].most[2] == 0 && signbit(role[r].most[2]));
			local_port_free(&role[r].port);
		}
		assert_int_equal(local_world_free(&world), 0);
		free(role);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(up_to_17_roles),
		cmocka_unit_test(other_numbers_of_roles),
		cmocka_unit_test(maxima_do_not_depend_on_the_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
