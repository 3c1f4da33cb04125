/* Patterns: what a kernel says that it sends is what its step() sends, message by message, for every kernel and every
 * number of roles up to 27 that it can do; its answer is right without MPI, too. */
#include "kernels/pattern.h"
#include "tests/local_port.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NP_MOST = 27 };

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

	for (int64_t i = 0; i < r->run->plan.iterations && !(kernel->finished && kernel->finished(s)); i++) {
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

	r->rc = r->run->kernel->create(&s, &r->run->args, r->port.msg.role, r->run->np, &err);
	if (r->rc != RB_OK)
		return NULL;
	r->rc = play(r, s);
	r->run->kernel->destroy(s);
	return NULL;
}

/* The sends of one role so far, beside the recorded ones. */
struct comparison {
	const struct role *role;
	int64_t iter;
	size_t next;
	char *text; /* of the first difference, 200 bytes */
};

static int compare(void *ctx, int dst, int tag, size_t bytes)
{
	struct comparison *c = ctx;
	const struct local_port *p = &c->role->port;
	struct local_send is = c->next < p->sends ? p->sent[c->next] : (struct local_send){ -1, 0, 0, 0 };

	if (is.iter == c->iter && is.dst == dst && is.tag == tag && is.bytes == bytes) {
		c->next++;
		return RB_OK;
	}
	snprintf(c->text, 200, "np %d, role %d, iteration %" PRId64 ": the pattern has %zu bytes to role %d, tag %d; "
		 "step() sends %zu bytes to role %d, tag %d, in iteration %" PRId64, p->msg.np, p->msg.role, c->iter,
		 bytes, dst, tag, is.bytes, is.dst, is.tag, is.iter);
	return RB_LOST;
}

/* "" if the pattern is what the roles have sent. */
static void difference(const struct pattern *pattern, const struct role *role, char text[200])
{
	text[0] = '\0';
	for (int r = 0; r < pattern->np && !text[0]; r++) {
		struct comparison c = { .role = &role[r], .text = text };

		for (c.iter = 0; c.iter < role[r].iterations && !text[0]; c.iter++) {
			assert_in_range(pattern_sends(pattern, r, c.iter, compare, &c), RB_OK, RB_LOST);
			if (!text[0] && c.next < role[r].port.sends && role[r].port.sent[c.next].iter == c.iter)
				snprintf(text, 200, "np %d, role %d, iteration %" PRId64 ": step() also sends %zu bytes "
					 "to role %d", pattern->np, r, c.iter, role[r].port.sent[c.next].bytes,
					 role[r].port.sent[c.next].dst);
		}
	}
}

static struct role *run_roles(struct run *run)
{
	struct role *role = calloc((size_t)run->np, sizeof *role);

	local_world_init(&run->world, run->np);
	for (int r = 0; r < run->np; r++) {
		role[r].run = run;
		local_port_init(&role[r].port, &run->world, r);
	}
	local_run(run->np, body, role, sizeof *role);
	for (int r = 0; r < run->np; r++)
		if (role[r].rc != RB_OK)
			fail_msg("%s, np %d: role %d: %d %s", run->kernel->name, run->np, r, role[r].rc,
				 role[r].port.trouble);
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
	char text[200];

	if (run.kernel->plan(args, np, &run.plan, &err) != RB_OK)
		return false;
	role = run_roles(&run);
	difference(&pattern.pattern, role, text);
	if (text[0])
		fail_msg("%s: %s", name, text);
	for (int r = 0; r < np; r++)
		if (!role[r].verdict.ok)
			fail_msg("%s, np %d, role %d: %s is %.17g", name, np, r, role[r].verdict.what,
				 role[r].verdict.value);
	free_roles(&run, role);
	return true;
}

static void cg(void **state)
{
	int runs = 0;

	(void)state;
	for (int np = 1; np <= NP_MOST; np++)
		runs += compared("cg", &(struct kernel_args){ { "S" } }, np);
	assert_int_equal(runs, 5);
}

static void lulesh(void **state)
{
	int runs = 0;

	(void)state;
	for (int np = 1; np <= NP_MOST; np++) /* 5 or 6 elements a side of the whole cube: the answer is known */
		runs += compared("lulesh", &(struct kernel_args){ { np == 1 ? "5" : np == 8 ? "3" : "2", "0", "double" } },
				 np);
	assert_int_equal(runs, 3);
}

static void jacobi(void **state)
{
	int runs = 0;

	(void)state;
	for (int np = 1; np <= NP_MOST; np++)
		for (int p = 1; p <= np; p++) {
			char shape[16];

			snprintf(shape, sizeof shape, "%dx%d", p, np / p);
			runs += compared("jacobi", &(struct kernel_args){ { "31", "5", shape } }, np);
		}
	assert_int_equal(runs, 95); /* divisors of 1 to 27 */
}

static void triad(void **state)
{
	(void)state;
	for (int np = 1; np <= NP_MOST; np++)
		assert_true(compared("triad", &(struct kernel_args){ { "100", "3" } }, np));
}

static void no_kernel_is_left_out(void **state)
{
	static const char *const here[] = { "cg", "lulesh", "jacobi", "triad" };
	size_t known = 0;

	(void)state;
	for (size_t k = 0; kernel_registry[k]; k++)
		for (size_t i = 0; i < sizeof here / sizeof *here; i++)
			known += strcmp(kernel_registry[k]->name, here[i]) == 0;
	assert_null(kernel_registry[known]);
}

static int says_too_little(const struct kernel_args *args, int role, int np, int64_t iter, struct msg *m)
{
	(void)args, (void)role, (void)np, (void)iter, (void)m;
	return RB_OK;
}

static int says_another_size(const struct kernel_args *args, int role, int np, int64_t iter, struct msg *m)
{
	double v[2] = { 0, 0 };

	(void)args, (void)role, (void)np;
	return msg_sum_grid(m, (int[]){ 1, 2 }, 2, 10, v, iter < 3 ? 1 : 2);
}

static int steps_with_a_sum(struct kernel_state *s, struct msg *m, int64_t iter)
{
	double v = 0;

	(void)s, (void)iter;
	return msg_sum_grid(m, (int[]){ 1, 2 }, 2, 10, &v, 1);
}

static void a_wrong_pattern_is_found(void **state)
{
	struct kernel_ops wrong = *kernel_find("triad");
	struct run run = { .kernel = &wrong, .args = { { "10", "5" } }, .plan = { .iterations = 5 }, .np = 2 };
	struct kernel_pattern pattern = kernel_pattern(&wrong, &run.args, 2);
	struct role *role;
	char text[200];

	(void)state;
	wrong.step = steps_with_a_sum;
	wrong.commit = kernel_find("triad")->commit;
	role = run_roles(&run);
	wrong.pattern = says_too_little;
	difference(&pattern.pattern, role, text);
	assert_string_equal(text, "np 2, role 0, iteration 0: step() also sends 8 bytes to role 1");
	wrong.pattern = says_another_size;
	difference(&pattern.pattern, role, text);
	assert_string_equal(text, "np 2, role 0, iteration 3: the pattern has 16 bytes to role 1, tag 10; step() "
				  "sends 8 bytes to role 1, tag 10, in iteration 3");
	free_roles(&run, role);
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
	struct kernel_args none = { { NULL } };
	struct kernel_pattern p = kernel_pattern(&kernel, &none, 4);
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
		cmocka_unit_test(no_kernel_is_left_out),
		cmocka_unit_test(a_wrong_pattern_is_found),
		cmocka_unit_test(whoever_visits_may_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
