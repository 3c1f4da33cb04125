/* The simulator's engine `fast` computes what the oracle does, in random cases from
 * SIMULATE_FAST_SEED on. How many there are: SIMULATE_FAST_CASES (small ones), SIMULATE_FAST_WIDE
 * (some hundreds of roles), SIMULATE_FAST_LINES (regular stencils in one dimension),
 * SIMULATE_FAST_DRAWN (random patterns with many waits), SIMULATE_FAST_REDUCTIONS (a reduction in
 * each iteration) and SIMULATE_FAST_REDUCTIONS_LARGE (of up to 16,384 roles), SIMULATE_FAST_LARGE
 * (more than a tile, with one to three threads), SIMULATE_FAST_GRIDS (two and three axes, in small
 * pieces for the threads) and SIMULATE_FAST_LONG (hundreds of iterations of few roles). */
#include "forecast/fast/doubling.h"
#include "forecast/fast/fast.h"
#include "forecast/fast/tiles.h"
#include "forecast/time/decision.h"
#include "tests/oracle/ref.h"
#include "tests/time_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <xxhash.h>

#include <cmocka.h>

enum { RECOVERIES = 64 };

/* What a model was told of its recoveries, as a hash of each. */
struct watched {
	uint64_t hash[RECOVERIES];
	int count;
};

static uint64_t hash_roles(uint64_t hash, const void *list, size_t bytes)
{
	return XXH3_64bits_withSeed(list, bytes, hash);
}

static void watch(void *watched, const struct situation *s, const struct decision *d)
{
	struct watched *w = watched;
	const size_t n = (size_t)d->np;
	uint64_t hash = mix((uint64_t)d->known << 3 | (uint64_t)s->stop_all << 2 |
			    (uint64_t)d->dataflow << 1 | d->flat);

	assert_true(w->count < RECOVERIES);
	hash = hash_roles(hash, s->dead, n * sizeof *s->dead);
	hash = hash_roles(hash, s->line, n * sizeof *s->line);
	hash = hash_roles(hash, s->front, n * sizeof *s->front);
	hash = hash_roles(hash, d->back, n * sizeof *d->back);
	hash = hash_roles(hash, d->stopped, n * sizeof *d->stopped);
	hash = hash_roles(hash, d->from, n * sizeof *d->from);
	hash = hash_roles(hash, d->distance, n * sizeof *d->distance);
	for (int r = 0; r < d->np; r++)
		hash = mix(hash + (uint64_t)d->end[r].iter * 65536 + (uint64_t)d->end[r].number);
	w->hash[w->count++] = hash;
}

static void watched_same(const struct time_case *c, const struct watched *a,
			 const struct watched *b)
{
	if (a->count != b->count)
		fail_msg("%s: %d recoveries by ref, %d by fast", c->text, a->count, b->count);
	for (int i = 0; i < a->count; i++)
		if (a->hash[i] != b->hash[i])
			fail_msg("%s: recovery %d is not the same by ref and by fast", c->text, i);
}

static void same(const struct time_case *c, const struct result *a, const struct result *b)
{
	for (int r = 0; r < a->np; r++)
		if (a->end[r] != b->end[r])
			fail_msg("%s: role %d ends at %lld by ref, at %lld by fast", c->text, r,
				 (long long)a->end[r], (long long)b->end[r]);
#define SAME(field)                                                                       \
	if (a->field != b->field)                                                         \
	fail_msg("%s: " #field " %.17g by ref, %.17g by fast", c->text, (double)a->field, \
		 (double)b->field)
	SAME(makespan);
	SAME(failures);
	SAME(repairs);
	SAME(overlaps);
	SAME(useful);
	SAME(repeated);
	SAME(supported);
	SAME(stopped);
	SAME(hash);
	for (int i = 0; i < STATES; i++) {
		SAME(state_s[i]);
		SAME(energy_j[i]);
	}
#undef SAME
}

