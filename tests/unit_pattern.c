/* Patterns: what a kernel says that it sends, receives and waits for is what its step() does,
 * operation by operation, for every kernel and every number of roles up to 27 that it can do; its
 * answer is right without MPI, too. */
#include "contract/pattern.h"
#include "tests/local_port.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NP_MOST = 27, TEXT = 320 };

/* One run of a kernel; all its roles. */
struct run {
	const struct kernel_ops *kernel;
	struct kernel_args args;
	struct kernel_plan plan;
	int np;
	struct local_world world;
};

struct role {
	const struct run *run;
	struct local_port port;
	struct kernel_verdict verdict;
	int64_t iterations;
	int rc;
};

static int play(struct role *r, struct kernel_state *s)
{
	const struct kernel_ops *kernel = r->run->kernel;

	for (int64_t i = 0;
	     i < r->run->plan.iterations && !(kernel->finished && kernel->finished(s)); i++) {
		r->port.iter = i;
		RB_TRY(kernel->step(s, &r->port.msg, i));
		kernel->commit(s, i);
		r->iterations = i + 1;
	}
	r->port.iter = -1; /* no part of the pattern */
	return kernel->verify(s, &r->port.msg, &r->verdict);
}

static void *body(void *element)
{
	struct role *r = element;
	struct kernel_state *s;
	struct rb_error err;

	r->rc = r->run->kernel->create(&s, &r->run->args, r->port.msg.role, r->run->np, NULL, &err);
	if (r->rc != RB_OK)
		return NULL;
	r->rc = play(r, s);
	r->run->kernel->destroy(s);
	return NULL;
}

/* The operations of one role so far, beside the recorded ones. */
struct comparison {
	const struct role *role;
	int64_t iter;
	size_t next;
	char *text; /* of the first difference, TEXT bytes */
};

/* What step() does next in this iteration; NULL: nothing more. */
static const struct pattern_operation *done_next(const struct comparison *c)
{
	const struct local_port *p = &c->role->port;

	return c->next < p->operations && p->done[c->next].iter == c->iter ? &p->done[c->next].is
									   : NULL;
}

static void describe(const struct pattern_operation *o, char out[100])
{
	const char *where = o && o->reduction ? " in a reduction" : "";

	if (!o)
		snprintf(out, 100, "nothing more");
	else if (o->kind == PATTERN_WAIT)
		snprintf(out, 100, "a wait%s", where);
	else
		snprintf(out, 100, "%zu bytes %s role %d, tag %d%s", o->bytes,
			 o->kind == PATTERN_SEND ? "to" : "from", o->peer, o->tag, where);
}

/* The pattern has this; NULL: nothing more. */
static int compare(void *ctx, const struct pattern_operation *o)
{
	struct comparison *c = ctx;
	const struct pattern_operation *is = done_next(c);
	char expected[100], found[100];

	if (!o && !is)
		return RB_OK;
	if (o && is && is->kind == o->kind && is->peer == o->peer && is->tag == o->tag &&
	    is->bytes == o->bytes && is->reduction == o->reduction) {
		c->next++;
		return RB_OK;
	}
	describe(o, expected);
	describe(is, found);
	snprintf(c->text, TEXT, "np %d, role %d, iteration %" PRId64 ": pattern: %s; step(): %s",
		 c->role->port.msg.np, c->role->port.msg.role, c->iter, expected, found);
	return RB_LOST;
}

/* "" if the pattern is what the roles have done. */
static void difference(const struct pattern *pattern, const struct role *role, char text[TEXT])
{
	text[0] = '\0';
	for (int r = 0; r < pattern->np && !text[0]; r++) {
		struct comparison c = { .role = &role[r], .text = text };

		for (c.iter = 0; c.iter < role[r].iterations && !text[0]; c.iter++)
			if (pattern->operations(pattern, r, c.iter, compare, &c) == RB_OK)
				compare(&c, NULL);
			else
				assert_true(text[0]);
	}
}

static struct role *run_roles(struct run *run)
{
	struct role *role = calloc((size_t)run->np, sizeof *role);

	local_world_init(&run->world, run->np);
	/* the sizes of the others are known */
	run->world.shorter = strcmp(run->kernel->name, "bfs") == 0;
	for (int r = 0; r < run->np; r++) {
		role[r].run = run;
		local_port_init(&role[r].port, &run->world, r);
	}
	local_run(run->np, body, role, sizeof *role);
	for (int r = 0; r < run->np; r++)
		if (role[r].rc != RB_OK)
			fail_msg("%s, np %d: role %d: %d %s", run->kernel->name, run->np, r,
				 role[r].rc, role[r].port.trouble);
	return role;
}

