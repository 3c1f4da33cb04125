/* kernels/cg/matrix.h - the block of the NAS CG matrix that one role owns, stored for the product
 * with a vector. */
#ifndef KERNELS_CG_MATRIX_H
#define KERNELS_CG_MATRIX_H

#include "kernels/cg/generator.h"

#include <stdint.h>

/* The block is cut into tiles. A tile's part of the vector stays in the first-level cache, and
 * numbers within it have 16 bits. Its rows are sorted by how many elements they have there, so that
 * many rows are processed without a branch that the processor cannot predict; rows without any
 * element are left out. */
enum {
	MATRIX_COLUMNS = 2560, /* of a tile at most: 20 KiB of the vector */
	MATRIX_ROWS = 8192,    /* of a tile at most */
	MATRIX_GROUP = 8       /* rows whose elements are interleaved */
};

/* A stripe is all tiles of the same columns. Tiles of the same rows stand together, in the order of
 * stripes. In layout[], a tile has the number of its different row lengths, and for each of these,
 * in ascending order, the length, how many rows have it, and these rows, which count from the
 * tile's first one. Elements stand in the order of these rows. Of MATRIX_GROUP rows of one length,
 * the first elements stand together, then the second ones, and so on; rows that do not fill a group
 * stand one after the other. column[] counts from the stripe's first one. */
struct matrix {
	int64_t rows;
	int stripes, width; /* columns of a stripe; the last one may have fewer */
	int64_t numbers, elements;
	uint16_t *layout; /* of `numbers` */
	uint16_t *column; /* of `elements`, as value[] */
	double *value;
};

/* Set all but the arrays, which are empty then. At least one row and one column. */
void matrix_shape(struct matrix *a, int64_t rows, int64_t columns);
/* The block as the generator makes it. 0, or -1 if out of memory, with nothing to free. */
int matrix_build(struct matrix *a, const struct matrix_class *c, const struct block *b);
/* The same of rows that were generated before, of a block with so many columns. */
int matrix_of_rows(struct matrix *a, const struct rows *r, int64_t columns);
void matrix_free(struct matrix *a);

/* y = A x. A row's elements within a stripe are added in the order of columns, and these sums in
 * the order of stripes. */
void matrix_multiply(const struct matrix *a, const double *restrict x, double *restrict y);

#endif
