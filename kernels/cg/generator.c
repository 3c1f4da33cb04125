#include "kernels/cg/generator.h"

#include "kernels/cg/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double RCOND = 0.1;

enum { VECTOR_MAX = 32 }; /* nonzer + 1 at most */

const struct matrix_class matrix_classes[] = {
	{ "S", 1400, 7, 15, 10, 8.5971775078648 },
	{ "W", 7000, 8, 15, 12, 10.362595087124 },
	{ "A", 14000, 11, 15, 20, 17.130235054029 },
	{ "B", 75000, 13, 75, 60, 22.712745482631 },
	{ "C", 150000, 15, 75, 110, 28.973605592845 },
	{ "D", 1500000, 21, 100, 500, 52.514532105794 },
	{ "E", 9000000, 26, 100, 1500, 77.522164599383 },
	{ NULL, 0, 0, 0, 0, 0 },
};

/* One sparse vector x_i. */
struct vector {
	int count;
	int64_t at[VECTOR_MAX];
	double value[VECTOR_MAX];
};

struct generator {
	const struct matrix_class *c;
	uint64_t state;
	double range; /* smallest power of two not below n: positions are drawn from it */
};

static struct generator generator_start(const struct matrix_class *c)
{
	struct generator g = { .c = c, .state = RANDOM_SEED, .range = 1 };

	while (g.range < (double)c->n)
		g.range *= 2;
	random_next(&g.state); /* the specification's stream begins with the second number */
	return g;
}

static int find(const struct vector *x, int64_t at)
{
	for (int k = 0; k < x->count; k++)
		if (x->at[k] == at)
			return k;
	return -1;
}

/* nonzer random elements at distinct random places, and 1/2 at place i. */
static void next_vector(struct generator *g, int64_t i, struct vector *x)
{
	int k;

	x->count = 0;
	while (x->count < g->c->nonzer) {
		double value = random_next(&g->state);
		int64_t at = (int64_t)(g->range * random_next(&g->state));

		if (at >= g->c->n || find(x, at) >= 0)
			continue;
		x->at[x->count] = at;
		x->value[x->count++] = value;
	}
	k = find(x, i);
	if (k < 0)
		k = x->count++;
	x->at[k] = i;
	x->value[k] = 0.5;
}

static bool inside(int64_t i, int64_t low, int64_t high)
{
	return i >= low && i < high;
}

/* Elements per row, before those at the same place are merged; start[r + 1] counts row r. */
static void count_elements(const struct matrix_class *c, const struct block *b, int64_t *start)
{
	struct generator g = generator_start(c);
	struct vector x;

	for (int64_t i = 0; i < c->n; i++) {
		int columns = 0;

		next_vector(&g, i, &x);
		for (int k = 0; k < x.count; k++)
			columns += inside(x.at[k], b->col0, b->col1);
		for (int k = 0; k < x.count; k++)
			if (inside(x.at[k], b->row0, b->row1))
				start[x.at[k] - b->row0 + 1] += columns;
	}
}

/* Compute the vectors again, which is cheaper than to keep all of them. */
static void fill_elements(const struct matrix_class *c, const struct block *b, int64_t *next,
			  int32_t *column, double *value)
{
	struct generator g = generator_start(c);
	const double ratio = pow(RCOND, 1.0 / (double)c->n);
	double omega = 1;
	struct vector x;

	for (int64_t i = 0; i < c->n; i++, omega *= ratio) {
		next_vector(&g, i, &x);
		for (int k = 0; k < x.count; k++) {
			double scale = omega * x.value[k];

			if (!inside(x.at[k], b->row0, b->row1))
				continue;
			for (int j = 0; j < x.count; j++) {
				int64_t at;

				if (!inside(x.at[j], b->col0, b->col1))
					continue;
				at = next[x.at[k] - b->row0]++;
				column[at] = (int32_t)(x.at[j] - b->col0);
				value[at] = x.value[j] * scale;
				if (x.at[k] == i && x.at[j] == i)
					value[at] += RCOND - c->shift;
			}
		}
	}
}

/* Which columns a row has: a bit for each, and one for each word of bits that is not 0, so that a
 * row's columns are found in order without sorting them. */
struct columns {
	uint64_t *bits, *words;
	int64_t count; /* of words of bits */
};

