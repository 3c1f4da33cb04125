/* tests/drawn_pattern.h - a random pattern: several phases in an iteration, in each of which roles
 * send to some others, often several messages on a channel. What is received in a phase is waited
 * for behind it or some phases later. */
#ifndef TESTS_DRAWN_PATTERN_H
#define TESTS_DRAWN_PATTERN_H

#include "base/mix.h"
#include "base/status.h"
#include "contract/pattern.h"

enum { DRAWN_POSTED = 30 }; /* it waits before more receives than that are posted */

struct drawn_pattern {
	struct pattern pattern;
	uint64_t seed;
	int phases, period; /* period: so many iterations differ */
};

/* How messages from one role to another are in a phase: 0 to 3 of them, often none. */
static inline int drawn_channel(const struct drawn_pattern *p, int64_t iter, int phase, int source,
				int to, uint64_t *state)
{
	const uint64_t row = p->seed + (uint64_t)(iter % p->period) * 64 + (uint64_t)phase;
	int count;

	*state = mix(mix(row) + (uint64_t)source * 4096 + (uint64_t)to);
	count = (int)(mix_draw(state) % 8) - 4;
	return source == to || count < 0 ? 0 : count;
}

/* Calls for the messages of a phase with this tag; -1: with all. */
static inline int drawn_calls(const struct drawn_pattern *p, int role, int64_t iter, int phase,
			      enum pattern_kind kind, int wanted, pattern_watch *watch, void *ctx)
{
	const bool sends = kind == PATTERN_SEND;

	for (int peer = 0; phase >= 0 && peer < p->pattern.np; peer++) {
		uint64_t state;
		const int count = drawn_channel(p, iter, phase, sends ? role : peer,
						sends ? peer : role, &state);

		for (int i = 0; i < count; i++) {
			const int tag = (int)(mix_draw(&state) % 2);
			const size_t bytes = (size_t)(mix_draw(&state) % 4) * 5000;

			if (wanted < 0 || tag == wanted)
				RB_TRY(watch(ctx, &(struct pattern_operation){ kind, peer, tag,
									       bytes, false }));
		}
	}
	return RB_OK;
}

/* Receives that are posted in a phase: what has tag 0 one phase later than it is sent, and the rest
 * at the end. */
static inline int drawn_receives(const struct drawn_pattern *p, int role, int64_t iter, int phase,
				 pattern_watch *watch, void *ctx)
{
	RB_TRY(drawn_calls(p, role, iter, phase, PATTERN_RECEIVE, 1, watch, ctx));
	RB_TRY(drawn_calls(p, role, iter, phase - 1, PATTERN_RECEIVE, 0, watch, ctx));
	return phase + 1 == p->phases
		       ? drawn_calls(p, role, iter, phase, PATTERN_RECEIVE, 0, watch, ctx)
		       : RB_OK;
}

/* Counts the receives of a phase that is to come. */
static inline int drawn_count(void *ctx, const struct pattern_operation *o)
{
	*(int *)ctx += o->kind == PATTERN_RECEIVE;
	return RB_OK;
}

static inline int drawn_operations(const struct pattern *pattern, int role, int64_t iter,
				   pattern_watch *watch, void *ctx)
{
	const struct drawn_pattern *p = (const struct drawn_pattern *)pattern;
	const struct pattern_operation wait = { PATTERN_WAIT, -1, -1, 0, false };
	int posted = 0;

	for (int k = 0; k < p->phases; k++) {
		int more = posted;

		RB_TRY(drawn_receives(p, role, iter, k, drawn_count, &more));
		if (posted > 0 &&
		    (more > DRAWN_POSTED || mix(p->seed + (uint64_t)(role * 64 + k)) % 2)) {
			RB_TRY(watch(ctx, &wait));
			more -= posted;
		}
		RB_TRY(drawn_calls(p, role, iter, k, PATTERN_SEND, -1, watch, ctx));
		RB_TRY(drawn_receives(p, role, iter, k, watch, ctx));
		posted = more;
	}
	return watch(ctx, &wait);
}

static inline struct drawn_pattern drawn_pattern(uint64_t seed, int np, int phases, int period)
{
	return (struct drawn_pattern){ { np, drawn_operations }, seed, phases, period };
}

#endif
