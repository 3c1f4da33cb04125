#include "ft/log/log.h"

#include "base/grow.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MIN = 64 };

int log_init(struct log *l, int np)
{
	memset(l, 0, sizeof *l);
	l->np = np;
	l->entry = malloc(ENTRIES_MIN * sizeof *l->entry);
	l->capacity = ENTRIES_MIN;
	if (!l->entry)
		return RB_ENOMEM;
	log_restart(l, 0);
	return RB_OK;
}

void log_free(struct log *l)
{
	arena_free(&l->arena);
	arena_free(&l->recent);
	free(l->entry);
	log_channels_free(&l->channels);
	memset(l, 0, sizeof *l);
}

int64_t log_hole(const struct log *l, int dst)
{
	const struct log_channel *ch = log_channels_find(&l->channels, dst);

	return ch ? ch->hole : l->since - 1;
}

int64_t log_held(const struct log *l, int dst)
{
	const struct log_channel *ch = log_channels_find(&l->channels, dst);

	return ch ? ch->held : 0;
}

bool log_is_off(const struct log *l, int dst)
{
	const struct log_channel *ch = log_channels_find(&l->channels, dst);

	return ch && ch->off;
}

/* A channel that was not used has no hole since the log began. */
static struct log_channel *channel_to(struct log *l, int dst)
{
	return log_channels_add(&l->channels, dst, l->since - 1);
}

int log_reserve(struct log *l, size_t messages, size_t bytes)
{
	struct log_entry *grown;

	if (messages > l->capacity) {
		grown = realloc(l->entry, messages * sizeof *grown);
		if (!grown)
			return RB_ENOMEM;
		memset(grown + l->count, 0, (messages - l->count) * sizeof *grown);
		l->entry = grown;
		l->capacity = messages;
	}
	return arena_reserve(&l->arena, bytes) == 0 ? RB_OK : RB_ENOMEM;
}

void log_restart(struct log *l, int64_t c)
{
	const bool keeps = l->keeps && c > 0; /* in the initial state all channels are on */

	l->since = c;
	l->mark = -1;
	l->count = l->split = 0;
	l->bytes = 0;
	l->dead = 0;
	arena_reset(&l->arena);
	arena_reset(&l->recent);
	for (int i = 0; i < l->channels.count; i++) {
		struct log_channel *ch = &l->channels.list[i];

		*ch = (struct log_channel){ .receiver = ch->receiver,
					    .hole = c - 1,
					    .hole_prev = c - 1,
					    .off = keeps && ch->off,
					    .sent = keeps ? ch->sent : 0 };
	}
	log_begin(l, c);
}

void log_get_status(const struct log *l, struct log_status *out)
{
	for (size_t i = 0; i < log_statuses(l); i++) {
		const struct log_channel *ch = &l->channels.list[i];

		out[i] = (struct log_status){ ch->receiver, ch->off, ch->sent };
	}
}

int log_set_status(struct log *l, const struct log_status *list, size_t count)
{
	for (int i = 0; i < l->channels.count; i++) {
		l->channels.list[i].off = false;
		l->channels.list[i].sent = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct log_channel *ch;

		if (list[i].receiver < 0 || list[i].receiver >= l->np || list[i].sent < 0)
			return RB_ECORRUPT;
		ch = channel_to(l, list[i].receiver);
		if (!ch)
			return RB_ENOMEM;
		ch->off = list[i].off != 0;
		ch->sent = list[i].sent;
	}
	return RB_OK;
}

static struct arena *newest(struct log *l)
{
	return l->mark >= 0 ? &l->recent : &l->arena;
}

void log_mark(struct log *l, int64_t c)
{
	l->mark = c;
	l->split = l->count;
	for (int i = 0; i < l->channels.count && !l->keeps; i++)
		l->channels.list[i].off = false;
	log_begin(l, c);
}

/* Move the entries from `from` on to the front, into the main arena. */
static int keep_recent(struct log *l, size_t from, int64_t c)
{
	size_t kept = l->count - from;

	memmove(l->entry, l->entry + from, kept * sizeof *l->entry);
	l->count = 0;
	l->bytes = 0;
	for (int i = 0; i < l->channels.count; i++)
		l->channels.list[i].held = 0;
	for (size_t i = 0; i < kept; i++) {
		struct log_entry *e = &l->entry[i];
		void *to = l->phantom ? NULL : arena_take(&l->arena, e->bytes);

		if (!to && !l->phantom)
			return RB_ENOMEM;
		if (to)
			memcpy(to, e->payload, e->bytes);
		e->payload = to;
		e->age -= (int32_t)(c - l->since);
		log_channels_find(&l->channels, e->dst)->held += (int64_t)e->bytes;
		l->bytes += (int64_t)e->bytes;
		l->count++;
	}
	return RB_OK;
}

int log_trim(struct log *l, int64_t c)
{
	int64_t iter = l->begin.iter;
	int rc;

	if (l->mark != c) {
		log_restart(l, c);
		return RB_OK;
	}
	arena_reset(&l->arena);
	rc = keep_recent(l, l->split, c);
	arena_reset(&l->recent);
	l->since = c;
	l->mark = -1;
	l->split = 0;
	l->dead = 0;
	for (int i = 0; i < l->channels.count; i++)
		if (l->channels.list[i].hole < c - 1)
			l->channels.list[i].hole = l->channels.list[i].hole_prev = c - 1;
	log_begin(l, iter);
	return rc;
}

void log_begin(struct log *l, int64_t iter)
{
	l->begin.iter = iter;
	l->begin.count = l->count;
	l->begin.arena = arena_mark(newest(l));
	l->fresh = 0;
}

