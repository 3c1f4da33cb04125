/* forecast/fast/tile_rows.h - the rows of a stencil in one dimension, tile by tile, where something
 * of a failure is left (private to forecast/fast).
 *
 * Behind a repair that has stopped everybody, each role goes on in an iteration of its own. In the
 * iterations before that it sends nothing, but what it has sent in them earlier counts as sent when
 * the repair was over. */
#ifndef FORECAST_FAST_TILE_ROWS_H
#define FORECAST_FAST_TILE_ROWS_H

#include "forecast/fast/tile.h"

/* Row number k of the stretch. special: as in x->special. */
void tile_rows_do(const struct tile_rows *x, struct tile *t, bool special, int k);
/* Roles beyond the ends of a line send nothing: a is t->end or t->next. */
void tile_clear_outside(const struct tile_rows *x, const struct tile *t, double *a);

#endif
