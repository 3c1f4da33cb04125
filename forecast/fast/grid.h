/* forecast/fast/grid.h - iterations of a stencil in several dimensions that sends across faces
 * only, by several iterations at once (private to forecast/fast). */
#ifndef FORECAST_FAST_GRID_H
#define FORECAST_FAST_GRID_H

#include "forecast/fast/point.h"

/* Is the model one that this can do? */
bool grid_fits(const struct model *m, const struct log_costs *logs);
/* As failure_free_advance(). RB_OK or RB_ENOMEM. */
int grid_advance(const struct model *m, int threads, const struct point *from, struct point *to,
		 int64_t rows);

#endif
