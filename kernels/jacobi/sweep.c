#include "kernels/jacobi/sweep.h"

#include "kernels/vector.h"

/* A row has eight partial sums, whatever a register holds: (column - 1) % 8 says to which a point
 * belongs, and the first one has the last points, too, if they are fewer than eight. So the order
 * of additions is fixed, and no addition waits for the one before. */
enum { SUMS = 8, PARTS = SUMS / VECTOR_DOUBLES };

/* How many points ahead of the row below cache lines are requested, with streaming, for the
 * second-level cache. Measured on Zen 4: it does not look as far ahead by itself while the two rows
 * above are read from the caches, and further requests of a line help again: the second one always,
 * the third one while others use the memory, too. */
enum { AHEAD = 1024, FURTHER_AHEAD = 2560, FURTHEST_AHEAD = 4096 };

struct row {
	const double *up, *mid, *down;
	double *out;
};

/* One point. Returns the square of its change. */
static inline double column(const struct row *r, int64_t j)
{
	double new = 0.25 * (r->up[j] + r->down[j] + r->mid[j - 1] + r->mid[j + 1]);
	double d = new - r->mid[j];

	r->out[j] = new;
	return d * d;
}

/* Eight points from column j on. */
static inline void columns(const struct row *r, int64_t j, vector sum[PARTS], bool streaming)
{
	if (streaming) {
		vector_request(r->down + j, AHEAD * sizeof *r->down);
		vector_request(r->down + j, FURTHER_AHEAD * sizeof *r->down);
		vector_request(r->down + j, FURTHEST_AHEAD * sizeof *r->down);
	}
	for (int k = 0; k < PARTS; k++, j += VECTOR_DOUBLES) {
		vector new = 0.25 * (vector_load(r->up + j) + vector_load(r->down + j) +
				     vector_load(r->mid + j - 1) + vector_load(r->mid + j + 1));
		vector d = new - vector_load(r->mid + j);

		if (streaming)
			vector_stream(r->out + j, new);
		else
			vector_store(r->out + j, new);
		sum[k] += d * d;
	}
}

/* Columns [1, w - 1). Streaming begins with the first cache line: its points begin with the sum of
 * number `first`. */
static inline double row_inner(const struct row *r, int64_t w, bool streaming)
{
	const int64_t full = 1 + (w - 2) / SUMS * SUMS;
	double sum[SUMS] = { 0 }, rotated[SUMS], total = 0;
	vector part[PARTS] = { { 0 } };
	int64_t j = 1, first = 0;

	if (streaming) {
		for (int64_t n = vector_until_line(r->out + 1); first < n && j < full; j++)
			sum[first++] += column(r, j);
		for (int k = 0; k < SUMS; k++)
			rotated[k] = sum[(k + first) % SUMS];
		memcpy(part, rotated, sizeof part);
	}
	for (; j + SUMS <= full; j += SUMS)
		columns(r, j, part, streaming);
	memcpy(rotated, part, sizeof rotated);
	for (int k = 0; k < SUMS; k++)
		sum[(k + first) % SUMS] = rotated[k];
	for (; j < full; j++)
		sum[(j - 1) % SUMS] += column(r, j);
	for (; j < w - 1; j++)
		sum[0] += column(r, j);
	for (int k = 0; k < SUMS; k++)
		total += sum[k];
	return total;
}

static double row_sum(const struct block *b, const struct row *r)
{
	return b->streaming ? row_inner(r, b->w, true) : row_inner(r, b->w, false);
}

double sweep_inner(const struct block *b)
{
	double sum = 0;

	for (int64_t i = 1; i < b->h - 1; i++) {
		const double *mid = b->u + i * b->w;
		const struct row r = { mid - b->w, mid, mid + b->w, b->v + i * b->w };

		sum += row_sum(b, &r);
	}
	if (b->streaming)
		vector_stream_end();
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
	const struct row r = { i > 0 ? mid - b->w : b->north, mid,
			       i < b->h - 1 ? mid + b->w : b->south, b->v + i * b->w };

	return row_sum(b, &r);
}

double sweep_edge(const struct block *b)
{
	double sum = row_edge(b, 0);

	if (b->h > 1)
		sum += row_edge(b, b->h - 1);
	if (b->streaming)
		vector_stream_end();
	for (int64_t i = 0; i < b->h; i++) {
		sum += point(b, i, 0);
		if (b->w > 1)
			sum += point(b, i, b->w - 1);
	}
	return sum;
}
