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

/* Compressed rows, cut into stripes of columns. A stripe's part of the vector stays in the cache
 * while the stripe is processed. Column numbers fit into 16 bits, so 10 and not 12 bytes an element
 * come from memory. Element k of row r in stripe s has its numbers at start[s * (rows + 1) + r] <=
 * k < start[s * (rows + 1) + r + 1]. Rows and columns count from the corner of the block and of the
 * stripe. */
enum { MATRIX_STRIPE = 24576 }; /* columns at most: 192 KiB of the vector */

struct matrix {
	int64_t rows;
	int stripes, width; /* columns of a stripe; the last one may have fewer */
	int64_t *start;     /* stripes * (rows + 1) */
	uint16_t *column;
	double *value;
};

/* Rows [row0, row1) x columns [col0, col1), counted from 0. 0, or -1 if out of memory. Runs the
 * whole generator for any block, since there is one stream of numbers. */
int matrix_build(struct matrix *a, const struct matrix_class *c, int64_t row0, int64_t row1,
		 int64_t col0, int64_t col1);
void matrix_free(struct matrix *a);
/* How many elements there are. */
int64_t matrix_elements(const struct matrix *a);
/* The same block with these arrays, which it does not own. */
void matrix_of(struct matrix *a, int64_t rows, int64_t columns, int64_t *start, uint16_t *column,
	       double *value);

/* y = A x */
void matrix_multiply(const struct matrix *a, const double *restrict x, double *restrict y);

#endif
