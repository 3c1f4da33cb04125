#include "ft/recovery/closure.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static bool fits(const struct channel *ch, int np, int64_t base)
{
	return ch->source >= 0 && ch->source < np && ch->receiver >= 0 && ch->receiver < np &&
	       ch->hole - base <= INT32_MAX;
}

/* Count the channels of each receiver into first[receiver + 1]. */
static int count_channels(struct channels *c, const struct channel *list, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (list[i].hole < c->base)
			continue;
		if (!fits(&list[i], c->np, c->base) || ++used > UINT32_MAX)
			return RB_EINVAL;
		c->first[list[i].receiver + 1]++;
	}
	for (int d = 0; d < c->np; d++)
		c->first[d + 1] += c->first[d];
	return RB_OK;
}

/* first[d] moves on as the channels of d are filled in; afterwards it stands where d + 1 begins. */
static void fill_in(struct channels *c, const struct channel *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t at;

		if (list[i].hole < c->base)
			continue;
		at = c->first[list[i].receiver]++;
		c->source[at] = list[i].source;
		c->age[at] = (int32_t)(list[i].hole - c->base);
	}
	memmove(c->first + 1, c->first, (size_t)c->np * sizeof *c->first);
	c->first[0] = 0;
}

int channels_build(struct channels *c, int np, int64_t base, const struct channel *list, size_t count)
{
	int rc = RB_ENOMEM;

	*c = (struct channels){ .np = np, .base = base };
	c->first = calloc((size_t)np + 1, sizeof *c->first);
	if (c->first)
		rc = count_channels(c, list, count);
	if (rc == RB_OK) {
		size_t used = c->first[np] > 0 ? c->first[np] : 1;

		c->source = malloc(used * sizeof *c->source);
		c->age = malloc(used * sizeof *c->age);
		rc = c->source && c->age ? RB_OK : RB_ENOMEM;
	}
	if (rc == RB_OK)
		fill_in(c, list, count);
	else
		channels_free(c);
	return rc;
}

void channels_free(struct channels *c)
{
	free(c->first);
	free(c->source);
	free(c->age);
	memset(c, 0, sizeof *c);
}

/* A closure under way. */
struct search {
	const struct channels *c;
	const int64_t *ahead;
	bool *rolled;  /* the rollback set as of the end of the last round */
	bool *known;   /* np: in that set, or found in this round */
	int32_t *found; /* np: the roles that were found, in the order in which they were */
	int count;
};

/* Find the senders that receiver d makes go back if it resumes in iteration `from`. */
static void ask_senders(struct search *x, int d, int64_t from)
{
	const struct channels *c = x->c;

	for (uint32_t i = c->first[d]; i < c->first[d + 1]; i++) {
		int32_t s = c->source[i];

		if (x->known[s] || s == d || from >= x->ahead[s] || c->base + c->age[i] < from)
			continue;
		x->known[s] = true;
		x->found[x->count++] = s;
	}
}

/* Those found in one round go back together at its end, so that rounds are the links of the chain. In the first
 * round every receiver is asked about; in the later ones only those that have just gone back, since nothing has
 * changed for the others. Returns the number of rounds that found somebody. */
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

int closure(const struct channels *c, const int64_t *line, const int64_t *ahead, const int64_t *behind,
	    bool *rolled, int *chain)
{
	size_t n = (size_t)c->np;
	struct search x = { .c = c, .ahead = ahead, .rolled = rolled, .known = malloc(n * sizeof *x.known),
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