void log_commit(struct log *l)
{
	l->bytes_total += l->fresh;
	log_begin(l, l->begin.iter + 1); /* an abort from here on takes nothing back */
}

void log_abort(struct log *l)
{
	for (size_t i = l->begin.count; i < l->count; i++) {
		struct log_channel *ch = log_channels_find(&l->channels, l->entry[i].dst);

		ch->held -= (int64_t)l->entry[i].bytes;
		ch->sent -= (int64_t)l->entry[i].bytes;
	}
	l->count = l->begin.count;
	l->bytes -= l->fresh;
	l->fresh = 0;
	arena_cut(newest(l), l->begin.arena);
	for (int i = 0; i < l->channels.count; i++)
		if (l->channels.list[i].hole == l->begin.iter)
			l->channels.list[i].hole = l->channels.list[i].hole_prev;
}

size_t log_first(const struct log *l, struct place place)
{
	size_t low = 0, high = l->count;

	while (low < high) { /* entries are in the order of their places */
		size_t middle = low + (high - low) / 2;
		const struct log_entry *e = &l->entry[middle];

		if (place_before((struct place){ log_iter(l, e), e->place }, place))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct log_entry *log_find(const struct log *l, struct place place)
{
	const size_t i = log_first(l, place);

	if (i == l->count || log_iter(l, &l->entry[i]) != place.iter ||
	    l->entry[i].place != place.number)
		return NULL;
	return &l->entry[i];
}

static bool make_room(struct log *l)
{
	struct log_entry *list = grow(l->entry, l->count + 1, &l->capacity, sizeof *list);

	l->entry = list ? list : l->entry;
	return list != NULL;
}

/* The list has room for it. */
static void add_entry(struct log *l, struct log_channel *ch, void *payload, int tag, size_t bytes)
{
	l->entry[l->count++] = (struct log_entry){
		payload,      (uint32_t)bytes, (int32_t)(l->begin.iter - l->since),
		ch->receiver, (int16_t)tag,    PLACE_NONE
	};
	ch->held += (int64_t)bytes;
	ch->sent += (int64_t)bytes;
	l->fresh += (int64_t)bytes;
	l->bytes += (int64_t)bytes;
	if (l->bytes > l->bytes_peak)
		l->bytes_peak = l->bytes;
}

void *log_append(struct log *l, int dst, int tag, size_t bytes)
{
	struct log_channel *ch = channel_to(l, dst);
	void *payload = ch && make_room(l) ? arena_take(newest(l), bytes) : NULL;

	if (payload)
		add_entry(l, ch, payload, tag, bytes);
	return payload;
}

int log_note(struct log *l, int dst, int tag, size_t bytes)
{
	struct log_channel *ch = channel_to(l, dst);

	if (!ch || !make_room(l))
		return RB_ENOMEM;
	l->phantom = true;
	add_entry(l, ch, NULL, tag, bytes);
	return RB_OK;
}

static void raise_hole(struct log_channel *ch, int64_t iter)
{
	if (ch->hole == iter)
		return;
	ch->hole_prev = ch->hole;
	ch->hole = iter;
}

int log_skip(struct log *l, int dst)
{
	struct log_channel *ch = channel_to(l, dst);

	if (!ch)
		return RB_ENOMEM;
	raise_hole(ch, l->begin.iter);
	return RB_OK;
}

/* Take the channel's entries out; returns the newest committed iteration among them. */
static int64_t forget(struct log *l, int dst)
{
	size_t kept = 0, begin = l->begin.count, split = l->split;
	int64_t last = l->since - 1;

	for (size_t i = 0; i < l->count; i++) {
		const struct log_entry *e = &l->entry[i];

		if (e->dst != dst) {
			l->entry[kept++] = *e;
			continue;
		}
		l->dead += e->bytes;
		split -= i < l->split;
		if (i >= begin) {
			l->fresh -= (int64_t)e->bytes;
		} else {
			l->begin.count--;
			last = log_iter(l, e);
		}
	}
	l->count = kept;
	l->split = split;
	return last;
}

int log_switch_off(struct log *l, int dst)
{
	int64_t iter = l->begin.iter, fresh = l->fresh, last;
	size_t count = l->count, committed = l->begin.count;
	struct log_channel *ch = channel_to(l, dst);
	bool lacks; /* a message of the current iteration is missing */

	if (!ch)
		return RB_ENOMEM;
	lacks = ch->hole == iter;
	if (l->drops < LOG_DROPS)
		l->drop[l->drops] = (struct log_drop){ iter, ch->held, dst };
	l->drops++;
	last = forget(l, dst);
	lacks = lacks || fresh != l->fresh ||
		count - l->count > committed - l->begin.count; /* empty messages count, too */
	if (ch->hole == iter)
		ch->hole = ch->hole_prev;
	if (last > ch->hole)
		ch->hole = last;
	if (lacks)
		raise_hole(ch, iter);
	l->bytes -= ch->held;
	ch->held = 0;
	ch->off = true;
	return RB_OK;
}

/* Entries lie in the arena in order, so each moves towards the front or stays. */
void log_compact(struct log *l)
{
	if (l->dead == 0 || l->phantom)
		return;
	arena_reset(&l->arena);
	arena_reset(&l->recent);
	for (size_t i = 0; i < l->count; i++) {
		struct log_entry *e = &l->entry[i];
		void *to = arena_take(l->mark >= 0 && i >= l->split ? &l->recent : &l->arena,
				      e->bytes);

		memmove(to, e->payload, e->bytes);
		e->payload = to;
	}
	l->dead = 0;
	log_begin(l, l->begin.iter);
}
