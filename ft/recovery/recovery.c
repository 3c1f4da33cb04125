#include "ft/recovery/recovery.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

int recovery_init(struct recovery *rec, int np)
{
	memset(rec, 0, sizeof *rec);
	rec->role = -1;
	rec->line = calloc((size_t)np, sizeof *rec->line);
	rec->front = calloc((size_t)np, sizeof *rec->front);
	rec->copies = calloc((size_t)np, sizeof *rec->copies);
	rec->rank = calloc((size_t)np, sizeof *rec->rank);
	rec->died = calloc((size_t)np, sizeof *rec->died);
	rec->rolled = calloc((size_t)np, sizeof *rec->rolled);
	for (int r = 0; rec->rank && r < np; r++)
		rec->rank[r] = r; /* until the first repair */
	return rec->line && rec->front && rec->copies && rec->rank && rec->died && rec->rolled
		       ? RB_OK
		       : RB_ENOMEM;
}

void recovery_free(struct recovery *rec)
{
	free(rec->line);
	free(rec->front);
	free(rec->copies);
	free(rec->rank);
	free(rec->died);
	free(rec->rolled);
	cone_free(&rec->cone);
}
