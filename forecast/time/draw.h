/* forecast/time/draw.h - failures at random. The same seed gives the same failures, however far
 * they are drawn, so that all methods meet the same ones. */
#ifndef FORECAST_TIME_DRAW_H
#define FORECAST_TIME_DRAW_H

#include "forecast/time/model.h"

/* Times between the failures of a node. A failure takes all roles of the node. */
struct failure_law {
	double mtbf_s;      /* mean */
	double shape;       /* of a Weibull distribution; 1: exponential */
	int roles_per_node; /* node n has roles n * roles_per_node and the next ones */
	uint64_t seed;
};

/* All failures before tick `end`, in ascending order. *list is the caller's to free. RB_OK or
 * RB_ENOMEM. */
int draw_failures(const struct failure_law *law, int np, int64_t end, struct failure **list,
		  size_t *count);

#endif
