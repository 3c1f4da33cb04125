/* Envelope logs: open ones, to which events are added, and closed ones. */
#include "elc/core/log.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 }; /* a power of two */

void elc_log_init(struct elc_log *log, enum elc_form form)
{
	*log = (struct elc_log){ .form = form };
}

void elc_log_free(struct elc_log *log)
{
	free(log->entry);
	elc_log_init(log, log->form);
}

static size_t slot_of(const struct elc_entry *entry, size_t room, elc_key key)
{
	size_t s = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	for (s &= room - 1; entry[s].num && entry[s].key != key; s = (s + 1) & (room - 1))
		;
	return s;
}

static int grow_table(struct elc_log *log)
{
	const size_t room = log->room ? 2 * log->room : FIRST_ROOM;
	struct elc_entry *fresh = calloc(room, sizeof *fresh);

	if (!fresh)
		return -1;
	for (size_t i = 0; i < log->room; i++)
		if (log->entry[i].num)
			fresh[slot_of(fresh, room, log->entry[i].key)] = log->entry[i];
	free(log->entry);
	log->entry = fresh;
	log->room = room;
	return 0;
}

static int add_to_list(struct elc_log *log, elc_key key)
{
	struct elc_entry *fresh = grow(log->entry, log->n + 1, &log->room, sizeof *fresh);

	if (!fresh)
		return -1;
	log->entry = fresh;
	log->entry[log->n++] = (struct elc_entry){ key, 1 };
	return 0;
}

static inline struct elc_entry *enter(struct elc_log *log, elc_key key)
{
	struct elc_entry *e;

	if (4 * (log->n + 1) > 3 * log->room && grow_table(log))
		return NULL;
	e = &log->entry[slot_of(log->entry, log->room, key)];
	log->n += e->num == 0;
	e->key = key;
	return e;
}

int elc_log_add(struct elc_log *log, elc_key key)
{
	struct elc_entry *e;

	if (log->form == ELC_LIST)
		return add_to_list(log, key);
	e = enter(log, key);
	if (!e)
		return -1;
	e->num++;
	return 0;
}

struct elc_entry *elc_log_enter(struct elc_log *log, elc_key key)
{
	return enter(log, key);
}

struct elc_entry *elc_log_find(const struct elc_log *log, elc_key key)
{
	struct elc_entry *e = log->room ? &log->entry[slot_of(log->entry, log->room, key)] : NULL;

	return e && e->num ? e : NULL;
}

void elc_log_clear(struct elc_log *log)
{
	if (log->form == ELC_COUNTED && log->n)
		memset(log->entry, 0, log->room * sizeof *log->entry);
	log->n = 0;
}

int elc_left_add(struct elc_log *left, elc_key key, int64_t num)
{
	struct elc_entry *e = enter(left, key);

	if (!e)
		return -1;
	e->num += e->num ? num : num + 1;
	return 0;
}

bool elc_left_take(const struct elc_log *left, elc_key key)
{
	struct elc_entry *e = elc_log_find(left, key);

	if (!e || e->num == 1)
		return false;
	e->num--;
	return true;
}

static int by_key(const void *a, const void *b)
{
	const elc_key x = ((const struct elc_entry *)a)->key,
		      y = ((const struct elc_entry *)b)->key;

	return (x > y) - (x < y);
}

int elc_log_close(struct elc_log *log, struct elc_set *set)
{
	struct elc_entry *entry = log->n ? malloc(log->n * sizeof *entry) : NULL;
	size_t n = 0;

	if (log->n && !entry)
		return -1;
	for (size_t i = 0; n < log->n; i++)
		if (log->entry[i].num)
			entry[n++] = log->entry[i];
	if (log->form == ELC_COUNTED && n)
		qsort(entry, n, sizeof *entry, by_key);
	*set = (struct elc_set){ log->form, entry, n, n };
	elc_log_clear(log);
	return 0;
}

void elc_set_init(struct elc_set *set, enum elc_form form)
{
	*set = (struct elc_set){ .form = form };
}

void elc_set_free(struct elc_set *set)
{
	free(set->entry);
	elc_set_init(set, set->form);
}

/* The first entry whose key is not smaller. */
static size_t lower_bound(const struct elc_set *set, elc_key key)
{
	size_t from = 0, to = set->n;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (set->entry[middle].key < key)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

int elc_set_add(struct elc_set *set, elc_key key, int64_t num)
{
	const size_t at = set->form == ELC_COUNTED ? lower_bound(set, key) : set->n;
	struct elc_entry *fresh;

	if (set->form == ELC_COUNTED && at < set->n && set->entry[at].key == key) {
		set->entry[at].num += num;
		return 0;
	}
	fresh = grow(set->entry, set->n + 1, &set->room, sizeof *fresh);
	if (!fresh)
		return -1;
	set->entry = fresh;
	memmove(&set->entry[at + 1], &set->entry[at], (set->n - at) * sizeof *set->entry);
	set->entry[at] = (struct elc_entry){ key, num };
	set->n++;
	return 0;
}

int64_t elc_set_count(const struct elc_set *set, elc_key key)
{
	int64_t num = 0;

	if (set->form == ELC_COUNTED) {
		const size_t at = lower_bound(set, key);

		return at < set->n && set->entry[at].key == key ? set->entry[at].num : 0;
	}
	for (size_t i = 0; i < set->n; i++)
		num += set->entry[i].key == key ? set->entry[i].num : 0;
	return num;
}

int64_t elc_set_total(const struct elc_set *set)
{
	int64_t num = 0;

	for (size_t i = 0; i < set->n; i++)
		num += set->entry[i].num;
	return num;
}
