/* Which of the messages that were received or held since a cut were in transit. */
#include "elc/core/catch.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

int elc_messages_add(struct elc_messages *all, struct elc_message *m)
{
	struct elc_message **fresh = grow(all->m, all->n + 1, &all->room, sizeof(struct elc_message *));
	size_t at = all->n;

	if (!fresh)
		return -1;
	all->m = fresh;
	while (at > 0 && all->m[at - 1]->order > m->order)
		at--;
	memmove(&all->m[at + 1], &all->m[at], (all->n - at) * sizeof *all->m);
	all->m[at] = m;
	all->n++;
	return 0;
}

void elc_messages_remove(struct elc_messages *all, size_t at)
{
	all->n--;
	memmove(&all->m[at], &all->m[at + 1], (all->n - at) * sizeof *all->m);
}

/* Caught messages of an envelope; *last is the order of number `first` of them, counted from 1. */
static int64_t count(const struct elc_messages *caught, int p, elc_key key, int64_t first, uint64_t *last)
{
	int64_t n = 0;

	for (size_t i = 0; i < caught->n; i++) {
		if (caught->m[i]->peer != p || caught->m[i]->key != key)
			continue;
		if (++n == first)
			*last = caught->m[i]->order;
	}
	return n;
}

/* In a list, an envelope may have several entries: only its first one stands for all. */
static bool seen_before(const struct elc_set *set, size_t at)
{
	for (size_t i = 0; set->form == ELC_LIST && i < at; i++)
		if (set->entry[i].key == set->entry[at].key)
			return true;
	return false;
}

int64_t elc_catch_missing(const struct elc_messages *caught, int p, const struct elc_set *transit, uint32_t comm)
{
	int64_t missing = 0;
	uint64_t last;

	for (size_t i = 0; i < transit->n; i++) {
		const elc_key key = transit->entry[i].key;
		int64_t more;

		if (elc_key_comm(key) != comm || seen_before(transit, i))
			continue;
		more = elc_set_count(transit, key) - count(caught, p, key, 0, &last);
		missing += more > 0 ? more : 0;
	}
	return missing;
}

static bool may_match(const struct elc_pending *r, int p, elc_key key)
{
	return (r->peer == ELC_ANY || r->peer == p) && r->comm == elc_key_comm(key) &&
	       (r->tag == ELC_ANY || r->tag == elc_key_tag(key));
}

bool elc_catch_complete(const struct elc_messages *caught, int p, const struct elc_set *transit, const struct elc_pending *pending,
			size_t npending)
{
	for (size_t i = 0; i < transit->n; i++) {
		const elc_key key = transit->entry[i].key;
		uint64_t last = 0;
		int64_t wanted;

		if (seen_before(transit, i))
			continue;
		wanted = elc_set_count(transit, key);
		if (count(caught, p, key, wanted, &last) < wanted)
			return false;
		for (size_t r = 0; r < npending; r++)
			if (pending[r].order < last && may_match(&pending[r], p, key))
				return false;
	}
	return true;
}

bool elc_catch_chosen(const struct elc_messages *caught, size_t at, const struct elc_set *transit)
{
	const struct elc_message *m = caught->m[at];
	int64_t before = 0;

	for (size_t i = 0; i < at; i++)
		before += caught->m[i]->peer == m->peer && caught->m[i]->key == m->key;
	return before < elc_set_count(transit, m->key);
}
