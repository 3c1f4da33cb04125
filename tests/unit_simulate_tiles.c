/* The tiles of the simulator's engine `fast` compute what the oracle does, in random
 * cases with failures: with tiles of random small sizes, so that few roles have many borders
 * between tiles, and with those that it uses. How many cases there are: SIMULATE_TILES_SMALL,
 * SIMULATE_TILES_LARGE, from SIMULATE_TILES_SEED on. */
#include "forecast/fast/fast.h"
#include "forecast/fast/tiles.h"
#include "tests/oracle/ref.h"
#include "tests/time_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void same(const struct time_case *c, const struct result *a, const struct result *b)
{
	const struct {
		const char *name;
		int64_t ref, fast;
	} number[] = { { "makespan", a->makespan, b->makespan },
		       { "failures", a->failures, b->failures },
		       { "repairs", a->repairs, b->repairs },
		       { "overlaps", a->overlaps, b->overlaps },
		       { "repeated", a->repeated, b->repeated },
		       { "supported", a->supported, b->supported },
		       { "stopped", a->stopped, b->stopped } };

	for (int r = 0; r < a->np; r++)
		if (a->end[r] != b->end[r])
			fail_msg("%s: role %d ends at %lld by ref, at %lld by fast", c->text, r,
				 (long long)a->end[r], (long long)b->end[r]);
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		if (number[i].ref != number[i].fast)
			fail_msg("%s: %s %lld by ref, %lld by fast", c->text, number[i].name,
				 (long long)number[i].ref, (long long)number[i].fast);
	for (int i = 0; i < STATES; i++)
		if (a->state_s[i] < b->state_s[i] || a->state_s[i] > b->state_s[i])
			fail_msg("%s: %.17g s in state %d by ref, %.17g by fast", c->text,
				 a->state_s[i], i, b->state_s[i]);
}

static void compare(const struct time_case *c, int threads)
{
	struct result ref, fast;
	struct rb_error of_ref = { "" }, of_fast = { "" };
	const int rc = simulate_ref(&c->m, c->failure, c->failures, &ref, &of_ref);
	const int rc_fast = simulate_fast(&c->m, threads, c->failure, c->failures, &fast, &of_fast);

	if (rc != rc_fast)
		fail_msg("%s: ref returns %d (%s), fast %d (%s)", c->text, rc, of_ref.text, rc_fast,
			 of_fast.text);
	if (rc != RB_OK)
		return;
	same(c, &ref, &fast);
	result_free(&ref);
	result_free(&fast);
}

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

/* Far from each other, so that roles go back by many iterations, and waits for them reach many
 * others. */
static void draw_checkpoints(struct time_case *c)
{
	const size_t used = strlen(c->text);

	if (case_draw(c, 2))
		c->m.schedule = (struct schedule){ 5 + case_draw(c, 100), 0 };
	if (case_draw(c, 4) == 0)
		c->m.costs.latency_s = 0.5 * case_fraction(c); /* longer than the work, sometimes */
	snprintf(c->text + used, sizeof c->text - used, ", interval %lld, latency %g s",
		 (long long)c->m.schedule.interval, c->m.costs.latency_s);
}

static void draw_sizes(struct time_case *c)
{
	const int part = 1 + case_draw(c, 12);
	const size_t used = strlen(c->text);

	tile_sizes = (struct tile_sizes){ .width = part * (1 + case_draw(c, 4)),
					  .part = part,
					  .rows = 1 + case_draw(c, 12),
					  .failure_free_width = 4 + case_draw(c, 20),
					  .failure_free_rows = 1 + case_draw(c, 20) };
	snprintf(c->text + used, sizeof c->text - used,
		 ", tiles of %d, parts of %d, %d rows, %d and %d elsewhere", tile_sizes.width,
		 tile_sizes.part, tile_sizes.rows, tile_sizes.failure_free_width,
		 tile_sizes.failure_free_rows);
}

static void compare_cases(const char *variable, long cases, int roles, int steps, bool small)
{
	const struct tile_sizes usual = tile_sizes;
	static struct time_case c;
	long left = number(variable, cases);

	for (uint64_t seed = (uint64_t)number("SIMULATE_TILES_SEED", 1); left > 0; seed++) {
		if (!case_make_line(&c, seed, roles, steps))
			continue;
		left--;
		draw_checkpoints(&c);
		if (small)
			draw_sizes(&c);
		compare(&c, 1 + (int)(seed % 3));
		tile_sizes = usual;
	}
}

static void test_small_tiles(void **state)
{
	(void)state;
	compare_cases("SIMULATE_TILES_SMALL", 300, 80, 120, true);
}

static void test_usual_tiles(void **state)
{
	(void)state;
	compare_cases("SIMULATE_TILES_LARGE", 3, 3000, 200, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_tiles),
		cmocka_unit_test(test_usual_tiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
