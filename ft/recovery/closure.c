#include "ft/recovery/closure.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static bool fits(const struct channel *ch, int np, int64_t base)
{
	return ch->source >= 0 && ch->source < np && ch->receiver >= 0 && ch->receiver < np &&
	       ch->hole - base <= INT32_MAX;
}

struct channel channel_in_list(const void *ctx, size_t i)
{
	return ((const struct channel *)ctx)[i];
}

/* Count the channels of each receiver into first[receiver + 1]. *copied: one is by_receiver. */
static int count_channels(struct channels *c, size_t count, channel_at *at, const void *ctx,
			  bool *copied)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		struct channel ch = at(ctx, i);

		if (ch.hole < c->base)
			continue;
		if (!fits(&ch, c->np, c->base) || ++used > UINT32_MAX)
			return RB_EINVAL;
		c->first[ch.receiver + 1]++;
		*copied = *copied || ch.by_receiver;
	}
	for (int d = 0; d < c->np; d++)
		c->first[d + 1] += c->first[d];
	return RB_OK;
}

/* first[d] moves on as the channels of d are filled in; afterwards it stands where d + 1 begins. */
static void fill_in(struct channels *c, size_t count, channel_at *at, const void *ctx)
{
	for (size_t i = 0; i < count; i++) {
		struct channel ch = at(ctx, i);
		uint32_t place;

		if (ch.hole < c->base)
			continue;
		place = c->first[ch.receiver]++;
		c->source[place] = ch.source;
		c->age[place] = (int32_t)(ch.hole - c->base);
		if (c->by_receiver)
			c->by_receiver[place] = ch.by_receiver;
	}
	memmove(c->first + 1, c->first, (size_t)c->np * sizeof *c->first);
	c->first[0] = 0;
}

int channels_build(struct channels *c, int np, int64_t base, size_t count, channel_at *at,
		   const void *ctx)
{
	bool copied = false;
	int rc = RB_ENOMEM;

	*c = (struct channels){ .np = np, .base = base };
	c->first = calloc((size_t)np + 1, sizeof *c->first);
	if (c->first)
		rc = count_channels(c, count, at, ctx, &copied);
	if (rc == RB_OK) {
		size_t used = c->first[np] > 0 ? c->first[np] : 1;

		c->source = malloc(used * sizeof *c->source);
		c->age = malloc(used * sizeof *c->age);
		c->by_receiver = copied ? malloc(used * sizeof *c->by_receiver) : NULL;
		rc = c->source && c->age && (c->by_receiver || !copied) ? RB_OK : RB_ENOMEM;
	}
	if (rc == RB_OK)
		fill_in(c, count, at, ctx);
	else
		channels_free(c);
	return rc;
}

void channels_free(struct channels *c)
{
	free(c->first);
	free(c->source);
	free(c->age);
	free(c->by_receiver);
	memset(c, 0, sizeof *c);
}

/* A closure under way. */
struct search {
	const struct channels *c;
	const int64_t *ahead;
	bool *rolled;   /* the rollback set as of the end of the last round */
	bool *known;    /* np: in that set, or found in this round */
	int32_t *found; /* np: the roles that were found, in the order of finding them */
	int count;
};

/* Messages of channel i of receiver d that nobody has are searched for from this iteration on, if d
 * resumes in `from`. */
static int64_t lacks_from(const struct channels *c, uint32_t i, int d, int64_t from)
{
	const bool copied = c->by_receiver && c->by_receiver[i] && c->copies;

	return copied && c->copies[d] > from ? c->copies[d] : from;
}

/* Find the senders that receiver d makes go back if it resumes in iteration `from`. */
static void ask_senders(struct search *x, int d, int64_t from)
{
	const struct channels *c = x->c;

	for (uint32_t i = c->first[d]; i < c->first[d + 1]; i++) {
		int32_t s = c->source[i];

		if (x->known[s] || s == d || from >= x->ahead[s] ||
		    c->base + c->age[i] < lacks_from(c, i, d, from))
			continue;
		x->known[s] = true;
		x->found[x->count++] = s;
	}
}

/* Roles found in one round go back together at its end, so each round is one step of the rollback
 * chain. The first round examines every receiver; later ones only those that have just gone back,
 * since nothing has changed for the others. Returns the number of rounds that found a role. */
static int search(struct search *x, const int64_t *line, const int64_t *behind)
{
	int rounds = 0, begin = 0, end;

	for (int d = 0; d < x->c->np; d++)
		ask_senders(x, d, x->rolled[d] ? line[d] : behind[d]);
	while (x->count > begin) {
		rounds++;
		end = x->count;
		for (int i = begin; i < end; i++)
			x->rolled[x->found[i]] = true;
		for (int i = begin; i < end; i++)
			ask_senders(x, x->found[i], line[x->found[i]]);
		begin = end;
	}
	return rounds;
}

int closure(const struct channels *c, const int64_t *line, const int64_t *ahead,
	    const int64_t *behind, bool *rolled, int *chain)
{
	size_t n = (size_t)c->np;
	struct search x = { .c = c,
			    .ahead = ahead,
			    .rolled = rolled,
			    .known = malloc(n * sizeof *x.known),
			    .found = malloc(n * sizeof *x.found) };
	int rc = x.known && x.found ? RB_OK : RB_ENOMEM;

	if (rc == RB_OK) {
		memcpy(x.known, rolled, n * sizeof *rolled);
		*chain = search(&x, line, behind);
	}
	free(x.known);
	free(x.found);
	return rc;
}
