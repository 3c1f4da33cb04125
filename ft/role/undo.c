#include "ft/role/undo.h"

#include "contract/regions.h"

#include <stdlib.h>
#include <string.h>

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

	u->taken = false;
	RB_TRY(make_room(u, regions_bytes(region, count)));
	regions_gather(region, count, u->copy);
	u->taken = true;
	return RB_OK;
}

/* Regions change their sizes only when an iteration is committed. */
void undo_apply(struct undo *u, const struct kernel_ops *kernel, struct kernel_state *state)
{
	struct kernel_region region[KERNEL_MAX_REGIONS];

	if (u->taken)
		regions_scatter(region, kernel->regions(state, region), u->copy);
	u->taken = false;
}

void undo_free(struct undo *u)
{
	free(u->copy);
	memset(u, 0, sizeof *u);
}
