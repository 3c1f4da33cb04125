#include "forecast/study/effort.h"

#include "base/mix.h"
#include "base/status.h"
#include "ft/recovery/closure.h"
#include "forecast/study/chains.h"
#include "forecast/study/components.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Channels of a matrix, some of which are off, and some of which are lost with their receivers. */
struct switched {
	const struct exchange *e;
	const bool *off, *lost;
	bool marked; /* of those that are lost, say that their receivers have them */
};

/* A channel that is on has no hole, so it is before any base. */
static struct channel channel_of(const void *ctx, size_t i)
{
	const struct switched *s = ctx;
	const bool again = i >= s->e->count; /* what is lost is listed behind what is off */
	const size_t at = again ? i - s->e->count : i;
	const bool hole = (again ? s->lost : s->off)[at] && s->e->source[at] != s->e->receiver[at];

	return (struct channel){ s->e->source[at], s->e->receiver[at], hole ? 0 : -1,
				 again && s->marked };
}

/* Rank P + v stands for the victim v, which has lost what it has received; rank v is the same one
 * with its copies. Whoever goes back with v: v itself, and the senders that lack them. So a search
 * from P + v goes over both. */
static struct channel channel_to_victim(const void *ctx, size_t i)
{
	const struct switched *s = ctx;
	const size_t count = s->e->count;
	struct channel c;

	if (i >= 2 * count)
		return (struct channel){ (int32_t)(i - 2 * count),
					 (int32_t)(i - 2 * count) + s->e->np, 0, 0 };
	c = channel_of(ctx, i);
	if (i >= count)
		c.receiver += s->e->np;
	return c;
}

/* The same for chains: the victim is its own beginning, so what it has lost and what is off is one
 * step away from P + v. */
static struct channel channel_from_victim(const void *ctx, size_t i)
{
	const struct switched *s = ctx;
	const size_t count = s->e->count;
	struct channel c = channel_of(ctx, i < 2 * count ? i : i - 2 * count);

	if (i >= count)
		c.receiver += s->e->np;
	return c;
}

static int find_lost_sets(struct effort *x, const struct switched *s, int32_t *sets)
{
	const int np = s->e->np;
	struct components parts;
	struct channels c;
	int32_t *reach;
	double sum = 0;
	int rc = channels_build(&c, 2 * np, 0, 2 * s->e->count + (size_t)np, channel_to_victim, s);

	if (rc != RB_OK)
		return rc;
	rc = components_make(&parts, &c);
	channels_free(&c);
	if (rc != RB_OK)
		return rc;
	reach = malloc((size_t)parts.count * sizeof *reach);
	rc = reach ? components_reach(&parts, reach) : RB_ENOMEM;
	for (int r = 0; rc == RB_OK && r < np; r++) {
		const int32_t set = reach[parts.of[np + r]] - 1; /* without P + r */

		sum += set;
		x->set_most = set > x->set_most ? set : x->set_most;
		if (sets)
			sets[r] = set;
	}
	x->set = sum / np;
	x->components = parts.count - np;
	free(reach);
	components_free(&parts);
	return rc;
}

static int find_sets(struct effort *x, const struct channels *c, int32_t *sets)
{
	struct components parts;
	int32_t *reach;
	double sum = 0;
	int rc = components_make(&parts, c);

	if (rc != RB_OK)
		return rc;
	reach = malloc((size_t)parts.count * sizeof *reach);
	rc = reach ? components_reach(&parts, reach) : RB_ENOMEM;
	for (int i = 0; rc == RB_OK && i < parts.count; i++) {
		/* whole numbers below 2^53, for up to 9e7 ranks */
		sum += (double)reach[i] * parts.size[i];
		x->set_most = reach[i] > x->set_most ? reach[i] : x->set_most;
	}
	for (int r = 0; rc == RB_OK && sets && r < c->np; r++)
		sets[r] = reach[parts.of[r]];
	x->set = sum / c->np;
	x->components = parts.count;
	free(reach);
	components_free(&parts);
	return rc;
}

/* `count` different ranks: a partial shuffle (Fisher and Yates). The caller frees the list. NULL:
 * out of memory. */
