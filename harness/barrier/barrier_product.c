/* The computation of the paper: three nested loops, not optimised. */
#include "harness/barrier/barrier.h"

#include "base/clock.h"

#include <stdlib.h>

struct barrier_product {
	size_t order;
	size_t row;        /* the row that is computed next */
	double *a, *b, *c; /* order x order, by rows */
};

struct barrier_product *barrier_product_make(int order)
{
	struct barrier_product *p = calloc(1, sizeof *p);
	size_t n = (size_t)order, entries = n * n;

	if (!p)
		return NULL;
	p->order = n;
	p->a = malloc(3 * entries * sizeof *p->a);
	if (!p->a) {
		free(p);
		return NULL;
	}
	p->b = p->a + entries;
	p->c = p->b + entries;
	for (size_t i = 0; i < entries; i++) {
		p->a[i] = 1 + (double)(i % 7);
		p->b[i] = 1 + (double)(i % 5);
		p->c[i] = 0;
	}
	return p;
}

void barrier_product_free(struct barrier_product *p)
{
	if (p)
		free(p->a);
	free(p);
}

static void compute_row(struct barrier_product *p, size_t i)
{
	size_t n = p->order;

	for (size_t j = 0; j < n; j++) {
		double sum = 0;

		for (size_t k = 0; k < n; k++)
			sum += p->a[i * n + k] * p->b[k * n + j];
		p->c[i * n + j] = sum;
	}
}

/* The clock is read once per row. This is often enough to end in time, and rare enough not to
 * matter. */
double barrier_product_until(struct barrier_product *p, double until_s)
{
	size_t rows = 0;

	do {
		compute_row(p, p->row);
		p->row = (p->row + 1) % p->order;
		rows++;
	} while (clock_monotonic() < until_s);
	return (double)rows / (double)p->order;
}

double barrier_product_entry(const struct barrier_product *p, int row, int column)
{
	return p->c[(size_t)row * p->order + (size_t)column];
}
