#include "forecast/study/chains.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 8, VICTIMS = 64 * WORDS };

/* Masks have `words` words per rank. */
struct search {
	const struct channels *c;
	int words;
	uint64_t *reached;  /* by which victims */
	uint64_t *last;     /* by which victims in the last step */
	uint64_t *next;     /* by which victims in this one */
	int32_t *from, *to; /* ranks that were reached in the last step and in this one */
	int32_t from_count, to_count;
};

static bool is_zero(const uint64_t *mask, int words)
{
	for (int i = 0; i < words; i++)
		if (mask[i])
			return false;
	return true;
}

static uint64_t *of(uint64_t *masks, const struct search *x, int32_t rank)
{
	return masks + (size_t)rank * (size_t)x->words;
}

/* Enter rank s for all victims that reach it for the first time. */
static void reach(struct search *x, const uint64_t *last, int32_t s)
{
	const uint64_t *reached = of(x->reached, x, s);
	uint64_t *next = of(x->next, x, s), fresh[WORDS], any = 0;

	for (int i = 0; i < x->words; i++) {
		fresh[i] = last[i] & ~reached[i];
		any |= fresh[i];
	}
	if (!any)
		return;
	if (is_zero(next, x->words))
		x->to[x->to_count++] = s;
	for (int i = 0; i < x->words; i++)
		next[i] |= fresh[i];
}

/* One step of all searches. found[words]: victims that reached a rank. */
static void step(struct search *x, uint64_t *found)
{
	uint64_t *masks = x->last;
	int32_t *ranks = x->from;

	x->to_count = 0;
	for (int32_t k = 0; k < x->from_count; k++) {
		const int32_t d = x->from[k];

		for (uint32_t e = x->c->first[d]; e < x->c->first[d + 1]; e++)
			reach(x, of(x->last, x, d), x->c->source[e]);
	}
	memset(found, 0, (size_t)x->words * sizeof *found);
	for (int32_t k = 0; k < x->to_count; k++)
		for (int i = 0; i < x->words; i++) {
			of(x->reached, x, x->to[k])[i] |= of(x->next, x, x->to[k])[i];
			found[i] |= of(x->next, x, x->to[k])[i];
		}
	for (int32_t k = 0; k < x->from_count; k++)
		memset(of(x->last, x, x->from[k]), 0, (size_t)x->words * sizeof *x->last);
	x->last = x->next;
	x->next = masks;
	x->from = x->to;
	x->to = ranks;
	x->from_count = x->to_count;
}

static void begin(struct search *x, int twins, const int32_t *victim, int first, int count)
{
	memset(x->reached, 0, (size_t)x->c->np * (size_t)x->words * sizeof *x->reached);
	x->from_count = 0;
	for (int v = 0; v < count; v++) {
		const int32_t self = victim ? victim[first + v] : first + v, rank = self + twins;
		const uint64_t bit = (uint64_t)1 << v % 64;

		if (is_zero(of(x->last, x, rank), x->words))
			x->from[x->from_count++] = rank;
		of(x->last, x, rank)[v / 64] |= bit;
		of(x->reached, x, rank)[v / 64] |= bit;
		of(x->reached, x, self)[v / 64] |= bit;
	}
}

static void count_sets(const struct search *x, int count, int32_t *set)
{
	memset(set, 0, (size_t)count * sizeof *set);
	for (int32_t r = 0; r < x->c->np; r++)
		for (int v = 0; v < count; v++)
			set[v] += (int32_t)(x->reached[(size_t)r * (size_t)x->words +
						       (size_t)v / 64] >>
						    v % 64 &
					    1);
}

static void search(struct search *x, int count, int32_t *chain)
{
	uint64_t found[WORDS];

	memset(chain, 0, (size_t)count * sizeof *chain);
	for (int32_t steps = 1; x->from_count > 0; steps++) {
		step(x, found);
		for (int v = 0; v < count; v++)
			if (found[v / 64] >> v % 64 & 1)
				chain[v] = steps;
	}
}

int chains_find(const struct channels *c, int twins, const int32_t *victim, int count,
		int32_t *chain, int32_t *set)
{
	const int most = count < VICTIMS ? count : VICTIMS;
	struct search x = { .c = c, .words = (most + 63) / 64 };
	const size_t masks = (size_t)c->np * (size_t)x.words, n = (size_t)c->np;
	int rc;

	if (count == 0)
		return RB_OK;
	x.reached = malloc(masks * sizeof *x.reached);
	x.last = calloc(masks, sizeof *x.last);
	x.next = calloc(masks, sizeof *x.next);
	x.from = malloc(n * sizeof *x.from);
	x.to = malloc(n * sizeof *x.to);
	rc = x.reached && x.last && x.next && x.from && x.to ? RB_OK : RB_ENOMEM;
	for (int first = 0; rc == RB_OK && first < count; first += VICTIMS) {
		const int some = count - first < VICTIMS ? count - first : VICTIMS;

		begin(&x, twins, victim, first, some);
		search(&x, some, chain + first);
		if (set)
			count_sets(&x, some, set + first);
	}
	free(x.reached);
	free(x.last);
	free(x.next);
	free(x.from);
	free(x.to);
	return rc;
}
