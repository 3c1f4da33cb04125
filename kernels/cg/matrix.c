#include "kernels/cg/matrix.h"

#include "kernels/vector.h"

#include <stdlib.h>
#include <string.h>

/* A matrix while it is made of rows. */
struct cutting {
	struct matrix *a;
	const struct rows *from;
	int64_t *next; /* of each row: its first element that is in no tile yet */
	/* Of the rows of a tile: how many elements they have in it, and these rows by that number.
	 */
	uint16_t length[MATRIX_TILE], order[MATRIX_TILE];
};

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void shape(struct matrix *a, int64_t rows, int64_t columns)
{
	memset(a, 0, sizeof *a);
	a->rows = rows;
	a->stripes = (int)((columns + MATRIX_STRIPE - 1) / MATRIX_STRIPE);
	a->width = (int)((columns + a->stripes - 1) / a->stripes);
}

/* How many numbers the layout has at most: a tile its own one, each row of it three. */
static size_t most_numbers(const struct matrix *a, const struct rows *r)
{
	const int64_t tiles = (a->rows + MATRIX_TILE - 1) / MATRIX_TILE * a->stripes;
	int64_t pieces = 0;

	for (int64_t i = 0; i < r->rows; i++)
		for (int64_t k = r->start[i], last = -1; k < r->start[i + 1]; k++) {
			pieces += r->column[k] / a->width != last;
			last = r->column[k] / a->width;
		}
	return (size_t)(tiles + 3 * pieces);
}

/* The numbers of elements that rows from row0 on have in front of column `end`. */
static void measure(struct cutting *c, int64_t row0, int64_t rows, int64_t end)
{
	for (int64_t i = 0; i < rows; i++) {
		int64_t k = c->next[row0 + i];

		while (k < c->from->start[row0 + i + 1] && c->from->column[k] < end)
			k++;
		c->length[i] = (uint16_t)(k - c->next[row0 + i]);
	}
}

/* Sort the rows by length; those of one length stay in order. */
static void sort(struct cutting *c, int64_t rows)
{
	int64_t place[MATRIX_STRIPE + 2] = { 0 };

	for (int64_t i = 0; i < rows; i++)
		place[c->length[i] + 1]++;
	for (int n = 1; n <= MATRIX_STRIPE; n++)
		place[n] += place[n - 1];
	for (int64_t i = 0; i < rows; i++)
		c->order[place[c->length[i]]++] = (uint16_t)i;
}

static void put_number(struct matrix *a, int64_t n)
{
	a->layout[a->numbers++] = (uint16_t)n;
}

/* The elements of `lanes` rows of one length, interleaved. */
static void put_elements(struct cutting *c, const uint16_t *row, int lanes, int64_t row0,
			 int64_t col0)
{
	struct matrix *a = c->a;

	for (int n = c->length[*row]; n > 0; n--)
		for (int lane = 0; lane < lanes; lane++) {
			int64_t k = c->next[row0 + row[lane]]++;

			a->column[a->elements] = (uint16_t)(c->from->column[k] - col0);
			a->value[a->elements++] = c->from->value[k];
		}
}

/* Rows of one length. */
static void put_rows(struct cutting *c, const uint16_t *row, int64_t rows, int64_t row0,
		     int64_t col0)
{
	put_number(c->a, c->length[*row]);
	put_number(c->a, rows);
	for (int64_t i = 0; i < rows; i++)
		put_number(c->a, row[i]);
	for (; rows >= MATRIX_GROUP; rows -= MATRIX_GROUP, row += MATRIX_GROUP)
		put_elements(c, row, MATRIX_GROUP, row0, col0);
	for (; rows > 0; rows--, row++)
		put_elements(c, row, 1, row0, col0);
}

static void put_tile(struct cutting *c, int64_t row0, int64_t rows, int64_t col0)
{
	const int64_t lengths = c->a->numbers;
	int64_t i = 0;

	measure(c, row0, rows, col0 + c->a->width);
	sort(c, rows);
	put_number(c->a, 0);
	while (i < rows && c->length[c->order[i]] == 0)
		i++;
	for (int64_t end; i < rows; i = end, c->a->layout[lengths]++) {
		for (end = i; end < rows; end++)
			if (c->length[c->order[end]] != c->length[c->order[i]])
				break;
		put_rows(c, c->order + i, end - i, row0, col0);
	}
}

