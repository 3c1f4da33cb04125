/* kernels/cg/grid.h - the two-dimensional process grid of NAS CG.
 *
 * P = nprows x npcols with npcols = nprows or 2 nprows. Vectors are cut into npcols segments;
 * role (i, j) holds segment j (all roles of a column hold the same one) and the matrix block of
 * row block i (the segments that fall to process row i) and columns of segment j. */
#ifndef KERNELS_CG_GRID_H
#define KERNELS_CG_GRID_H

#include <stdbool.h>
#include <stdint.h>

struct grid {
	int nprows, npcols, row, col;
	int64_t row0, row1; /* this role's rows, 0-based, half open */
	int64_t col0, col1; /* this role's segment */
	int64_t half;       /* offset in its row block of the segment the partner needs */
	int64_t half_length;
	int partner; /* role to exchange with after the row sum; may be this role */
};

/* false if np is not a power of two. */
bool grid_shape(int np, int *nprows, int *npcols);
void grid_place(struct grid *g, int64_t n, int role, int np);

#endif