enum { WORD = 64 };

static int columns_init(struct columns *c, int64_t columns)
{
	c->count = (columns + WORD - 1) / WORD;
	c->bits = calloc((size_t)c->count, sizeof *c->bits);
	c->words = calloc((size_t)(c->count + WORD - 1) / WORD, sizeof *c->words);
	return c->bits && c->words ? 0 : -1;
}

static void columns_free(struct columns *c)
{
	free(c->bits);
	free(c->words);
}

/* Was it there before? */
static bool columns_add(struct columns *c, int32_t column)
{
	uint64_t bit = UINT64_C(1) << column % WORD, before = c->bits[column / WORD];

	c->bits[column / WORD] = before | bit;
	c->words[column / WORD / WORD] |= UINT64_C(1) << column / WORD % WORD;
	return before & bit;
}

/* The number of the lowest bit, which is cleared. */
static int take_lowest(uint64_t *bits)
{
	int lowest = __builtin_ctzll(*bits);

	*bits &= *bits - 1;
	return lowest;
}

/* Take all columns out, in order; returns how many. */
static int64_t columns_take(struct columns *c, int32_t *column)
{
	int64_t kept = 0;

	for (int64_t group = 0; group * WORD < c->count; group++) {
		while (c->words[group]) {
			int64_t word = group * WORD + take_lowest(&c->words[group]);

			while (c->bits[word])
				column[kept++] =
					(int32_t)(word * WORD + take_lowest(&c->bits[word]));
		}
	}
	return kept;
}

/* Merge one row: sum[] spans all columns of the block; elements of the same place are added in the
 * order in which they were generated. seen has no column, before and behind. Returns the number of
 * distinct columns. */
static int64_t merge_row(int32_t *column, double *value, int64_t count, double *sum,
			 struct columns *seen)
{
	int64_t kept;

	for (int64_t k = 0; k < count; k++) {
		int32_t j = column[k];

		sum[j] = (columns_add(seen, j) ? sum[j] : 0) + value[k];
	}
	kept = columns_take(seen, column);
	for (int64_t k = 0; k < kept; k++)
		value[k] = sum[column[k]];
	return kept;
}

static int merge(struct rows *a, int64_t columns)
{
	double *sum = malloc((size_t)columns * sizeof *sum);
	struct columns seen;
	int64_t to = 0, from = 0;
	int rc = columns_init(&seen, columns);

	if (!sum)
		rc = -1;
	for (int64_t r = 0; rc == 0 && r < a->rows; r++) {
		int64_t end = a->start[r + 1];
		int64_t kept = merge_row(a->column + from, a->value + from, end - from, sum, &seen);

		memmove(a->column + to, a->column + from, (size_t)kept * sizeof *a->column);
		memmove(a->value + to, a->value + from, (size_t)kept * sizeof *a->value);
		from = end;
		to += kept;
		a->start[r + 1] = to;
	}
	free(sum);
	columns_free(&seen);
	return rc;
}

int rows_generate(struct rows *a, const struct matrix_class *c, const struct block *b)
{
	int64_t *next;
	int rc = -1;

	memset(a, 0, sizeof *a);
	a->rows = b->row1 - b->row0;
	a->start = calloc((size_t)a->rows + 1, sizeof *a->start);
	next = malloc(((size_t)a->rows + 1) * sizeof *next);
	if (!a->start || !next)
		goto out;
	count_elements(c, b, a->start);
	for (int64_t r = 0; r < a->rows; r++)
		a->start[r + 1] += a->start[r];
	memcpy(next, a->start, ((size_t)a->rows + 1) * sizeof *next);
	a->column = malloc(((size_t)a->start[a->rows] + 1) * sizeof *a->column);
	a->value = malloc(((size_t)a->start[a->rows] + 1) * sizeof *a->value);
	if (!a->column || !a->value)
		goto out;
	fill_elements(c, b, next, a->column, a->value);
	rc = merge(a, b->col1 - b->col0);
out:
	free(next);
	if (rc != 0)
		rows_free(a);
	return rc;
}

void rows_free(struct rows *a)
{
	free(a->start);
	free(a->column);
	free(a->value);
	memset(a, 0, sizeof *a);
}
