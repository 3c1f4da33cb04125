/* The cone of data-flow rollback on thousands of small random programs: what cone_find() says is
 * what brute force finds (tests/cone_oracle.h). */
#include "tests/cone_oracle.h"
#include "tests/random_programs.h"

enum { TRIALS = 6000 };

struct tally {
	int possible, crooked, late, refused, duplicates, partial, needs;
};

static void count(struct trial *t, struct tally *tally)
{
	bool crooked = false, late = false, any = false;
	struct cone c;

	t->x.me = 0;
	assert_int_equal(cone_find(&c, &t->x), RB_OK);
	for (int r = 0; r < c.np; r++) {
		crooked = crooked || t->line[r] != t->line[0];
		late = late || (!t->restarted[r] && t->front[r] < c.newest);
		any = any || c.end[r].iter >= 0;
		tally->duplicates += c.end[r].iter >= 0;
		tally->partial += cone_supported(&c, t->line, r) > 0 && c.end[r].number > 1;
	}
	tally->needs += (int)c.needs;
	tally->possible += any;
	tally->crooked += any && crooked;
	tally->late += any && late;
	cone_free(&c);
}

static void it_is_what_brute_force_finds(void **state)
{
	static struct trial trial;
	struct tally tally = { 0 };

	(void)state;
	for (uint64_t i = 0; i < TRIALS; i++) {
		draw_trial(&trial, i);
		if (oracle_check(&trial.x) == RB_OK)
			count(&trial, &tally);
		else
			tally.refused++;
	}
	print_message(
		"%d trials: %d with duplicates, of them %d with a line that is not straight and %d "
		"with survivors apart; %d refused; %d duplicates, %d end within a later iteration; "
		"role 0 sends them %d messages\n",
		TRIALS, tally.possible, tally.crooked, tally.late, tally.refused, tally.duplicates,
		tally.partial, tally.needs);
	assert_true(tally.possible > TRIALS / 4 && tally.crooked > TRIALS / 20 &&
		    tally.late > TRIALS / 8);
	assert_true(tally.refused > TRIALS / 20 && tally.partial > TRIALS / 5 &&
		    tally.needs > TRIALS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_what_brute_force_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
