#include "ft/log/log_channels.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 16 }; /* channels; so few are found faster without a table */

void log_channels_free(struct log_channels *c)
{
	free(c->list);
	free(c->slot);
	memset(c, 0, sizeof *c);
}

/* The place of the receiver in the table, or the free one where it would be put. */
static int32_t *place_of(const struct log_channels *c, int receiver)
{
	/* Fibonacci hashing: neighbours lie apart */
	uint32_t at = (uint32_t)receiver * 2654435769u;

	for (at >>= 8;; at++) {
		int32_t *slot = &c->slot[at & ((uint32_t)c->slots - 1)];

		if (*slot < 0 || c->list[*slot].receiver == receiver)
			return slot;
	}
}

struct log_channel *log_channels_find(const struct log_channels *c, int receiver)
{
	int32_t at;

	if (c->slots > 0) {
		at = *place_of(c, receiver);
		return at >= 0 ? &c->list[at] : NULL;
	}
	for (at = 0; at < c->count; at++)
		if (c->list[at].receiver == receiver)
			return &c->list[at];
	return NULL;
}

/* The table of a list that has grown long. */
static bool make_table(struct log_channels *c, int32_t slots)
{
	int32_t *slot = malloc((size_t)slots * sizeof *slot);

	if (!slot)
		return false;
	free(c->slot);
	memset(slot, -1, (size_t)slots * sizeof *slot);
	c->slot = slot;
	c->slots = slots;
	for (int32_t i = 0; i < c->count; i++)
		*place_of(c, c->list[i].receiver) = i;
	return true;
}

static bool make_room(struct log_channels *c)
{
	int32_t room = c->room ? 2 * c->room : SHORT;
	struct log_channel *list = realloc(c->list, (size_t)room * sizeof *list);

	if (!list)
		return false;
	c->list = list;
	if (room > SHORT && !make_table(c, 2 * room))
		return false;
	c->room = room;
	return true;
}

struct log_channel *log_channels_add(struct log_channels *c, int receiver, int64_t hole)
{
	struct log_channel *found = log_channels_find(c, receiver);

	if (found)
		return found;
	if (c->count == c->room && !make_room(c))
		return NULL;
	if (c->slots > 0)
		*place_of(c, receiver) = c->count;
	c->list[c->count] =
		(struct log_channel){ .receiver = receiver, .hole = hole, .hole_prev = hole };
	return &c->list[c->count++];
}
