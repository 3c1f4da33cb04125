#include "kernels/cg/matrix.h"

#include <stdlib.h>
#include <string.h>

/* A matrix while it is made of rows. */
struct cutting {
	struct matrix *a;
	const struct rows *from;
	int64_t *next; /* of each row: its first element that is in no tile yet */
	/* Of the rows of a tile: how many elements they have there, and the rows by that number. */
	uint16_t length[MATRIX_ROWS], order[MATRIX_ROWS];
};

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void matrix_shape(struct matrix *a, int64_t rows, int64_t columns)
{
	memset(a, 0, sizeof *a);
	a->rows = rows;
	a->stripes = (int)((columns + MATRIX_COLUMNS - 1) / MATRIX_COLUMNS);
	a->width = (int)((columns + a->stripes - 1) / a->stripes);
}

/* How many numbers the layout has at most: a tile its own one, and three for each row in it. */
static size_t most_numbers(const struct matrix *a, const struct rows *r)
{
	const int64_t tiles = (a->rows + MATRIX_ROWS - 1) / MATRIX_ROWS * a->stripes;

	return (size_t)(tiles + 3 * smaller(r->start[r->rows], a->rows * a->stripes));
}

/* For each row of the tile, count the elements that are in no tile yet and lie before column
 * `end`. */
static void count_in_tile(struct cutting *c, int64_t row0, int64_t rows, int64_t end)
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
	int64_t place[MATRIX_COLUMNS + 2] = { 0 };

	for (int64_t i = 0; i < rows; i++)
		place[c->length[i] + 1]++;
	for (int n = 1; n <= MATRIX_COLUMNS; n++)
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
	const int64_t lengths_at = c->a->numbers;
	int64_t i = 0;

	count_in_tile(c, row0, rows, col0 + c->a->width);
	sort(c, rows);
	put_number(c->a, 0);
	while (i < rows && c->length[c->order[i]] == 0)
		i++;
	for (int64_t end; i < rows; i = end, c->a->layout[lengths_at]++) {
		for (end = i; end < rows; end++)
			if (c->length[c->order[end]] != c->length[c->order[i]])
				break;
		put_rows(c, c->order + i, end - i, row0, col0);
	}
}

static int cut(struct cutting *c)
{
	struct matrix *a = c->a;
	const size_t elements = (size_t)c->from->start[a->rows];
	uint16_t *layout;

	c->next = malloc(((size_t)a->rows + 1) * sizeof *c->next);
	a->layout = malloc(most_numbers(a, c->from) * sizeof *a->layout);
	a->column = malloc((elements + 1) * sizeof *a->column);
	a->value = malloc((elements + 1) * sizeof *a->value);
	if (!c->next || !a->layout || !a->column || !a->value)
		return -1;
	memcpy(c->next, c->from->start, (size_t)a->rows * sizeof *c->next);
	for (int64_t row0 = 0; row0 < a->rows; row0 += MATRIX_ROWS)
		for (int s = 0; s < a->stripes; s++)
			put_tile(c, row0, smaller(MATRIX_ROWS, a->rows - row0),
				 (int64_t)s * a->width);
	layout = realloc(a->layout, (size_t)a->numbers * sizeof *a->layout);
	if (layout)
		a->layout = layout;
	return 0;
}

int matrix_of_rows(struct matrix *a, const struct rows *r, int64_t columns)
{
	struct cutting c = { .a = a, .from = r };
	int rc;

	matrix_shape(a, r->rows, columns);
	rc = cut(&c);
	free(c.next);
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

void matrix_free(struct matrix *a)
{
	free(a->layout);
	free(a->column);
	free(a->value);
	memset(a, 0, sizeof *a);
}
