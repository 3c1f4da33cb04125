/* kernels/jacobi/answer.h - the exact answer at each point of the grid after so many iterations.
 *
 * The initial field is a sum of sine modes, which are eigenvectors of the five-point mean: an
 * iteration multiplies each by the mean of the cosines of its two angles. */
#ifndef KERNELS_JACOBI_ANSWER_H
#define KERNELS_JACOBI_ANSWER_H

#include <stdint.h>

enum { ANSWER_MODES = 3 };

struct answer {
	int64_t n;                      /* points per side of the square */
	double amplitude[ANSWER_MODES]; /* 0 for a mode that the grid is too small for */
};

/* A block of the grid: its first row and column, counted from 0, and how many it has. */
struct answer_block {
	int64_t i0, j0, h, w;
};

struct answer answer_after(int64_t n, int64_t steps);
/* Of all points of the grid. */
double answer_sum_of_squares(const struct answer *a);
/* Write the block into u, by rows. */
void answer_fill(const struct answer *a, const struct answer_block *b, double *u);
/* The largest difference of a point of the block. */
double answer_largest_error(const struct answer *a, const struct answer_block *b, const double *u);

#endif
