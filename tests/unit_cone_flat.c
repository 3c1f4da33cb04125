/* The variant of data-flow rollback in which each role of the cone repeats everything
 * (data-flow-rollback paper, Alg. 1). Random recoveries are played with numbers
 * (tests/cone_play.h): duplicates go on without the messages of roles that have none, what they
 * send becomes wrong, and nothing of it may reach a restarted role or another survivor. The same is
 * played with the cone alone, where nothing is wrong. Closed forms for stencils are those of
 * docs/dataflow.md. */
#include "forecast/pattern/stencil_pattern.h"
#include "tests/cone_play.h"
#include "tests/cone_scene.h"
#include "tests/random_programs.h"

#include <string.h>

enum { TRIALS = 3000, STENCILS = 600, SIDE = 4 };

struct tally {
	int refused, possible, played, left_out, wrong, saved, late;
};

/* Duplicates end at the fronts, and the cone is what it is without `flat`. */
static void compare(const struct cone *flat, const struct cone *cone, const struct cone_case *x)
{
	for (int r = 0; r < cone->np; r++) {
		const bool member = cone->end[r].iter >= 0;
		const struct place front = { member ? x->front[r] : -1, 0 };

		assert_int_equal(place_compare(&flat->part[r], &cone->end[r]), 0);
		assert_int_equal(place_compare(&cone->part[r], &cone->end[r]), 0);
		assert_int_equal(place_compare(&flat->end[r], &front), 0);
		assert_int_equal(flat->distance[r], cone->distance[r]);
	}
	assert_int_equal(cone->absences, 0);
	assert_int_equal(flat->newest, cone->newest);
}

/* A message is left out only if its sender neither comes to it, nor has a duplicate that does, nor
 * has logged it. */
static void nothing_is_left_out_that_is_there(const struct play *p, const struct cone *flat, int me)
{
	const struct cone_case *x = p->o.x;

	for (size_t i = 0; i < flat->absences; i++) {
		const struct absence a = flat->absent[i];

		assert_true(a.iter < x->front[a.source]);
		assert_true(flat->end[a.source].iter < 0 || a.iter < x->line[a.source]);
		assert_true(x->restarted[a.source] || oracle_gap(&p->o, a.source, me, a.iter));
		assert_true(i == 0 || absence_compare(&flat->absent[i - 1], &a) <= 0);
	}
}

static void find_for_all(struct cone_case *x, bool flat, struct cone *of, int expected)
{
	x->flat = flat;
	for (x->me = 0; x->me < x->pattern->np; x->me++)
		assert_int_equal(cone_find(&of[x->me], x), expected);
}

/* As after coordinated checkpoints. Only such recoveries are played: a replay has no messages from
 * before a duplicate's start. */
static bool is_straight(const struct cone_case *x)
{
	for (int r = 1; r < x->pattern->np; r++)
		if (x->line[r] != x->line[0])
			return false;
	return true;
}

static void play_both(struct cone_case *x, struct tally *tally, const struct cone *flat,
		      const struct cone *cone)
{
	const int np = x->pattern->np;
	bool late = false;
	struct play p;

	play_init(&p, x);
	for (int r = 0; r < np; r++) {
		compare(&flat[r], &cone[r], x);
		nothing_is_left_out_that_is_there(&p, &flat[r], r);
		late = late || (!x->restarted[r] && x->front[r] < flat[r].newest);
	}
	tally->possible++;
	if (!is_straight(x)) {
		play_free(&p);
		return;
	}
	assert_int_equal(play_recovery(&p, cone), 0);
	assert_int_equal(p.left_out + p.wrong, 0);
	assert_int_equal(play_recovery(&p, flat), 0);
	tally->played++;
	tally->left_out += p.left_out > 0;
	tally->wrong += p.wrong > 0;
	tally->late += p.wrong > 0 && late;
	/* the check would find it if duplicates did not prefer what is stored */
	p.computed_only = true;
	tally->saved += play_recovery(&p, flat) > 0;
	play_free(&p);
}

