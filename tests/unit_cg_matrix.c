/* How CG stores its matrix: no element is lost, and the product has the bits of a loop over
 * compressed rows. */
#include "kernels/cg/matrix.h"
#include "kernels/cg/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double *vector_of(int64_t n, uint64_t *seed)
{
	double *x = malloc((size_t)n * sizeof *x);

	assert_non_null(x);
	for (int64_t i = 0; i < n; i++)
		x[i] = random_next(seed) - 0.5;
	return x;
}

/* A row's elements in stripes of `width` columns, by the order that matrix.h promises. */
static double product(const struct rows *r, int64_t row, int width, const double *x)
{
	double sum = 0;

	for (int64_t k = r->start[row]; k < r->start[row + 1];) {
		const int stripe = r->column[k] / width;
		double part = 0;

		for (; k < r->start[row + 1] && r->column[k] / width == stripe; k++)
			part += r->value[k] * x[r->column[k]];
		sum += part;
	}
	return sum;
}

static void same_product(const struct matrix *a, const struct rows *r, int64_t columns)
{
	uint64_t seed = 5;
	double *x = vector_of(columns, &seed), *y = vector_of(r->rows + 1, &seed);
	const double behind = y[r->rows];

	matrix_multiply(a, x, y);
	for (int64_t i = 0; i < r->rows; i++) {
		double expected = product(r, i, a->width, x);

		assert_memory_equal(&y[i], &expected, sizeof expected);
	}
	assert_memory_equal(&y[r->rows], &behind, sizeof behind);
	free(x);
	free(y);
}

/* An array in memory that ends with it. */
static void *copy_of(const void *array, int64_t count, size_t size)
{
	void *out = malloc((size_t)count * size);

	assert_non_null(out);
	memcpy(out, array, (size_t)count * size);
	return out;
}

/* The matrix of these rows, as it is made and as it is given to a replacement. */
static void check(const struct rows *r, int64_t columns)
{
	struct matrix a, given;

	assert_int_equal(matrix_of_rows(&a, r, columns), 0);
	assert_int_equal(a.elements, r->start[r->rows]);
	assert_true(a.width <= MATRIX_COLUMNS && (int64_t)a.width * a.stripes >= columns);
	assert_true((int64_t)(a.stripes - 1) * MATRIX_COLUMNS < columns);
	same_product(&a, r, columns);
	matrix_shape(&given, r->rows, columns);
	given.layout = copy_of(a.layout, a.numbers, sizeof *a.layout);
	given.column = copy_of(a.column, a.elements, sizeof *a.column);
	given.value = copy_of(a.value, a.elements, sizeof *a.value);
	matrix_free(&a);
	same_product(&given, r, columns);
	matrix_free(&given);
}

/* Blocks of one row or column, less than a group of rows, and some stripes. */
static void the_blocks_of_a_class(void **state)
{
	static const struct block blocks[] = {
		{ 0, 1400, 0, 1400 }, { 700, 1400, 350, 700 }, { 0, 1, 0, 1400 },
		{ 0, 1400, 17, 18 },  { 1393, 1400, 0, 5 },
	};
	const struct matrix_class *s = &matrix_classes[0], *w = &matrix_classes[1];
	const struct block whole = { 0, w->n, 0, w->n };
	struct rows r;

	(void)state;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		assert_int_equal(rows_generate(&r, s, &blocks[i]), 0);
		check(&r, blocks[i].col1 - blocks[i].col0);
		rows_free(&r);
	}
	assert_int_equal(rows_generate(&r, w, &whole), 0);
	check(&r, w->n);
	rows_free(&r);
}

/* Columns at random so that about `share` of them are there; none in every seventh row, all in some
 * others. */
static void make_rows(struct rows *r, int64_t rows, int64_t columns, double share)
{
	uint64_t seed = 3;
	const size_t most = (size_t)(rows * columns);

	r->rows = rows;
	r->start = calloc((size_t)rows + 1, sizeof *r->start);
	r->column = malloc(most * sizeof *r->column);
	r->value = malloc(most * sizeof *r->value);
	assert_true(r->start && r->column && r->value);
	for (int64_t i = 0; i < rows; i++) {
		int64_t k = r->start[i];

		for (int32_t j = 0; j < columns && i % 7 != 6; j++) {
			if (i % 100 != 50 && random_next(&seed) >= share)
				continue;
			r->column[k] = j;
			r->value[k++] = random_next(&seed) - 0.5;
		}
		r->start[i + 1] = k;
	}
}

/* More rows than a tile has; full stripes; a last stripe with one column less; empty tiles. */
static void rows_of_all_lengths(void **state)
{
	static const struct {
		int64_t rows, columns;
		double share;
	} sizes[] = {
		{ 2 * MATRIX_ROWS + 1, 3, 0.4 },  { MATRIX_ROWS, 9, 0.3 },
		{ 300, MATRIX_COLUMNS, 0.01 },    { 300, 2 * MATRIX_COLUMNS - 1, 0.01 },
		{ 210, MATRIX_COLUMNS + 1, 1.1 }, { 7, 3 * MATRIX_COLUMNS, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct rows r;

		make_rows(&r, sizes[i].rows, sizes[i].columns, sizes[i].share);
		check(&r, sizes[i].columns);
		rows_free(&r);
	}
}

/* Nine rows of two elements, of which eight are a group, and one of three. */
static void the_layout(void **state)
{
	static int64_t start[] = { 0, 2, 4, 6, 8, 11, 13, 15, 17, 19, 21 };
	static int32_t column[21];
	static double value[21];
	static const uint16_t layout[] = { 2, 2, 9, 0, 1, 2, 3, 5, 6, 7, 8, 9, 3, 1, 4 };
	static const int order[] = { 0, 2,  4,  6,  11, 13, 15, 17, 1, 3, 5,
				     7, 12, 14, 16, 18, 19, 20, 8,  9, 10 };
	const struct rows r = { 10, start, column, value };
	struct matrix a;

	(void)state;
	for (int k = 0; k < 21; k++) {
		column[k] = 30 + k;
		value[k] = k;
	}
	assert_int_equal(matrix_of_rows(&a, &r, 60), 0);
	assert_int_equal(a.numbers, sizeof layout / sizeof *layout);
	assert_memory_equal(a.layout, layout, sizeof layout);
	for (int k = 0; k < 21; k++) {
		assert_int_equal(a.column[k], column[order[k]]);
		assert_int_equal((int)a.value[k], order[k]);
	}
	matrix_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_blocks_of_a_class),
		cmocka_unit_test(rows_of_all_lengths),
		cmocka_unit_test(the_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
