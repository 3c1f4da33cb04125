/* Identification of both forms, in time proportional to the events (list) or to the envelopes
 * (counted).
 *
 * The paper searches for each received envelope in the list of those that were sent, and in the
 * optimised form by binary search in the sorted one. The result is the same: of each envelope, as
 * many events as both have are removed, the first ones of each. */
#include "elc/core/identify.h"

#include <stdlib.h>
#include <string.h>

static void pair(struct elc_entry *a, struct elc_entry *b)
{
	const int64_t common = a->num < b->num ? a->num : b->num;

	a->num -= common;
	b->num -= common;
}

/* Both are sorted. Entries that are used up stay with num 0, so that nothing moves. */
static void remove_counted(struct elc_set *a, struct elc_set *b)
{
	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		if (a->entry[i].key < b->entry[j].key)
			i++;
		else if (a->entry[i].key > b->entry[j].key)
			j++;
		else
			pair(&a->entry[i++], &b->entry[j++]);
	}
}

/* A part of a list. */
struct part {
	struct elc_entry *entry;
	size_t n;
};

/* The tables of so many envelopes are in the caches of a processor. */
enum { KINDS = 4096, PARTS = 4096 };

/* Count the events by envelope. 0, -1 without memory, 1: there are more kinds than that, and not
 * all were counted. */
static int count_events(struct part a, size_t kinds, struct elc_log *left)
{
	elc_log_clear(left);
	for (size_t i = 0; i < a.n; i++)
		if (a.entry[i].num) {
			if (elc_left_add(left, a.entry[i].key, 1))
				return -1;
			if (left->n > kinds)
				return 1;
		}
	return 0;
}

/* left: the events of a, counted. */
static void remove_counted_events(struct part a, struct part b, const struct elc_log *left)
{
	for (size_t j = 0; j < b.n; j++)
		if (b.entry[j].num && elc_left_take(left, b.entry[j].key))
			b.entry[j].num = 0;
	for (size_t i = a.n; i-- > 0;) /* of each envelope, the last ones of a are left */
		if (a.entry[i].num && !elc_left_take(left, a.entry[i].key))
			a.entry[i].num = 0;
}

static size_t part_of(elc_key key, int bits)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
}

/* The events of a list in 2^bits parts by their envelopes. begin[2^bits + 1]: where the parts are.
 * Only the keys are moved. */
static elc_key *sorted_into_parts(const struct elc_set *set, int bits, size_t *begin)
{
	const size_t parts = (size_t)1 << bits;
	elc_key *key = malloc((set->n ? set->n : 1) * sizeof *key);
	size_t next[PARTS], all = 0;

	if (!key)
		return NULL;
	memset(next, 0, parts * sizeof *next);
	for (size_t i = 0; i < set->n; i++)
		next[part_of(set->entry[i].key, bits)] += set->entry[i].num != 0;
	for (size_t p = 0; p < parts; p++) {
		begin[p] = all;
		all += next[p];
		next[p] = begin[p];
	}
	begin[parts] = all;
	for (size_t i = 0; i < set->n; i++)
		if (set->entry[i].num)
			key[next[part_of(set->entry[i].key, bits)]++] = set->entry[i].key;
	return key;
}

/* Those of the keys that are not taken become the end of the list. */
static void keep_left(const elc_key *key, size_t n, const struct elc_log *left, bool taken,
		      struct elc_set *set)
{
	for (size_t i = 0; i < n; i++)
		if (elc_left_take(left, key[i]) == taken)
			set->entry[set->n++] = (struct elc_entry){ key[i], 1 };
}

/* One table of all of them would be larger than the caches, and each look-up would have to wait for
 * memory. */
static int remove_in_parts(struct elc_set *a, struct elc_set *b, struct elc_log *left)
{
	size_t begin_a[PARTS + 1], begin_b[PARTS + 1];
	elc_key *key_a, *key_b;
	int bits = 1, rc = 0;

	while ((size_t)1 << bits < PARTS && (size_t)KINDS / 4 << bits < a->n)
		bits++;
	key_a = sorted_into_parts(a, bits, begin_a);
	key_b = sorted_into_parts(b, bits, begin_b);
	a->n = b->n = 0;
	for (size_t p = 0; key_a && key_b && rc == 0 && p < (size_t)1 << bits; p++) {
		elc_log_clear(left);
		for (size_t i = begin_a[p]; rc == 0 && i < begin_a[p + 1]; i++)
			rc = elc_left_add(left, key_a[i], 1);
		keep_left(key_b + begin_b[p], begin_b[p + 1] - begin_b[p], left, false, b);
		keep_left(key_a + begin_a[p], begin_a[p + 1] - begin_a[p], left, true, a);
	}
	rc = key_a && key_b ? rc : -1;
	free(key_a);
	free(key_b);
	return rc;
}

static int remove_listed(struct elc_set *a, struct elc_set *b)
{
	struct elc_log left; /* events of a that b has not */
	size_t from = 0;
	int rc;

	/* Most messages are received in the order in which they were sent. */
	for (; from < a->n && from < b->n && a->entry[from].key == b->entry[from].key &&
	       a->entry[from].num && b->entry[from].num;
	     from++)
		a->entry[from].num = b->entry[from].num = 0;
	if (from == a->n || from == b->n)
		return 0;
	elc_log_init(&left, ELC_COUNTED);
	rc = count_events((struct part){ a->entry + from, a->n - from }, KINDS, &left);
	if (rc == 0)
		remove_counted_events((struct part){ a->entry + from, a->n - from },
				      (struct part){ b->entry + from, b->n - from }, &left);
	else if (rc > 0)
		rc = remove_in_parts(a, b, &left);
	elc_log_free(&left);
	return rc;
}

static int remove_pairs(struct elc_set *a, struct elc_set *b)
{
	if (a->form == ELC_LIST)
		return remove_listed(a, b);
	remove_counted(a, b);
	return 0;
}

static size_t rest_of(const struct elc_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += set->entry[i].num != 0;
	return n;
}

static void append(struct elc_set *to, const struct elc_entry *e)
{
	if (e->num == 0)
		return;
	if (to->form == ELC_COUNTED && to->n && to->entry[to->n - 1].key == e->key)
		to->entry[to->n - 1].num += e->num;
	else
		to->entry[to->n++] = *e;
}

/* Both rests become *older, the older one first, in counted form by key; *newer is freed. */
static int join(struct elc_set *older, struct elc_set *newer)
{
	const size_t room = rest_of(older) + rest_of(newer);
	struct elc_set joined = { older->form, room ? malloc(room * sizeof *joined.entry) : NULL, 0,
				  room };
	size_t i = 0;

	if (room && !joined.entry)
		return -1;
	for (size_t j = 0; j < newer->n; j++) {
		for (; i < older->n &&
		       (older->form == ELC_LIST || older->entry[i].key <= newer->entry[j].key);
		     i++)
			append(&joined, &older->entry[i]);
		append(&joined, &newer->entry[j]);
	}
	for (; i < older->n; i++)
		append(&joined, &older->entry[i]);
	elc_set_free(older);
	elc_set_free(newer);
	*older = joined;
	return 0;
}

int elc_identify(struct elc_set *send, struct elc_set *received, struct elc_set *transit,
		 struct elc_set *orphan)
{
	if (remove_pairs(transit, received) || /* in transit at the line before, and has arrived in
						  this interval */
	    remove_pairs(orphan,
			 send) || /* orphans of the line before, whose sends have now happened */
	    remove_pairs(send, received)) /* sent and received in this interval */
		return -1;
	return join(transit, send) || join(orphan, received) ? -1 : 0;
}