static void check(struct cone_case *x, struct tally *tally)
{
	const size_t np = (size_t)x->pattern->np;
	struct cone *flat = calloc(2 * np, sizeof *flat), *cone = flat + np;
	struct cone first;
	int rc;

	assert_non_null(flat);
	x->me = 0;
	x->flat = false;
	rc = cone_find(&first, x);
	if (rc == RB_OK)
		cone_free(&first);
	find_for_all(x, false, cone, rc);
	find_for_all(x, true, flat, rc);
	if (rc == RB_OK)
		play_both(x, tally, flat, cone);
	else
		tally->refused++;
	for (size_t r = 0; r < np && rc == RB_OK; r++) {
		cone_free(&flat[r]);
		cone_free(&cone[r]);
	}
	free(flat);
}

static void random_programs(void **state)
{
	static struct trial trial;
	struct tally tally = { 0 };

	(void)state;
	for (uint64_t i = 0; i < TRIALS; i++) {
		draw_trial(&trial, i);
		check(&trial.x, &tally);
	}
	print_message(
		"%d recoveries, %d refused, %d played: receives left out in %d, wrong messages in "
		"%d, of them %d with survivors apart; %d are saved by what is stored\n",
		tally.possible, tally.refused, tally.played, tally.left_out, tally.wrong,
		tally.late, tally.saved);
	assert_true(tally.left_out > TRIALS / 60 && tally.wrong > TRIALS / 600 &&
		    tally.saved > TRIALS / 120);
}

static struct scene scene;

/* One to three deaths, survivors up to an iteration apart, and logs at random: no log at all, the
 * oldest iterations, or some channels. */
static void draw_stencil(const struct pattern *p, uint64_t *seed)
{
	const int np = p->np, lost = 1 + (int)(mix_draw(seed) % 8),
		  deaths = 1 + (int)(mix_draw(seed) % 3);
	const bool apart = mix_draw(seed) % 3 == 0;

	all_at(&scene, p, lost);
	for (int r = 0; apart && lost > 1 && r < np; r++)
		scene.front[r] -= (int)(mix_draw(seed) % 2);
	for (int i = 0; i < deaths; i++)
		restart(&scene, (int)(mix_draw(seed) % (uint64_t)np));
	without_logs(&scene);
	switch (mix_draw(seed) % 4) {
	case 0:
		log_has(&scene, -1, 0, (int64_t)(mix_draw(seed) % (uint64_t)lost));
		break;
	case 1:
		for (size_t i = 0; i < scene.gaps;
		     i++) /* a channel is in the log up to some iteration */
			if (mix_draw(seed) % 2 && scene.gap[i].from == 0 && scene.gap[i].to > 0)
				scene.gap[i].from =
					(int64_t)(mix_draw(seed) % (uint64_t)scene.gap[i].to);
		break;
	case 2:
		for (size_t i = 0; i < scene.gaps;)
			if (mix_draw(seed) % 3 == 0)
				scene.gap[i] = scene.gap[--scene.gaps];
			else
				i++;
		break;
	default:
		break;
	}
}

static void random_stencils(void **state)
{
	const int lengths[][2] = { { 12 }, { 21 }, { SIDE, SIDE }, { 7, 7 } };
	struct tally tally = { 0 };
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < STENCILS; i++) {
		const int kind = i % 4;
		const size_t bytes[] = { 8, 0 };
		struct stencil_pattern p;
		struct rb_error err;
		struct cone_case x;

		assert_int_equal(stencil_pattern_init(&p, kind < 2 ? 1 : 2, lengths[kind],
						      i % 5 == 0, bytes, &err),
				 RB_OK);
		draw_stencil(&p.pattern, &seed);
		x = case_of(&scene, 0);
		check(&x, &tally);
	}
	print_message(
		"%d recoveries: receives left out in %d, wrong messages in %d, of them %d with "
		"survivors apart; %d are saved by what is stored\n",
		tally.possible, tally.left_out, tally.wrong, tally.late, tally.saved);
	assert_int_equal(tally.played, STENCILS);
	assert_true(tally.left_out > STENCILS / 4 && tally.wrong > STENCILS / 4 &&
		    tally.late > STENCILS / 20 && tally.saved > STENCILS / 20);
}