static void free_roles(struct run *run, struct role *role)
{
	for (int r = 0; r < run->np; r++)
		local_port_free(&role[r].port);
	assert_int_equal(local_world_free(&run->world), 0);
	free(role);
}

/* Run it to its end. false: not with so many roles. */
static bool compared(const char *name, const struct kernel_args *args, int np)
{
	struct run run = { .kernel = kernel_find(name), .args = *args, .np = np };
	struct kernel_pattern pattern = kernel_pattern(run.kernel, &run.args, np);
	struct rb_error err;
	struct role *role;
	char text[TEXT];

	if (run.kernel->plan(args, np, &run.plan, &err) != RB_OK)
		return false;
	role = run_roles(&run);
	difference(&pattern.pattern, role, text);
	if (text[0])
		fail_msg("%s: %s", name, text);
	for (int r = 0; r < np; r++)
		if (!role[r].verdict.ok)
			fail_msg("%s, np %d, role %d: %s is %.17g", name, np, r,
				 role[r].verdict.what, role[r].verdict.value);
	free_roles(&run, role);
	return true;
}

/* How a reduction is made; the last one only by those with a grid of roles. */
static const char *const shapes[] = { "auto", "doubling", "binomial", "ring", "central", "grid" };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void cg(void **state)
{
	int runs = 0;

	(void)state;
	for (int s = 0; s < SHAPES; s++)
		for (int np = 1; np <= NP_MOST; np++)
			runs += compared(
				"cg", &(struct kernel_args){ { "S", s ? "30" : "0", shapes[s] } },
				np);
	assert_int_equal(runs, 5 * (SHAPES - 1));
}

static void lulesh(void **state)
{
	int runs = 0;

	(void)state;
	for (int s = 0; s < SHAPES; s++)
		/* 5 or 6 elements a side of the whole cube: the answer is known */
		for (int np = 1; np <= NP_MOST; np++) {
			const char *const edge = np == 1 ? "5" : np == 8 ? "3" : "2";
			runs += compared("lulesh",
					 &(struct kernel_args){ { edge, s ? "3" : "0", "double",
								  NULL, shapes[s] } },
					 np);
		}
	assert_int_equal(runs, 3 * SHAPES);
}

static void jacobi(void **state)
{
	int runs = 0;
	char grid[16];

	(void)state;
	for (int np = 1; np <= NP_MOST; np++)
		for (int p = 1; p <= np; p++)
			for (int s = 0;
			     s < SHAPES && snprintf(grid, sizeof grid, "%dx%d", p, np / p) > 0; s++)
				runs += compared(
					"jacobi",
					&(struct kernel_args){ { "31", "5", grid, shapes[s] } },
					np);
	assert_int_equal(runs, 95 * SHAPES); /* divisors of 1 to 27 */
}

static void triad(void **state)
{
	(void)state;
	for (int np = 1; np <= NP_MOST; np++)
		assert_true(compared("triad", &(struct kernel_args){ { "100", "3" } }, np));
}

/* bfs also to the middle of a search, when the first searches come again; amr with two levels that
 * follow a ring. */
static void bfs_and_amr(void **state)
{
	(void)state;
	for (int np = 1; np <= NP_MOST; np++) {
		const char *const seed = np % 3 ? "2" : "4", *const owner =
								     np % 2 ? "hash" : "cyclic";
		assert_true(compared("bfs",
				     &(struct kernel_args){ { "7", "8", "3", "0", owner, seed } },
				     np) &&
			    compared("bfs",
				     &(struct kernel_args){ { "5", "1", "2", "17", owner, seed } },
				     np));
		assert_true(
			compared("amr", &(struct kernel_args){ { "8", "4", "2", "35", "8" } }, np));
	}
}

static void no_kernel_is_left_out(void **state)
{
	static const char *const here[] = { "cg", "lulesh", "jacobi", "bfs", "amr", "triad" };
	size_t known = 0;

	(void)state;
	for (size_t k = 0; kernel_registry[k]; k++)
		for (size_t i = 0; i < sizeof here / sizeof *here; i++)
			known += strcmp(kernel_registry[k]->name, here[i]) == 0;
	assert_null(kernel_registry[known]);
}

