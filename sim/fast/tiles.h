/* sim/fast/tiles.h - many iterations of a stencil in one dimension, tile by tile (private to sim/fast).
 *
 * A tile of roles is copied into the cache with as many roles on both sides as there are iterations, and goes through all of
 * them there. What its neighbours do to it within these iterations is computed twice, so tiles do not depend on each other,
 * and the result is the same for any size of tiles and any number of threads. */
#ifndef SIM_FAST_TILES_H
#define SIM_FAST_TILES_H

#include "kernels/stencil_pattern.h"
#include "sim/fast/quiet.h"

enum { TILE_ROWS = QUIET_ROWS };

/* Is the model one that tiles can do? */
bool tiles_fit(const struct model *m, const struct log_costs *logs);
/* As quiet_advance(), by at most TILE_ROWS. */
void tiles_advance(const struct model *m, const struct log_costs *logs, int threads, const struct point *from, struct point *to,
		  int64_t rows);

#endif
