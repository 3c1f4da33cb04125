#include "base/quantile.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort_numbers(double *value, size_t count)
{
	if (count > 1)
		qsort(value, count, sizeof *value, by_value);
}

double quantile(const double *sorted, size_t count, double p)
{
	const double at = p * (double)(count > 0 ? count - 1 : 0);
	const size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;

	if (count == 0)
		return NAN;
	return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

double median(const double *sorted, size_t count)
{
	return count > 0 ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : NAN;
}

/* Exact for 1 and 2, then the expansion around the normal distribution (Abramowitz and
 * Stegun, 26.7.5). */
double student_95(int degrees)
{
	const double z = 1.6448536269514722, v = degrees;

	if (degrees == 1)
		return 6.313751514675043;
	if (degrees == 2)
		return 2.919985580353725;
	return z + (pow(z, 3) + z) / (4 * v) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * v * v) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * v * v * v);
}