static void compare(struct time_case *c, int first_threads, int last_threads)
{
	struct result ref, fast;
	struct rb_error of_ref = { "" }, of_fast = { "" };
	struct watched by_ref = { .count = 0 };
	int rc;

	c->m.watch = watch;
	c->m.watched = &by_ref;
	rc = simulate_ref(&c->m, c->failure, c->failures, &ref, &of_ref);
	for (int threads = first_threads; threads <= last_threads; threads++) {
		struct watched by_fast = { .count = 0 };
		int rc_fast;

		c->m.watched = &by_fast;
		rc_fast = simulate_fast(&c->m, threads, c->failure, c->failures, &fast, &of_fast);
		watched_same(c, &by_ref, &by_fast);
		if (rc != rc_fast)
			fail_msg("%s: ref returns %d (%s), fast %d (%s)", c->text, rc, of_ref.text,
				 rc_fast, of_fast.text);
		if (rc_fast != RB_OK)
			continue;
		same(c, &ref, &fast);
		result_free(&fast);
	}
	if (rc == RB_OK)
		result_free(&ref);
}

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

/* Cases of a kind, as many as the environment says. */
struct kind {
	const char *variable;
	long cases;
	/* false: the model is one that is refused */
	bool (*make)(struct time_case *c, uint64_t seed, int roles, int steps);
	int roles, steps;
	bool all_threads; /* each case with one, two and three; else with one of these */
};

static void compare_cases(const struct kind *kind)
{
	static struct time_case c;
	long left = number(kind->variable, kind->cases);

	for (uint64_t seed = (uint64_t)number("SIMULATE_FAST_SEED", 1); left > 0; seed++) {
		const int threads = 1 + (int)(seed % 3);

		if (!kind->make(&c, seed, kind->roles, kind->steps))
			continue;
		left--;
		if (left % 2)
			case_points(&c);
		compare(&c, kind->all_threads ? 1 : threads, kind->all_threads ? 3 : threads);
	}
}

static bool make_small(struct time_case *c, uint64_t seed, int roles, int steps)
{
	(void)roles;
	(void)steps;
	return case_make(c, seed);
}

static void test_random_cases(void **state)
{
	(void)state;
	compare_cases(&(struct kind){ "SIMULATE_FAST_CASES", 1000, make_small, 0, 0, false });
}

/* Many roles are far from every failure, and some are not. */
static void test_wide_cases(void **state)
{
	(void)state;
	compare_cases(&(struct kind){ "SIMULATE_FAST_WIDE", 20, case_make_large, 150, 30, false });
}

/* What is done in tiles, with all failures and duplicates close together. */
static void test_lines(void **state)
{
	(void)state;
	compare_cases(&(struct kind){ "SIMULATE_FAST_LINES", 500, case_make_line, 30, 60, false });
}

/* Lists of messages: several waits in an iteration, and several messages on a channel. */
static void test_drawn_patterns(void **state)
{
	(void)state;
	compare_cases(&(struct kind){ "SIMULATE_FAST_DRAWN", 500, case_make_drawn, 12, 20, false });
}

/* Recursive doubling, also over more roles than a block has. */
static void test_reductions(void **state)
{
	(void)state;
	compare_cases(&(struct kind){ "SIMULATE_FAST_REDUCTIONS", 300, case_make_allreduce, 64, 30,
				      false });
	compare_cases(&(struct kind){ "SIMULATE_FAST_REDUCTIONS_LARGE", 1, case_make_allreduce,
				      1 << 14, 2, false });
}

/* Reductions in the other shapes, which are no rounds of doubling. */
static bool make_shape(struct time_case *c, uint64_t seed, int roles, int steps)
{
	static const char *const shapes[] = { "binomial", "ring", "central" };

	if (!case_make_allreduce(c, seed, roles, steps))
		return false;
	c->args.value[1] = shapes[seed % 3];
	snprintf(c->text + strlen(c->text), sizeof c->text - strlen(c->text), ", %s",
		 shapes[seed % 3]);
	assert_int_equal(allreduce_doubling_bytes(c->m.pattern), 0);
	return true;
}

static void test_shapes_of_reductions(void **state)
{
	(void)state;
	compare_cases(&(struct kind){ "SIMULATE_FAST_SHAPES", 300, make_shape, 40, 30, false });
}

/* When roles are done that begin at these times, round by round. list: np more. */
static void do_rounds(int64_t *list, int np, int64_t message)
{
	int64_t *next = list + np;

	for (int bit = 1; bit < np; bit *= 2) {
		for (int r = 0; r < np; r++)
			next[r] = list[r ^ bit] + message > list[r] ? list[r ^ bit] + message
								    : list[r];
		memcpy(list, next, (size_t)np * sizeof *list);
	}
}

