/* forecast/fast/tile_stretch.h - a tile on its way through all rows of a stretch: many rows at
 * once where nothing happens in it (private to forecast/fast). */
#ifndef FORECAST_FAST_TILE_STRETCH_H
#define FORECAST_FAST_TILE_STRETCH_H

#include "forecast/fast/tile.h"

/* All rows of a stretch. Returns whether all roles of the tile are past, and their duplicates have
 * ended. */
bool tile_do(const struct tile_rows *x, int64_t first, int width, struct totals *totals);
/* When roles of a part go on. */
struct joins tile_joins_of(const int64_t *join, int64_t count);
/* When roles go on of the parts that these roles are in: no later and no earlier than the first and
 * the last of them. */
struct joins tile_joins(const struct tile_rows *x, int64_t first, int64_t end);
/* These roles are past. */
void tile_fill(double *to, int64_t first, int width);

#endif
