/* Identification by both algorithms of the paper. */
#include "elc/core/identify.h"

#include <stdlib.h>

/* Sequential search: the first entry of b with this key that is still there. */
static struct elc_entry *first(struct elc_set *b, elc_key key)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->entry[i].num && b->entry[i].key == key)
			return &b->entry[i];
	return NULL;
}

/* Binary search. */
static struct elc_entry *search(struct elc_set *b, elc_key key)
{
	size_t from = 0, to = b->n;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (b->entry[middle].key == key)
			return &b->entry[middle];
		if (b->entry[middle].key < key)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/* Remove what a and b have in common from both. Entries that are used up stay with num 0, so that nothing moves. */
static void remove_pairs(struct elc_set *a, struct elc_set *b)
{
	for (size_t i = 0; i < a->n; i++) {
		struct elc_entry *e = &a->entry[i];
		struct elc_entry *match = e->num == 0 ? NULL : a->form == ELC_LIST ? first(b, e->key) : search(b, e->key);
		int64_t common;

		if (!match)
			continue;
		common = e->num < match->num ? e->num : match->num;
		e->num -= common;
		match->num -= common;
	}
}

static int append_rest(struct elc_set *to, const struct elc_set *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (from->entry[i].num && elc_set_add(to, from->entry[i].key, from->entry[i].num))
			return -1;
	return 0;
}

/* Both rests, the older one first, become *older; *newer is freed. */
static int join(struct elc_set *older, struct elc_set *newer)
{
	struct elc_set joined;
	int rc;

	elc_set_init(&joined, older->form);
	rc = append_rest(&joined, older) || append_rest(&joined, newer) ? -1 : 0;
	elc_set_free(older);
	elc_set_free(newer);
	*older = joined;
	return rc;
}

int elc_identify(struct elc_set *send, struct elc_set *received, struct elc_set *transit, struct elc_set *orphan)
{
	remove_pairs(transit, received); /* in transit at the line before, and has arrived in this interval */
	remove_pairs(orphan, send);      /* orphans of the line before, whose sends have now happened */
	remove_pairs(send, received);    /* sent and received in this interval */
	return join(transit, send) || join(orphan, received) ? -1 : 0;
}
