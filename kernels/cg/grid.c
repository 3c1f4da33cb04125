#include "kernels/cg/grid.h"

bool grid_shape(int np, int *nprows, int *npcols)
{
	if (np < 1 || (np & (np - 1)) != 0)
		return false;
	*nprows = *npcols = 1;
	while (*nprows * *npcols < np) {
		if (*nprows == *npcols)
			*npcols *= 2;
		else
			*nprows *= 2;
	}
	return true;
}

static int64_t segment_start(int64_t n, int npcols, int j)
{
	return n * j / npcols;
}

void grid_place(struct grid *g, int64_t n, int role, int np)
{
	int per_row; /* segments in a row block: 1 or 2 */
	int wanted;  /* the segment the partner holds, out of our row block */

	grid_shape(np, &g->nprows, &g->npcols);
	per_row = g->npcols / g->nprows;
	g->row = role / g->npcols;
	g->col = role % g->npcols;
	g->row0 = segment_start(n, g->npcols, g->row * per_row);
	g->row1 = segment_start(n, g->npcols, (g->row + 1) * per_row);
	g->col0 = segment_start(n, g->npcols, g->col);
	g->col1 = segment_start(n, g->npcols, g->col + 1);
	/* Segment col lies in row block col / per_row; which role there needs one of ours? */
	wanted = g->row * per_row + g->col % per_row;
	g->partner = g->col / per_row * g->npcols + wanted;
	g->half = segment_start(n, g->npcols, wanted) - g->row0;
	g->half_length =
		segment_start(n, g->npcols, wanted + 1) - segment_start(n, g->npcols, wanted);
}