static int cut(struct cutting *c)
{
	struct matrix *a = c->a;
	const size_t elements = (size_t)c->from->start[a->rows], most = most_numbers(a, c->from);
	uint16_t *layout;

	c->next = malloc(((size_t)a->rows + 1) * sizeof *c->next);
	a->layout = malloc(most * sizeof *a->layout);
	a->column = malloc((elements + 1) * sizeof *a->column);
	a->value = malloc((elements + 1) * sizeof *a->value);
	if (!c->next || !a->layout || !a->column || !a->value)
		return -1;
	memcpy(c->next, c->from->start, (size_t)a->rows * sizeof *c->next);
	for (int64_t row0 = 0; row0 < a->rows; row0 += MATRIX_TILE)
		for (int s = 0; s < a->stripes; s++)
			put_tile(c, row0, smaller(MATRIX_TILE, a->rows - row0),
				 (int64_t)s * a->width);
	layout = realloc(a->layout, (size_t)a->numbers * sizeof *a->layout);
	if (layout)
		a->layout = layout;
	return 0;
}

int matrix_of_rows(struct matrix *a, const struct rows *r, int64_t columns)
{
	struct cutting *c = calloc(1, sizeof *c);
	int rc = -1;

	shape(a, r->rows, columns);
	if (c) {
		c->a = a;
		c->from = r;
		rc = cut(c);
		free(c->next);
	}
	free(c);
	if (rc != 0)
		matrix_free(a);
	return rc;
}

int matrix_build(struct matrix *a, const struct matrix_class *c, const struct block *b)
{
	struct rows r;
	int rc;

	if (rows_generate(&r, c, b) != 0)
		return -1;
	rc = matrix_of_rows(a, &r, b->col1 - b->col0);
	rows_free(&r);
	return rc;
}

void matrix_of(struct matrix *a, int64_t rows, int64_t columns, const struct matrix *arrays)
{
	shape(a, rows, columns);
	a->numbers = arrays->numbers;
	a->elements = arrays->elements;
	a->layout = arrays->layout;
	a->column = arrays->column;
	a->value = arrays->value;
}

void matrix_free(struct matrix *a)
{
	free(a->layout);
	free(a->column);
	free(a->value);
	memset(a, 0, sizeof *a);
}

/* Where the product is in the three arrays. */
struct place {
	const uint16_t *layout, *column;
	const double *value;
};

/* How many elements ahead the second-level cache is asked for them. The processor does so by
 * itself, but not across a page's end, and not far enough. */
enum { AHEAD = 1024 };

static inline void request(const void *array, size_t offset)
{
	__builtin_prefetch((const void *)((uintptr_t)array + offset), 0, 2); /* may lie behind it */
}

/* Compilers must not choose the processor's own gather, which is slower on several of them. */
static inline vector gather(const double *x, const uint16_t *column)
{
	vector out;

	for (int k = 0; k < VECTOR_DOUBLES; k++)
		out[k] = x[column[k]];
	return out;
}

enum { VECTORS = MATRIX_GROUP / VECTOR_DOUBLES }; /* of a group */

/* Add the products of a group of rows to y. */
static inline void add_group(struct place *at, int64_t length, const double *restrict x,
			     double *restrict y)
{
	const uint16_t *column = at->column, *row = at->layout;
	const double *value = at->value;
	vector sum[VECTORS] = { { 0 } };
	double of_row[MATRIX_GROUP];

	for (int64_t k = 0; k < length; k++) {
		request(value, AHEAD * sizeof *value);
		request(column, AHEAD * sizeof *column);
		for (int v = 0; v < VECTORS; v++) {
			sum[v] += vector_load(value) * gather(x, column);
			value += VECTOR_DOUBLES;
			column += VECTOR_DOUBLES;
		}
	}
	memcpy(of_row, sum, sizeof of_row);
	for (int lane = 0; lane < MATRIX_GROUP; lane++)
		y[row[lane]] += of_row[lane];
	*at = (struct place){ row + MATRIX_GROUP, column, value };
}

static inline void add_row(struct place *at, int64_t length, const double *restrict x,
			   double *restrict y)
{
	double sum = 0;

	for (; length > 0; length--)
		sum += *at->value++ * x[*at->column++];
	y[*at->layout++] += sum;
}

static void add_tile(struct place *at, const double *restrict x, double *restrict y)
{
	for (int lengths = *at->layout++; lengths > 0; lengths--) {
		const int64_t length = at->layout[0];
		int64_t rows = at->layout[1];

		at->layout += 2;
		for (; rows >= MATRIX_GROUP; rows -= MATRIX_GROUP)
			add_group(at, length, x, y);
		for (; rows > 0; rows--)
			add_row(at, length, x, y);
	}
}

void matrix_multiply(const struct matrix *a, const double *restrict x, double *restrict y)
{
	struct place at = { a->layout, a->column, a->value };

	memset(y, 0, (size_t)a->rows * sizeof *y);
	for (int64_t row0 = 0; row0 < a->rows; row0 += MATRIX_TILE)
		for (int s = 0; s < a->stripes; s++)
			add_tile(&at, x + (int64_t)s * a->width, y + row0);
}
