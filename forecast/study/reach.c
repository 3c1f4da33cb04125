/* How many ranks a component reaches, for 512 components at a time (forecast/study/components.h).
 */
#include "forecast/study/components.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 8, VICTIMS = 64 * WORDS, LEVELS = 32 };

/* A bit for each victim. */
struct mask {
	uint64_t word[WORDS];
};

/* What is known of a component. One byte, since most components are only passed by. */
enum {
	WAITS = 1,  /* it is reached, and its edges have not been followed */
	BY_ALL = 2, /* all victims reach it, so its mask does not matter */
	MASKED = 4, /* its mask is not empty */
};

struct sweep {
	const struct components *x;
	struct mask *mask; /* count: which victims reach a component */
	uint8_t *state;    /* count */
	int waiting;       /* components that wait */
	struct mask every; /* all victims */
	int64_t common;    /* ranks that all victims reach */
	/* binary counters: bit v of sum[k] is bit k of the count of victim v */
	struct mask sum[LEVELS];
};

/* Add `size` to the counters of all victims of the mask. */
static void count_mask(struct sweep *w, const struct mask *m, int32_t size)
{
	for (int bit = 0; size >> bit; bit++) {
		struct mask carry = *m;
		uint64_t any = (uint64_t)(size >> bit & 1);

		for (int k = bit; any && k < LEVELS; k++) {
			any = 0;
			for (int i = 0; i < WORDS; i++) {
				const uint64_t both = w->sum[k].word[i] & carry.word[i];

				w->sum[k].word[i] ^= carry.word[i];
				carry.word[i] = both;
				any |= both;
			}
		}
	}
}

/* What all victims reach is counted once for all of them. */
static bool is_by_all(const struct sweep *w, int i)
{
	uint64_t missing = 0;

	if (w->state[i] & BY_ALL)
		return true;
	for (int k = 0; k < WORDS; k++)
		missing |= w->every.word[k] & ~w->mask[i].word[k];
	return missing == 0;
}

static void add_to_mask(struct sweep *w, int to, const struct mask *m)
{
	for (int i = 0; i < WORDS; i++)
		w->mask[to].word[i] |= m->word[i];
}

static void pass_on(struct sweep *w, int from, bool by_all)
{
	const struct components *x = w->x;
	const uint8_t state = by_all ? WAITS | BY_ALL : WAITS | MASKED;

	for (size_t e = x->first[from]; e < x->first[from + 1]; e++) {
		const int32_t to = x->to[e];

		w->waiting += !(w->state[to] & WAITS);
		if (!by_all && w->state[to] & BY_ALL)
			continue;
		w->state[to] |= state;
		if (!by_all)
			add_to_mask(w, to, &w->mask[from]);
	}
}

/* Edges lead to smaller numbers, so a component that is looked at has been reached by all victims
 * that ever reach it. */
static void follow(struct sweep *w, int from)
{
	for (int i = from; w->waiting > 0; i--) {
		bool by_all;

		if (!(w->state[i] & WAITS))
			continue;
		by_all = is_by_all(w, i);
		if (by_all)
			w->common += w->x->size[i];
		else
			count_mask(w, &w->mask[i], w->x->size[i]);
		pass_on(w, i, by_all);
		if (w->state[i] & MASKED)
			memset(&w->mask[i], 0, sizeof w->mask[i]);
		w->state[i] = 0;
		w->waiting--;
	}
}

static int32_t counted(const struct sweep *w, int victim)
{
	uint64_t count = 0;

	for (int k = 0; k < LEVELS; k++)
		count |= (w->sum[k].word[victim / 64] >> (victim % 64) & 1) << k;
	return (int32_t)(count + (uint64_t)w->common);
}

/* The victims are the components from begin to end - 1. */
static void sweep(struct sweep *w, int begin, int end, int32_t *reach)
{
	memset(w->sum, 0, sizeof w->sum);
	memset(&w->every, 0, sizeof w->every);
	w->common = 0;
	for (int i = begin; i < end; i++) {
		w->every.word[(i - begin) / 64] |= (uint64_t)1 << (i - begin) % 64;
		w->mask[i].word[(i - begin) / 64] |= (uint64_t)1 << (i - begin) % 64;
		w->state[i] = WAITS | MASKED;
	}
	w->waiting = end - begin;
	follow(w, end - 1);
	for (int i = begin; i < end; i++)
		reach[i] = counted(w, i - begin);
}

int components_reach(const struct components *x, int32_t *reach)
{
	const size_t n = (size_t)x->count;
	struct sweep *w = calloc(1, sizeof *w);
	int rc = RB_ENOMEM;

	if (w) {
		w->x = x;
		w->mask = calloc(n, sizeof *w->mask);
		w->state = calloc(n, sizeof *w->state);
		rc = w->mask && w->state ? RB_OK : RB_ENOMEM;
		for (int end = x->count; rc == RB_OK && end > 0; end -= VICTIMS)
			sweep(w, end > VICTIMS ? end - VICTIMS : 0, end, reach);
		free(w->mask);
		free(w->state);
	}
	free(w);
	return rc;
}
