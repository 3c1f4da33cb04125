/* kernels/cg/matrix.h - the block of the NAS CG matrix that one role owns.
 *
 * A = sum_i omega_i x_i x_i^T + (rcond - shift) I with sparse random vectors x_i and weights
 * omega_i falling geometrically from 1 to rcond (RNR-94-007, Sect. 2.4.1). */
#ifndef KERNELS_CG_MATRIX_H
#define KERNELS_CG_MATRIX_H

#include <stdint.h>

struct matrix_class {
	const char *name;
	int64_t n;
	int nonzer;
	int outer;
	double shift, zeta;
};

extern const struct matrix_class matrix_classes[]; /* ends with a NULL name */

/* Compressed rows; row and column numbers count from the block's corner. */
struct matrix {
	int64_t rows;
	int64_t *start; /* rows + 1 */
	int32_t *column;
	double *value;
};

/* Rows [row0, row1) x columns [col0, col1), counted from 0. 0, or -1 if out of memory.
 * Runs the whole generator, whatever the block: the stream of random numbers is one. */
int matrix_build(struct matrix *a, const struct matrix_class *c, int64_t row0, int64_t row1,
		 int64_t col0, int64_t col1);
void matrix_free(struct matrix *a);

/* y = A x */
void matrix_multiply(const struct matrix *a, const double *restrict x, double *restrict y);

#endif
