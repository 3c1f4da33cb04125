/* forecast/fast/locate_tiles.h - where failures find the roles of a stencil in one dimension, tile
 * by tile (private to forecast/fast).
 *
 * What a role does after the others stop does not matter, nor does a message that is sent then. So
 * a tile is finished as soon as all its roles are in such an iteration, and only those tiles go on
 * that are behind. */
#ifndef FORECAST_FAST_LOCATE_TILES_H
#define FORECAST_FAST_LOCATE_TILES_H

#include "forecast/fast/state.h"

/* Can locate_by_tiles() be used where the walk is plain? Behind a repair in which all roles were
 * stopped, too? */
bool locate_fits_tiles(const struct state *s);
bool locate_fits_joining(const struct state *s);
/* The rest of locate(), as soon as the walk is plain, or behind the last repair (`joining`). RB_OK,
 * RB_ENOMEM, RB_EINVAL. */
int locate_by_tiles(struct state *s, bool joining, int64_t stop, struct totals *t,
		    struct rb_error *err);
/* From the last repair to where nothing of it is left, if locate_fits_joining(): to->end is the
 * caller's. RB_OK, RB_ENOMEM, RB_EINVAL. */
int advance_by_tiles(struct state *s, struct totals *t, struct point *to, struct rb_error *err);

#endif
