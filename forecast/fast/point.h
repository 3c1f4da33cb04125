/* forecast/fast/point.h - a point between two iterations (private to forecast/fast). */
#ifndef FORECAST_FAST_POINT_H
#define FORECAST_FAST_POINT_H

#include "forecast/programs/log_costs.h"

enum { NEVER = -1 }; /* instead of a tick or an iteration */

/* All roles have completed `row` iterations. */
struct point {
	double *end; /* np: when, in ticks */
	int64_t row;
	int64_t least, most; /* of `end` */
	tick_sum computed;   /* in state compute, since the repair or the beginning */
};

#endif
