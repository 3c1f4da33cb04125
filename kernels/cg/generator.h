/* kernels/cg/generator.h - a block of the NAS CG matrix, as compressed rows.
 *
 * A = sum_i omega_i x_i x_i^T + (rcond - shift) I with sparse random vectors x_i and weights
 * omega_i falling geometrically from 1 to rcond (RNR-94-007, Sect. 2.4.1). */
#ifndef KERNELS_CG_GENERATOR_H
#define KERNELS_CG_GENERATOR_H

#include <stdint.h>

struct matrix_class {
	const char *name;
	int64_t n;
	int nonzer;
	int outer;
	double shift, zeta;
};

extern const struct matrix_class matrix_classes[]; /* ends with a NULL name */

/* Rows [row0, row1) x columns [col0, col1) of the matrix, counted from 0. */
struct block {
	int64_t row0, row1, col0, col1;
};

/* Row r has the elements start[r] <= k < start[r + 1], columns in ascending order, none twice. Rows
 * and columns count from the corner of the block. */
struct rows {
	int64_t rows;
	int64_t *start; /* rows + 1 */
	int32_t *column;
	double *value;
};

/* 0, or -1 if out of memory, with nothing to free. Runs the whole generator for any block, since
 * there is one stream of numbers. */
int rows_generate(struct rows *a, const struct matrix_class *c, const struct block *b);
void rows_free(struct rows *a);

#endif