/* Roles at distance L or less repeat all L iterations. */
static void closed_forms(void **state)
{
	static const struct {
		int dimensions, length[2], role;
	} grids[] = { { 1, { 41, 1 }, 20 }, { 2, { 25, 25 }, 312 } };
	const size_t bytes[] = { 8, 0 };

	(void)state;
	for (int g = 0; g < 2; g++)
		for (int64_t lost = 1; lost <= 8; lost++) {
			const int64_t roles = g == 0 ? 2 * lost : 2 * lost * (lost + 1);
			struct stencil_pattern p;
			struct rb_error err;

			assert_int_equal(stencil_pattern_init(&p, grids[g].dimensions,
							      grids[g].length, false, bytes, &err),
					 RB_OK);
			lose(&scene, &p.pattern, grids[g].role, lost);
			scene.flat = true;
			assert_int_equal(find(&scene, -1), RB_OK);
			assert_int_equal(supporting(&scene), roles);
			assert_int_equal(sending(&scene), 0);
			assert_int_equal(work(&scene, lost), lost * (roles + 1));
			cone_free(&scene.cone);
		}
}

/* Borders clip it: in a grid of roles, whoever is not further away than L. */
static void jacobi(void **state)
{
	static const struct {
		const char *decomp;
		int rows, columns;
	} grids[] = { { "1x16", 1, 16 }, { "7x7", 7, 7 } };

	(void)state;
	for (int g = 0; g < 2; g++) {
		const int np = grids[g].rows * grids[g].columns, columns = grids[g].columns;
		const struct kernel_args args = { { "70", "100", grids[g].decomp } };
		struct kernel_pattern p = kernel_pattern(kernel_find("jacobi"), &args, np);

		for (int64_t lost = 1; lost <= 8; lost++)
			for (int dead = 0; dead < np; dead++) {
				lose(&scene, &p.pattern, dead, lost);
				scene.flat = true;
				assert_int_equal(find(&scene, -1), RB_OK);
				for (int r = 0; r < np; r++) {
					int d = abs(r / columns - dead / columns) +
						abs(r % columns - dead % columns);

					assert_int_equal(cone_supported(&scene.cone, scene.line, r),
							 d && d <= lost ? lost : 0);
				}
				cone_free(&scene.cone);
			}
	}
}

/* A role that is left out is left out from the first iteration on, and only at the border of the
 * cone. */
static void who_is_left_out_in_a_chain(void **state)
{
	struct stencil_pattern p;

	(void)state;
	for (int me = 0; me < 21; me++) {
		const int source = me == 7 ? 6 : 14;

		lose(&scene, chain(&p, 21), 10, 3);
		scene.flat = true;
		assert_int_equal(find(&scene, me), RB_OK);
		assert_int_equal(scene.cone.absences, me == 7 || me == 13 ? 3 : 0);
		for (size_t i = 0; i < scene.cone.absences; i++)
			assert_int_equal(absence_compare(&scene.cone.absent[i],
							 &(struct absence){ (int64_t)i, source }),
					 0);
		/* to the duplicates on both sides in each iteration */
		assert_int_equal(scene.cone.needs, abs(me - 10) > 3                         ? 0
						   : abs(me - 10) == 3 || abs(me - 10) == 1 ? 3
											    : 6);
		cone_free(&scene.cone);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_forms),
		cmocka_unit_test(jacobi),
		cmocka_unit_test(who_is_left_out_in_a_chain),
		cmocka_unit_test(random_stencils),
		cmocka_unit_test(random_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
