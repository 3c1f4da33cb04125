#include "kernels/jacobi/answer.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Several modes, so that no symmetry of the field can hide a wrong exchange. */
static const struct mode {
	int k, l;
	double amplitude;
} modes[ANSWER_MODES] = { { 1, 1, 1 }, { 2, 3, 0.5 }, { 5, 4, 0.25 } };

enum { STRIP = 256 };

/* Columns j to j + count - 1 of a block. The answer is a sum of products of one sine a row and one
 * a column, and those of the columns are made once for all rows. */
struct strip {
	int64_t j, count;
	double column[ANSWER_MODES][STRIP];
};

static double sine(const struct answer *a, int k, int64_t at)
{
	return sin(k * PI * (double)(at + 1) / (double)(a->n + 1));
}

static double decay(const struct mode *mode, int64_t n, int64_t steps)
{
	double h = 1.0 / (double)(n + 1);

	return pow(0.5 * (cos(mode->k * PI * h) + cos(mode->l * PI * h)), (double)steps);
}

struct answer answer_after(int64_t n, int64_t steps)
{
	struct answer a = { .n = n };

	for (int m = 0; m < ANSWER_MODES; m++)
		if (modes[m].k <= n && modes[m].l <= n)
			a.amplitude[m] = modes[m].amplitude * decay(&modes[m], n, steps);
	return a;
}

double answer_sum_of_squares(const struct answer *a)
{
	double side = 0.5 * (double)(a->n + 1), sum = 0;

	for (int m = 0; m < ANSWER_MODES; m++) /* they are orthogonal on the grid */
		sum += a->amplitude[m] * a->amplitude[m] * side * side;
	return sum;
}

static struct strip strip_from(const struct answer *a, const struct answer_block *b, int64_t j)
{
	struct strip t = { .j = j, .count = b->w - j < STRIP ? b->w - j : STRIP };

	for (int m = 0; m < ANSWER_MODES; m++)
		for (int64_t k = 0; k < t.count; k++)
			t.column[m][k] = sine(a, modes[m].l, b->j0 + j + k);
	return t;
}

/* Row i of the strip. */
static void compute(const struct answer *a, const struct answer_block *b, const struct strip *t,
		    int64_t i, double *out)
{
	memset(out, 0, (size_t)t->count * sizeof *out);
	for (int m = 0; m < ANSWER_MODES; m++) {
		double row = a->amplitude[m] * sine(a, modes[m].k, b->i0 + i);

		for (int64_t k = 0; k < t->count; k++)
			out[k] += row * t->column[m][k];
	}
}

void answer_fill(const struct answer *a, const struct answer_block *b, double *u)
{
	for (int64_t j = 0; j < b->w; j += STRIP) {
		const struct strip t = strip_from(a, b, j);

		for (int64_t i = 0; i < b->h; i++)
			compute(a, b, &t, i, u + i * b->w + j);
	}
}

double answer_largest_error(const struct answer *a, const struct answer_block *b, const double *u)
{
	double most = 0, row[STRIP];

	for (int64_t j = 0; j < b->w; j += STRIP) {
		const struct strip t = strip_from(a, b, j);

		for (int64_t i = 0; i < b->h; i++) {
			compute(a, b, &t, i, row);
			for (int64_t k = 0; k < t.count; k++)
				most = fmax(most, fabs(u[i * b->w + j + k] - row[k]));
		}
	}
	return most;
}
