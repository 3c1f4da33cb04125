/* The simulator's engine `fast` computes what the reference engine does. SIMULATE_FAST_CASES, SIMULATE_FAST_WIDE and
 * SIMULATE_FAST_LARGE: how many random cases (of SIMULATE_FAST_WIDE: some hundreds of roles; of SIMULATE_FAST_LARGE: more than a
 * tile, with one to three threads), from SIMULATE_FAST_SEED on. */
#include "sim/fast/fast.h"
#include "tests/time_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void same(const struct time_case *c, const struct result *a, const struct result *b)
{
	for (int r = 0; r < a->np; r++)
		if (a->end[r] != b->end[r])
			fail_msg("%s: role %d ends at %lld by ref, at %lld by fast", c->text, r, (long long)a->end[r],
				 (long long)b->end[r]);
#define SAME(field)                                                                                              \
	if (a->field != b->field)                                                                                \
		fail_msg("%s: " #field " %.17g by ref, %.17g by fast", c->text, (double)a->field, (double)b->field)
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

static void compare(const struct time_case *c, int first_threads, int last_threads)
{
	struct result ref, fast;
	struct rb_error of_ref = { "" }, of_fast = { "" };
	const int rc = simulate_ref(&c->m, c->failure, c->failures, &ref, &of_ref);

	for (int threads = first_threads; threads <= last_threads; threads++) {
		const int rc_fast = simulate_fast(&c->m, threads, c->failure, c->failures, &fast, &of_fast);

		if (rc != rc_fast)
			fail_msg("%s: ref returns %d (%s), fast %d (%s)", c->text, rc, of_ref.text, rc_fast, of_fast.text);
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

static void test_random_cases(void **state)
{
	static struct time_case c;
	long left = number("SIMULATE_FAST_CASES", 1000);

	(void)state;
	for (uint64_t seed = (uint64_t)number("SIMULATE_FAST_SEED", 1); left > 0; seed++) {
		if (!case_make(&c, seed))
			continue;
		left--;
		compare(&c, 1 + (int)(seed % 3), 1 + (int)(seed % 3));
	}
}

/* Many roles are far from every failure, and some are not. */
static void test_wide_cases(void **state)
{
	static struct time_case c;
	long left = number("SIMULATE_FAST_WIDE", 20);

	(void)state;
	for (uint64_t seed = (uint64_t)number("SIMULATE_FAST_SEED", 1); left > 0; seed++) {
		if (!case_make_large(&c, seed, 150, 30))
			continue;
		left--;
		compare(&c, 1 + (int)(seed % 3), 1 + (int)(seed % 3));
	}
}

/* More roles and more iterations than one tile has. */
static void test_large_cases(void **state)
{
	static struct time_case c;
	long left = number("SIMULATE_FAST_LARGE", 2);

	(void)state;
	for (uint64_t seed = (uint64_t)number("SIMULATE_FAST_SEED", 1); left > 0; seed++) {
		if (!case_make_large(&c, seed, 2100, 65))
			continue;
		left--;
		compare(&c, 1, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_cases),
		cmocka_unit_test(test_wide_cases),
		cmocka_unit_test(test_large_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
