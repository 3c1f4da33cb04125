/* tests/random_programs.h - small random programs whose roles exchange messages, and recoveries of
 * them at random: lines, fronts, deaths, and what is in the logs. The same seed gives the same
 * trial. */
#ifndef TESTS_RANDOM_PROGRAMS_H
#define TESTS_RANDOM_PROGRAMS_H

#include "base/mix.h"
#include "ft/recovery/cone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROLES = 6, ITERATIONS = 5, OPERATIONS = 96, MESSAGES = 7, TAGS = 2 };

/* Patterns that differ from iteration to iteration. A message's number of bytes is its number, so
 * that oracle_pair() finds a message that is paired with a wrong receive. */
struct random_pattern {
	struct pattern pattern;
	int64_t base; /* the first iteration */
	struct script {
		struct pattern_operation op[OPERATIONS];
		int count;
	} script[ITERATIONS][ROLES];
};

struct trial {
	uint64_t seed;
	struct random_pattern pattern;
	int64_t line[ROLES], front[ROLES];
	bool restarted[ROLES];
	struct gap gap[ROLES * ROLES * ITERATIONS];
	struct cone_case x;
};

static inline int draw(struct trial *t, int below)
{
	return (int)(mix_draw(&t->seed) % (uint64_t)below);
}

static inline int operations(const struct pattern *pattern, int role, int64_t iter,
			     pattern_watch *watch, void *ctx)
{
	const struct random_pattern *p = (const struct random_pattern *)pattern;
	const struct script *s;

	assert_in_range(iter - p->base, 0, ITERATIONS - 1);
	s = &p->script[iter - p->base][role];
	for (int k = 0; k < s->count; k++)
		RB_TRY(watch(ctx, &s->op[k]));
	return RB_OK;
}

static inline void append(struct script *s, struct pattern_operation o)
{
	assert_true(s->count < OPERATIONS);
	s->op[s->count++] = o;
}

/* Operations of a reduction have tags of kernels here, so that one that is not left out is
 * found. */
static inline void append_reduction(struct trial *t, struct script *s, int role)
{
	int peer = (role + 1) % t->pattern.pattern.np;

	append(s, (struct pattern_operation){ PATTERN_RECEIVE, peer, draw(t, TAGS), 8, true });
	append(s, (struct pattern_operation){ PATTERN_SEND, peer, draw(t, TAGS), 8, true });
	append(s, (struct pattern_operation){ PATTERN_WAIT, -1, -1, 0, true });
}

/* Sends and receives of a role in a round, mixed; their own order is kept. */
static inline void mix_round(struct trial *t, struct script *to, const struct script *sends,
			     const struct script *receives)
{
	for (int s = 0, r = 0; s < sends->count || r < receives->count;) {
		bool send = r == receives->count || (s < sends->count && draw(t, 2));

		append(to, send ? sends->op[s++] : receives->op[r++]);
	}
}

/* All receives of a round are completed in it or in a later one, and only after the sends of the
 * round: as in a program that can be run. */
static inline void draw_round(struct trial *t, struct script script[ROLES], size_t *messages,
			      bool last)
{
	struct script sends[ROLES] = { 0 }, receives[ROLES] = { 0 };
	const int np = t->pattern.pattern.np;

	for (int i = draw(t, MESSAGES); i > 0; i--) {
		int from = draw(t, np), to = (from + 1 + draw(t, np - 1)) % np, tag = draw(t, TAGS);

		++*messages;
		append(&sends[from],
		       (struct pattern_operation){ PATTERN_SEND, to, tag, *messages, false });
		append(&receives[to],
		       (struct pattern_operation){ PATTERN_RECEIVE, from, tag, *messages, false });
	}
	for (int r = 0; r < np; r++) {
		mix_round(t, &script[r], &sends[r], &receives[r]);
		if (draw(t, 6) == 0)
			append_reduction(t, &script[r], r);
		if (last || (receives[r].count > 0 ? draw(t, 5) > 0 : draw(t, 5) == 0))
			append(&script[r],
			       (struct pattern_operation){ PATTERN_WAIT, -1, -1, 0, false });
	}
}

static inline void draw_pattern(struct trial *t)
{
	static const int64_t bases[] = { 0, 7, (int64_t)1 << 33 };
	struct random_pattern *p = &t->pattern;
	size_t messages = 0;

	p->pattern = (struct pattern){ 2 + draw(t, ROLES - 1), operations };
	p->base = bases[draw(t, 3)];
	for (int i = 0; i < ITERATIONS; i++) {
		int rounds = 1 + draw(t, 5);

		for (int r = 0; r < ROLES; r++)
			p->script[i][r].count = 0;
		while (rounds-- > 0)
			draw_round(t, p->script[i], &messages, rounds == 0);
	}
}

/* Of each channel, the runs of iterations that are not in the log; some runs are cut in two. The
 * last iteration has often been kept. */
static inline void draw_gaps(struct trial *t)
{
	/* 0: everything is logged; 8: nothing */
	const int np = t->pattern.pattern.np, often = draw(t, 9);

	t->x.gap = t->gap;
	t->x.gaps = 0;
	for (int s = 0; s < np; s++)
		for (int d = np - 1; d >= 0; d--)
			for (int64_t i = t->pattern.base; s != d && i < t->front[s]; i++) {
				struct gap *last = &t->gap[t->x.gaps - (t->x.gaps > 0)];

				if (t->restarted[s] || draw(t, 8) >= often)
					continue;
				if (t->x.gaps > 0 && last->source == s && last->receiver == d &&
				    last->to == i && !last->kept && i < t->front[s] - 1 &&
				    draw(t, 4) > 0)
					last->to++;
				else
					t->gap[t->x.gaps++] =
						(struct gap){ s, d, i, i + 1,
							      i == t->front[s] - 1 &&
								      draw(t, 8) > 0 };
			}
}

/* Fronts are one iteration apart, in a tenth of the trials two. */
static inline void draw_trial(struct trial *t, uint64_t seed)
{
	int np, top, straight, apart, chance;

	t->seed = seed;
	draw_pattern(t);
	np = t->pattern.pattern.np;
	top = 1 + draw(t, 2 * ITERATIONS);
	top = top > ITERATIONS ? ITERATIONS : top;
	straight = draw(t, 2);
	apart = draw(t, 10) ? 2 : 3;
	chance = 2 + draw(t, 4);
	for (int r = 0; r < np; r++) {
		int front = top - draw(t, apart), line = straight ? 0 : draw(t, 2);

		front = front < 0 ? 0 : front;
		line = line > front ? front : line;
		t->restarted[r] = draw(t, chance) == 0;
		t->line[r] = t->pattern.base + line;
		t->front[r] = t->restarted[r] ? t->line[r] : t->pattern.base + front;
	}
	t->x = (struct cone_case){ .pattern = &t->pattern.pattern,
				   .line = t->line,
				   .front = t->front,
				   .restarted = t->restarted,
				   .me = -1 };
	draw_gaps(t);
}

#endif
