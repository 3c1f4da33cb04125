/* How CG stores its matrix: no element is lost, and the product has the bits of a loop over
 * compressed rows. */
#include "kernels/cg/matrix.h"
#include "kernels/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(int64_t)*seed * 0x1p-60;
}

static double *vector_of(int64_t n, uint64_t *seed)
{
	double *x = malloc((size_t)n * sizeof *x);

	assert_non_null(x);
	for (int64_t i = 0; i < n; i++)
		x[i] = number(seed);
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

/* The matrix of these rows, as it is made and with its arrays in other memory. */
static void check(const struct rows *r, int64_t columns)
{
	struct matrix a, given;

	assert_int_equal(matrix_of_rows(&a, r, columns), 0);
	assert_int_equal(a.elements, r->start[r->rows]);
	assert_true(a.width <= MATRIX_STRIPE && (int64_t)a.width * a.stripes >= columns);
	assert_true((int64_t)(a.stripes - 1) * MATRIX_STRIPE < columns);
	same_product(&a, r, columns);
	matrix_of(&given, r->rows, columns, &a);
	same_product(&given, r, columns);
	matrix_free(&a);
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

/* Columns at random so that about `share` of them are there, but none in every seventh row, and all
 * in every hundredth. */
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
			if (i % 100 && (number(&seed) / 16 + 0.5) >= share)
				continue;
			r->column[k] = j;
			r->value[k++] = number(&seed);
		}
		r->start[i + 1] = k;
	}
}

/* More rows than a tile has; full stripes; a last stripe with one column less, or with one. */
static void rows_of_all_lengths(void **state)
{
	static const struct {
		int64_t rows, columns;
		double share;
	} sizes[] = {
		{ 2 * MATRIX_TILE + 1, 3, 0.4 }, { MATRIX_TILE, 9, 0.3 },
		{ 300, MATRIX_STRIPE, 0.01 },    { 300, 2 * MATRIX_STRIPE - 1, 0.01 },
		{ 210, MATRIX_STRIPE + 1, 1.1 }, { 7, 3 * MATRIX_STRIPE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct rows r;

		make_rows(&r, sizes[i].rows, sizes[i].columns, sizes[i].share);
		check(&r, sizes[i].columns);
		rows_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_blocks_of_a_class),
		cmocka_unit_test(rows_of_all_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
