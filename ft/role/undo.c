#include "ft/role/undo.h"

#include <stdlib.h>
#include <string.h>

static size_t sum_of_bytes(const struct kernel_region *region, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += region[i].bytes;
	return bytes;
}

static int make_room(struct undo *u, size_t bytes)
{
	char *wider;

	if (bytes <= u->room)
		return RB_OK;
	wider = realloc(u->copy, bytes);
	if (!wider)
		return RB_ENOMEM;
	u->copy = wider;
	u->room = bytes;
	return RB_OK;
}

int undo_take(struct undo *u, const struct kernel_ops *kernel, struct kernel_state *state)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	const size_t count = kernel->regions(state, region);
	char *to;

	u->taken = false;
	RB_TRY(make_room(u, sum_of_bytes(region, count)));
	to = u->copy;
	for (size_t i = 0; i < count; i++) {
		if (region[i].bytes > 0)
			memcpy(to, region[i].data, region[i].bytes);
		to += region[i].bytes;
	}
	u->taken = true;
	return RB_OK;
}

/* Regions change their sizes only when an iteration is committed. */
void undo_apply(struct undo *u, const struct kernel_ops *kernel, struct kernel_state *state)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];
	const char *from = u->copy;
	size_t count;

	if (!u->taken)
		return;
	count = kernel->regions(state, region);
	for (size_t i = 0; i < count; i++) {
		if (region[i].bytes > 0)
			memcpy(region[i].data, from, region[i].bytes);
		from += region[i].bytes;
	}
	u->taken = false;
}

void undo_free(struct undo *u)
{
	free(u->copy);
	memset(u, 0, sizeof *u);
}