/* What step() of the next test does, with errors. Two roles. */
enum error {
	CORRECT,
	NOTHING,
	NO_WAIT,
	LATE_WAIT,
	RECEIVES_SWAPPED,
	RECEIVE_LATE,
	SHORT_LATER,
	NO_REDUCTION,
	TWO_MORE
};

static int exchange(struct msg *m, enum error error, int64_t iter)
{
	const int other = 1 - msg_role(m), first = error == RECEIVES_SWAPPED ? 6 : 5;
	const struct msg_shape doubling = { .kind = MSG_DOUBLING },
			       grid = { MSG_GRID, 2, { 1, 2 } };
	double in[2], scratch[1], v[1] = { 0 };

	if (error == NOTHING)
		return RB_OK;
	msg_post(m, other, first, &in[0], sizeof in[0]);
	if (error != RECEIVE_LATE)
		msg_post(m, other, 11 - first, &in[1], sizeof in[1]);
	for (int tag = 5; tag <= 6; tag++) {
		memset(msg_reserve(m, other, tag, sizeof in[0]), 0, sizeof in[0]);
		RB_TRY(msg_push(m));
	}
	if (error == RECEIVE_LATE)
		msg_post(m, other, 11 - first, &in[1], sizeof in[1]);
	if (error != NO_WAIT && error != LATE_WAIT)
		RB_TRY(msg_wait(m));
	msg_reserve(m, other, 7, error == SHORT_LATER && iter >= 3 ? 0 : 1);
	RB_TRY(msg_push(m));
	if (error == LATE_WAIT)
		RB_TRY(msg_wait(m));
	msg_post(m, other, 7, in, 1);
	RB_TRY(msg_wait(m));
	if (error == NO_REDUCTION) /* the same messages, but not as a reduction over all roles */
		return msg_sum(m, &doubling, &(struct msg_group){ NULL, 2, msg_role(m) }, 10, v, 1,
			       scratch);
	RB_TRY(error == TWO_MORE ? msg_max_all(m, 10, v, 1) : RB_OK);
	return error == TWO_MORE ? msg_sum_all(m, 10, v, 1) : msg_sum_shape(m, &grid, 10, v, 1);
}

static enum error says;

static int says_exchange(const struct kernel_args *args, int role, int np, int64_t iter,
			 struct msg *m)
{
	(void)args, (void)role, (void)np;
	return exchange(m, says, iter);
}

static int steps_with_exchange(struct kernel_state *s, struct msg *m, int64_t iter)
{
	(void)s;
	return exchange(m, CORRECT, iter);
}

static void a_wrong_pattern_is_found(void **state)
{
	static const char *const expected[] = {
		[CORRECT] = "",
		[NOTHING] =
			"iteration 0: pattern: nothing more; step(): 8 bytes from role 1, tag 5",
		[NO_WAIT] = "iteration 0: pattern: 1 bytes to role 1, tag 7; step(): a wait",
		[LATE_WAIT] = "iteration 0: pattern: 1 bytes to role 1, tag 7; step(): a wait",
		[RECEIVES_SWAPPED] =
			"iteration 0: pattern: 8 bytes from role 1, tag 6; step(): 8 bytes from "
			"role 1, tag 5",
		[RECEIVE_LATE] =
			"iteration 0: pattern: 8 bytes to role 1, tag 5; step(): 8 bytes from role "
			"1, tag 6",
		[SHORT_LATER] =
			"iteration 3: pattern: 0 bytes to role 1, tag 7; step(): 1 bytes to role "
			"1, tag 7",
		[NO_REDUCTION] =
			"iteration 0: pattern: 8 bytes from role 1, tag 10; step(): 8 bytes from "
			"role 1, tag 10 in a reduction",
		[TWO_MORE] =
			"iteration 0: pattern: 8 bytes from role 1, tag 10 in a reduction; step(): "
			"nothing more",
	};
	struct kernel_ops wrong = *kernel_find("triad");
	struct run run = {
		.kernel = &wrong, .args = { { "10", "5" } }, .plan = { .iterations = 5 }, .np = 2
	};
	struct kernel_pattern pattern = kernel_pattern(&wrong, &run.args, 2);
	struct role *role;

	(void)state;
	wrong.step = steps_with_exchange;
	wrong.pattern = says_exchange;
	role = run_roles(&run);
	for (says = CORRECT; says <= TWO_MORE; says++) {
		char text[TEXT];

		difference(&pattern.pattern, role, text);
		assert_string_equal(says == CORRECT ? text : text + strlen("np 2, role 0, "),
				    expected[says]);
	}
	free_roles(&run, role);
}