static int32_t *draw_victims(int np, int count, uint64_t seed)
{
	int32_t *rank = malloc((size_t)np * sizeof *rank);
	uint64_t state = mix(seed);

	for (int i = 0; rank && i < np; i++)
		rank[i] = i;
	for (int i = 0; rank && i < count; i++) {
		const int j = i + (int)(mix_draw(&state) % (uint64_t)(np - i)), other = rank[i];

		rank[i] = rank[j];
		rank[j] = other;
	}
	return rank;
}

/* A sample without replacement, so its error is less the more of the ranks are in it. */
static void note_chains(struct effort *x, const int32_t *chain, int count, int np)
{
	double sum = 0, squares = 0;

	for (int i = 0; i < count; i++) {
		sum += chain[i];
		x->chain_most = chain[i] > x->chain_most ? chain[i] : x->chain_most;
	}
	x->chain = sum / count;
	x->chain_victims = count;
	for (int i = 0; i < count; i++)
		squares += (chain[i] - x->chain) * (chain[i] - x->chain);
	if (count < np && count > 1)
		x->chain_error = sqrt(squares / (count - 1) / count * (1 - (double)count / np));
}

/* twins: chains_find(). */
static int find_chains(struct effort *x, const struct channels *c, int np, int twins, int victims,
		       uint64_t seed)
{
	const int count = victims < np ? victims : np;
	int32_t *chain = malloc((size_t)count * sizeof *chain), *victim = NULL;
	int rc = chain ? RB_OK : RB_ENOMEM;

	if (rc == RB_OK && count < np) {
		victim = draw_victims(np, count, seed);
		rc = victim ? RB_OK : RB_ENOMEM;
	}
	if (rc == RB_OK)
		rc = chains_find(c, twins, victim, count, chain, NULL);
	if (rc == RB_OK)
		note_chains(x, chain, count, np);
	free(chain);
	free(victim);
	return rc;
}

static int find_lost(struct effort *x, const struct switched *s, int victims, uint64_t seed,
		     int32_t *sets)
{
	const struct exchange *e = s->e;
	struct channels c;
	int rc = e->np <= INT32_MAX / 2 ? find_lost_sets(x, s, sets) : RB_EINVAL;

	if (rc == RB_OK)
		rc = channels_build(&c, 2 * e->np, 0, 3 * e->count, channel_from_victim, s);
	if (rc != RB_OK)
		return rc;
	rc = find_chains(x, &c, e->np, e->np, victims, seed);
	channels_free(&c);
	return rc;
}

int effort_find(struct effort *x, const struct exchange *e, const bool *off, const bool *lost,
		int victims, uint64_t seed, int32_t *sets)
{
	const struct switched s = { e, off, lost, false };
	struct channels c;
	int rc;

	*x = (struct effort){ 0 };
	if (lost)
		return find_lost(x, &s, victims, seed, sets);
	rc = channels_build(&c, e->np, 0, e->count, channel_of, &s);
	if (rc != RB_OK)
		return rc;
	rc = find_sets(x, &c, sets);
	if (rc == RB_OK)
		rc = find_chains(x, &c, e->np, 0, victims, seed);
	channels_free(&c);
	return rc;
}

int effort_members(const struct exchange *e, const bool *off, const bool *lost, bool *set)
{
	const struct switched s = { e, off, lost, true };
	const size_t n = (size_t)e->np;
	int64_t *line = calloc(2 * n, sizeof *line), *front = line + n;
	struct channels c;
	int chain, rc = line ? channels_build(&c, e->np, 0, lost ? 2 * e->count : e->count,
					      channel_of, &s)
			     : RB_ENOMEM;

	if (rc != RB_OK) {
		free(line);
		return rc;
	}
	memset(set, 0, n * n * sizeof *set);
	for (size_t r = 0; r < n; r++)
		front[r] = 1; /* all holes are in iteration 0 */
	c.copies = front;     /* and only the victim has no copies of it */
	for (size_t v = 0; rc == RB_OK && v < n; v++) {
		front[v] = 0;
		set[v * n + v] = true;
		rc = closure(&c, line, front, front, set + v * n, &chain);
		front[v] = 1;
	}
	channels_free(&c);
	free(line);
	return rc;
}
