#include "kernels/jacobi/sweep.h"

enum { LANES = 8 };

/* Eight points at once, on machines with any vector registers; memory need not be aligned. */
typedef double lanes __attribute__((vector_size(8 * sizeof(double)), aligned(8), may_alias));

#define AT(p) (*(const lanes *)(p))

/* One row, columns [1, w - 1). Independent partial sums fill the vector registers while the order
 * of additions stays fixed. */
static double row_inner(const double *restrict up, const double *restrict mid,
			const double *restrict down, double *restrict out, int64_t w)
{
	lanes sum = { 0 };
	double total = 0;
	int64_t j = 1;

	for (; j + LANES <= w - 1; j += LANES) {
		lanes new = 0.25 * (AT(up + j) + AT(down + j) + AT(mid + j - 1) + AT(mid + j + 1));
		lanes d = new - AT(mid + j);

		*(lanes *)(out + j) = new;
		sum += d * d;
	}
	for (; j < w - 1; j++) {
		double new = 0.25 * (up[j] + down[j] + mid[j - 1] + mid[j + 1]);
		double d = new - mid[j];

		out[j] = new;
		sum[0] += d * d;
	}
	for (int k = 0; k < LANES; k++)
		total += sum[k];
	return total;
}

double sweep_inner(const struct block *b)
{
	double sum = 0;

	for (int64_t i = 1; i < b->h - 1; i++) {
		const double *mid = b->u + i * b->w;

		sum += row_inner(mid - b->w, mid, mid + b->w, b->v + i * b->w, b->w);
	}
	return sum;
}

static double point(const struct block *b, int64_t i, int64_t j)
{
	const double *mid = b->u + i * b->w + j;
	double up = i > 0 ? mid[-b->w] : b->north[j];
	double down = i < b->h - 1 ? mid[b->w] : b->south[j];
	double left = j > 0 ? mid[-1] : b->west[i];
	double right = j < b->w - 1 ? mid[1] : b->east[i];
	double new = 0.25 * (up + down + left + right);
	double d = new - *mid;

	b->v[i * b->w + j] = new;
	return d * d;
}

static double row_edge(const struct block *b, int64_t i)
{
	const double *mid = b->u + i * b->w;
	const double *up = i > 0 ? mid - b->w : b->north;
	const double *down = i < b->h - 1 ? mid + b->w : b->south;

	return row_inner(up, mid, down, b->v + i * b->w, b->w);
}

double sweep_edge(const struct block *b)
{
	double sum = row_edge(b, 0);

	if (b->h > 1)
		sum += row_edge(b, b->h - 1);
	for (int64_t i = 0; i < b->h; i++) {
		sum += point(b, i, 0);
		if (b->w > 1)
			sum += point(b, i, b->w - 1);
	}
	return sum;
}
