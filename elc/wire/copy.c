/* Header and payload of a message in one piece of memory. */
#include "elc/wire/copy.h"

#include <stdlib.h>

static struct elc_copy *room_for(int count, MPI_Datatype type, int *bytes)
{
	if (PMPI_Pack_size(count, type, MPI_COMM_WORLD, bytes) != MPI_SUCCESS)
		return NULL;
	return malloc(sizeof(struct elc_copy) + (size_t)*bytes);
}

struct elc_copy *elc_copy_out(int64_t stamp, const void *buf, int count, MPI_Datatype type,
			      struct elc_wire *w)
{
	int room = 0, used = 0;
	struct elc_copy *c = room_for(count, type, &room);

	if (!c)
		return NULL;
	c->stamp = stamp;
	if (PMPI_Pack(buf, count, type, c->payload, room, &used, MPI_COMM_WORLD) != MPI_SUCCESS) {
		free(c);
		return NULL;
	}
	*w = elc_wire_stamped(&c->stamp, c->payload, used, MPI_PACKED);
	return c;
}

struct elc_copy *elc_copy_in(int count, MPI_Datatype type, struct elc_wire *w)
{
	int room = 0;
	struct elc_copy *c = room_for(count, type, &room);

	if (c)
		*w = elc_wire_stamped(&c->stamp, c->payload, room, MPI_PACKED);
	return c;
}
