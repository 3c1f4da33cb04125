/* Header and payload of a message as one datatype. */
#include "elc/wire/wire.h"

#include <stdlib.h>

/* Each stamp is used for one interval, so there are as many as lines. */
struct kept {
	struct kept *next;
	int64_t stamp;
};

static struct kept *kept;

struct elc_wire elc_wire_stamped(const int64_t *stamp, const void *buf, int count,
				 MPI_Datatype type)
{
	struct elc_wire w = { MPI_BOTTOM, 1, MPI_DATATYPE_NULL, true };
	MPI_Aint at[2];

	PMPI_Get_address(stamp, &at[0]);
	PMPI_Get_address(buf, &at[1]);
	if (count < 0 ||
	    PMPI_Type_create_struct(2, (const int[2]){ 1, count }, at,
				    (const MPI_Datatype[2]){ MPI_INT64_T, type }, &w.type))
		return elc_wire_plain(buf, count, type);
	PMPI_Type_commit(&w.type);
	return w;
}

void elc_wire_free(struct elc_wire *w)
{
	if (w->own_type)
		PMPI_Type_free(&w->type);
}

void elc_wire_strip(MPI_Status *status)
{
	MPI_Count bytes;

	PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
	if (bytes < (MPI_Count)sizeof(int64_t)) /* an empty status */
		return;
	PMPI_Status_set_elements_x(status, MPI_BYTE, bytes - (MPI_Count)sizeof(int64_t));
}

const int64_t *elc_wire_stamp(int64_t stamp)
{
	struct kept *fresh;

	if (kept && kept->stamp == stamp)
		return &kept->stamp;
	fresh = malloc(sizeof *fresh);
	if (!fresh)
		return NULL;
	*fresh = (struct kept){ kept, stamp };
	kept = fresh;
	return &fresh->stamp;
}

void elc_wire_end(void)
{
	while (kept) {
		struct kept *next = kept->next;

		free(kept);
		kept = next;
	}
}
