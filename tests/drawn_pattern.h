/* tests/drawn_pattern.h - a random pattern: several phases in an iteration, in each of which roles send to some others, often
 * several messages on a channel. What is received in a phase is waited for behind it or some phases later. */
#ifndef TESTS_DRAWN_PATTERN_H
#define TESTS_DRAWN_PATTERN_H

#include "base/mix.h"
#include "base/status.h"
#include "kernels/pattern.h"

enum { DRAWN_POSTED = 30 }; /* it waits before more receives than that are posted */

struct drawn_pattern {
	struct pattern pattern;
	uint64_t seed;
	int phases, period; /* period: so many iterations differ */
};

/* How messages from one role to another are in a phase: 0 to 3 of them, often none. */
static inline int drawn_channel(const struct drawn_pattern *p, int64_t iter, int phase, int source, int to, uint64_t *state)
{
	const uint64_t row = p->seed + (uint64_t)(iter % p->period) * 64 + (uint64_t)phase;
	int count;

	*state = mix(mix(row) + (uint64_t)source * 4096 + (uint64_t)to);
	count = (int)(mix_draw(state) % 8) - 4;
	return source == to || count < 0 ? 0 : count;
}

static inline int drawn_calls(const struct drawn_pattern *p, int role, int64_t iter, int phase, enum pattern_kind kind,
			      pattern_watch *watch, void *ctx)
{
	const bool sends = kind == PATTERN_SEND;

	for (int peer = 0; peer < p->pattern.np; peer++) {
		uint64_t state;
		const int count = drawn_channel(p, iter, phase, sends ? role : peer, sends ? peer : role, &state);

		uint64_t message[3];

		for (int i = 0; i < count; i++)
			message[i] = mix_draw(&state);
		/* What has tag 1 is received first, whenever it is sent. */
		for (int pass = 1; pass >= 0; pass--)
			for (int i = 0; i < count; i++) {
				const int tag = (int)(message[i] % 2);
				const struct pattern_operation o = { kind, peer, tag, message[i] / 2 % 4 * 5000, false };

				if (sends ? pass == 1 : tag == pass)
					RB_TRY(watch(ctx, &o));
			}
	}
	return RB_OK;
}

/* Counts the receives of a phase that is to come. */
static inline int drawn_count(void *ctx, const struct pattern_operation *o)
{
	*(int *)ctx += o->kind == PATTERN_RECEIVE;
	return RB_OK;
}

static inline int drawn_operations(const struct pattern *pattern, int role, int64_t iter, pattern_watch *watch, void *ctx)
{
	const struct drawn_pattern *p = (const struct drawn_pattern *)pattern;
	const struct pattern_operation wait = { PATTERN_WAIT, -1, -1, 0, false };
	int posted = 0;

	for (int k = 0; k < p->phases; k++) {
		int more = posted;

		RB_TRY(drawn_calls(p, role, iter, k, PATTERN_RECEIVE, drawn_count, &more));
		if (posted > 0 && (more > DRAWN_POSTED || mix(p->seed + (uint64_t)(role * 64 + k)) % 2)) {
			RB_TRY(watch(ctx, &wait));
			more -= posted;
		}
		RB_TRY(drawn_calls(p, role, iter, k, PATTERN_SEND, watch, ctx));
		RB_TRY(drawn_calls(p, role, iter, k, PATTERN_RECEIVE, watch, ctx));
		posted = more;
	}
	return watch(ctx, &wait);
}

static inline struct drawn_pattern drawn_pattern(uint64_t seed, int np, int phases, int period)
{
	return (struct drawn_pattern){ { np, drawn_operations }, seed, phases, period };
}

#endif
