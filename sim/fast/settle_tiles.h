/* sim/fast/settle_tiles.h - where failures find the roles of a stencil in one dimension, tile by tile (private to sim/fast).
 *
 * What a role does after the others stop does not matter, nor does a message that is sent then. So a tile is finished as soon
 * as all its roles are in such an iteration, and only those tiles go on that are behind. */
#ifndef SIM_FAST_SETTLE_TILES_H
#define SIM_FAST_SETTLE_TILES_H

#include "sim/fast/state.h"

/* Can settle_by_tiles() be used? */
bool settle_fits_tiles(const struct state *s);
/* The rest of settle() as soon as the walk is plain. RB_OK or RB_ENOMEM. */
int settle_by_tiles(struct state *s, int64_t stop, struct totals *t);

#endif