/* Roles that begin within so many ticks. */
static void compare_rounds(const struct model *m, int64_t within, uint64_t seed)
{
	const int np = m->pattern->np;
	int32_t *behind = NULL;
	struct point from = { .end = times_alloc((size_t)np), .least = INT64_MAX },
		     to = { .end = times_alloc((size_t)np) };
	int64_t *list = times_alloc(2 * (size_t)np), least = INT64_MAX, most = 0;

	for (int r = 0; r < np; r++) {
		list[r] = 1000 + (int64_t)(mix_draw(&seed) % (uint64_t)within);
		from.end[r] = (double)list[r];
		from.least = smaller(from.least, list[r]);
		from.most = from.most > list[r] ? from.most : list[r];
	}
	assert_int_equal(doubling_advance(m, &behind, &from, &to, 1), RB_OK);
	do_rounds(list, np, message_ticks(&m->costs, allreduce_doubling_bytes(m->pattern)));
	for (int r = 0; r < np; r++) {
		const int64_t end = list[r] + work_ticks(&m->work, r, 0);

		if ((int64_t)to.end[r] != end)
			fail_msg("%d roles within %lld ticks: role %d is done at %lld, not at %lld",
				 np, (long long)within, r, (long long)end, (long long)to.end[r]);
		least = smaller(least, end);
		most = end > most ? end : most;
	}
	assert_int_equal(to.least, least);
	assert_int_equal(to.most, most);
	free(behind);
	free(from.end);
	free(to.end);
	free(list);
}

/* One reduction over up to 2^18 roles, more than in any case that all engines are given. */
static void test_rounds(void **state)
{
	enum { LARGEST = 18 };
	const struct kernel_args args = { { "8" } };
	struct model m = { .steps = 1,
			   .policy = { .ops = &policy_none },
			   .schedule = { .interval = 1000 },
			   .work = { 1, { 1e-3 }, 0 },
			   .costs = { .latency_s = 1e-5, .bytes_per_s = 1e9 } };
	const int64_t message = message_ticks(&m.costs, 8);

	(void)state;
	for (int k = 0; k <= LARGEST; k++) {
		const int64_t within[] = { 1,          2, message, 2 * message, (k + 1) * message,
					   ticks_of(1) };
		struct kernel_pattern pattern = kernel_pattern(&allreduce, &args, 1 << k);

		m.pattern = &pattern.pattern;
		for (size_t i = 0; i < sizeof within / sizeof *within; i++)
			compare_rounds(&m, within[i], (uint64_t)k + i);
	}
}

/* More roles and more iterations than one tile has. */
static void test_large_cases(void **state)
{
	(void)state;
	compare_cases(&(struct kind){ "SIMULATE_FAST_LARGE", 2, case_make_large, 2100, 65, true });
}

/* A regular grid of two or three axes (forecast/fast/grid.h). */
static bool make_grid(struct time_case *c, uint64_t seed, int roles, int steps)
{
	return case_make_large(c, seed / 2 * 32 + 2 + seed % 2, roles, steps);
}

/* In many pieces for the threads. */
static void test_grids(void **state)
{
	const struct tile_sizes usual = tile_sizes;

	(void)state;
	tile_sizes.failure_free_width = 4;
	compare_cases(&(struct kind){ "SIMULATE_FAST_GRIDS", 60, make_grid, 100, 30, true });
	tile_sizes = usual;
}

/* More iterations than engines do at once. */
static void test_long_cases(void **state)
{
	(void)state;
	compare_cases(&(struct kind){ "SIMULATE_FAST_LONG", 20, case_make_large, 4, 300, false });
}

/* Ends about 2^52 ticks, and up to 2^53, the last one that is allowed. */
static void test_late_ends(void **state)
{
	static const double seconds[] = { 0x1p22 - 1, 0x1p22, 0x1p22 + 1, 0x1.8p22, 0x1p23 - 1 };
	static struct time_case c;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		if (!case_make_line(&c, seed, 30, 1))
			continue;
		c.m.work.knots = 1;
		c.m.work.seconds[0] = seconds[seed % (sizeof seconds / sizeof *seconds)];
		c.failures = 0;
		compare(&c, 1, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_ends),      cmocka_unit_test(test_random_cases),
		cmocka_unit_test(test_wide_cases),     cmocka_unit_test(test_lines),
		cmocka_unit_test(test_drawn_patterns), cmocka_unit_test(test_shapes_of_reductions),
		cmocka_unit_test(test_reductions),     cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_large_cases),    cmocka_unit_test(test_grids),
		cmocka_unit_test(test_long_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