static int stops(void *ctx, enum msg_part part, const char *name)
{
	(void)name;
	return part == MSG_COMMIT ? RB_STOPPED : (++*(int *)ctx, RB_OK);
}

static int no_operation(void *ctx, const struct pattern_operation *o)
{
	(void)ctx, (void)o;
	return RB_OK;
}

/* Also where the kernel makes no message call that would tell it. */
static void what_the_watcher_of_parts_returns_is_returned(void **state)
{
	const struct kernel_args args = { { "10", "5" } };
	struct kernel_pattern p = kernel_pattern(kernel_find("triad"), &args, 2);
	int parts = 0;

	(void)state;
	assert_int_equal(p.pattern.operations(&p.pattern, 0, 1, no_operation, &parts), RB_OK);
	assert_int_equal(parts, 0);
	p.part = stops;
	assert_int_equal(p.pattern.operations(&p.pattern, 0, 1, no_operation, &parts), RB_STOPPED);
	assert_int_equal(parts, 1);
}

static int count_marked(void *ctx, const struct pattern_operation *o)
{
	((size_t *)ctx)[o->reduction]++;
	return RB_OK;
}

/* The flag of a reduction is set from its first operation to its last one, and not behind it. */
static void reductions_over_all_roles_are_marked(void **state)
{
	const struct kernel_args jacobi = { { "31", "5", "2x3" } }, cg = { { "S", "0" } },
				 lulesh = { { "2", "3", "double" } };
	const struct {
		const char *name;
		const struct kernel_args *args;
		int np;
		size_t marked, others;
	} cases[] = {
		/* role 0: it sends to its neighbour along each axis and waits for the result */
		{ "jacobi", &jacobi, 6, 2 * 3, 2 * 2 + 1 },
		{ "cg", &cg, 4, 0, 0 },
		/* along each axis the other half: an exchange; three sums of forces, and
		 * gradients */
		{ "lulesh", &lulesh, 8, 3 * 3, 3 * 3 + 3 * 2 + 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kernel_pattern p =
			kernel_pattern(kernel_find(cases[i].name), cases[i].args, cases[i].np);
		size_t count[2] = { 0, 0 };

		assert_int_equal(p.pattern.operations(&p.pattern, 0, 1, count_marked, count),
				 RB_OK);
		assert_int_equal(count[1], cases[i].marked);
		assert_true(cases[i].others ? count[0] == cases[i].others : count[0] > 0);
	}
}

static int says_three(const struct kernel_args *args, int role, int np, int64_t iter, struct msg *m)
{
	double v[2] = { 1, 2 };

	(void)args, (void)role, (void)np, (void)iter;
	memset(msg_reserve(m, 1, 7, 50), 1, 50); /* some pack, although nobody reads it */
	RB_TRY(msg_push(m));
	RB_TRY(msg_reserve(m, 0, 8, 0) ? msg_push(m) : RB_ENOMEM);
	RB_TRY(msg_wait(m));
	return msg_sum_all(m, 20, v, 2);
}

static int hear(void *ctx, int dst, int tag, size_t bytes)
{
	char *heard = ctx;

	snprintf(heard + strlen(heard), 100 - strlen(heard), "%d %d %zu; ", dst, tag, bytes);
	return dst == 3 ? RB_ECORRUPT : RB_OK;
}

static void whoever_visits_may_stop(void **state)
{
	struct kernel_ops kernel = { .pattern = says_three };
	struct kernel_pattern p = kernel_pattern(&kernel, &(struct kernel_args){ { NULL } }, 4);
	char heard[100] = "";

	(void)state;
	assert_int_equal(pattern_sends(&p.pattern, 2, 0, hear, heard), RB_ECORRUPT);
	assert_string_equal(heard, "1 7 50; 0 8 0; 3 20 16; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cg),
		cmocka_unit_test(lulesh),
		cmocka_unit_test(jacobi),
		cmocka_unit_test(triad),
		cmocka_unit_test(bfs_and_amr),
		cmocka_unit_test(no_kernel_is_left_out),
		cmocka_unit_test(a_wrong_pattern_is_found),
		cmocka_unit_test(what_the_watcher_of_parts_returns_is_returned),
		cmocka_unit_test(reductions_over_all_roles_are_marked),
		cmocka_unit_test(whoever_visits_may_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
