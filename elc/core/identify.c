/* Identification of both forms, in time proportional to the events (list) or to the envelopes (counted).
 *
 * The paper searches for each received envelope in the list of those that were sent, and in the optimised form by binary search in the
 * sorted one. The result is the same: of each envelope, as many events as both have are removed, the first ones of each. */
#include "elc/core/identify.h"

#include <stdlib.h>

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

/* The events from here on, counted by envelope. Each number is larger by 1, since a table has no entries with 0. */
static int count_events(const struct elc_set *set, size_t from, struct elc_log *table)
{
	for (size_t i = from; i < set->n; i++)
		if (set->entry[i].num && elc_log_add(table, set->entry[i].key))
			return -1;
	for (size_t s = 0; s < table->room; s++)
		table->entry[s].num += table->entry[s].num > 0;
	return 0;
}

/* Take an event of this envelope out of the table, if it has one. */
static bool taken(const struct elc_log *table, elc_key key)
{
	struct elc_entry *e = elc_log_find(table, key);

	if (!e || e->num == 1)
		return false;
	e->num--;
	return true;
}

static int remove_listed(struct elc_set *a, struct elc_set *b)
{
	struct elc_log left; /* events of a that b has not */
	size_t from = 0;
	int rc = 0;

	/* Most messages are received in the order in which they were sent. */
	for (; from < a->n && from < b->n && a->entry[from].key == b->entry[from].key && a->entry[from].num && b->entry[from].num; from++)
		a->entry[from].num = b->entry[from].num = 0;
	if (from == a->n || from == b->n)
		return 0;
	elc_log_init(&left, ELC_COUNTED);
	rc = count_events(a, from, &left);
	for (size_t j = from; rc == 0 && j < b->n; j++)
		if (b->entry[j].num && taken(&left, b->entry[j].key))
			b->entry[j].num = 0;
	for (size_t i = a->n; rc == 0 && i-- > from;) /* of each envelope, the last ones of a are left */
		if (a->entry[i].num && !taken(&left, a->entry[i].key))
			a->entry[i].num = 0;
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
	struct elc_set joined = { older->form, room ? malloc(room * sizeof *joined.entry) : NULL, 0, room };
	size_t i = 0;

	if (room && !joined.entry)
		return -1;
	for (size_t j = 0; j < newer->n; j++) {
		for (; i < older->n && (older->form == ELC_LIST || older->entry[i].key <= newer->entry[j].key); i++)
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

int elc_identify(struct elc_set *send, struct elc_set *received, struct elc_set *transit, struct elc_set *orphan)
{
	if (remove_pairs(transit, received) || /* in transit at the line before, and has arrived in this interval */
	    remove_pairs(orphan, send) ||      /* orphans of the line before, whose sends have now happened */
	    remove_pairs(send, received))      /* sent and received in this interval */
		return -1;
	return join(transit, send) || join(orphan, received) ? -1 : 0;
}
