/* kernels/jacobi/sweep.h - the arithmetic of one block, without any messages.
 *
 * A block is h rows of w points, contiguous. The four halo lines are separate arrays, so that
 * the field alone is the persistent state and the halo is not part of it. */
#ifndef KERNELS_JACOBI_SWEEP_H
#define KERNELS_JACOBI_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

struct block {
	int64_t h, w;
	const double *u;             /* h * w */
	double *v;                   /* h * w, written */
	const double *north, *south; /* w each */
	const double *west, *east;   /* h each */
	bool streaming; /* write v by non-temporal stores: for blocks that caches cannot hold */
};

/* The points that need no halo. Returns the sum of (v - u)^2 over them. */
double sweep_inner(const struct block *b);
/* The other points: outermost rows and columns. Returns their sum of (v - u)^2. */
double sweep_edge(const struct block *b);

#endif
