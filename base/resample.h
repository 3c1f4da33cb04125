/* base/resample.h - what a few samples bear out, by drawing from them again (docs/statistics.md).
 * The same samples give the same numbers. */
#ifndef BASE_RESAMPLE_H
#define BASE_RESAMPLE_H

#include <stddef.h>

/* Samples below which no interval has 95 %. */
enum { RESAMPLE_LEAST = 6 };

/* The mean; NAN: there are no values. */
double mean(const double *value, size_t count);
/* The percentile interval of 95 % of the mean, by bootstrap. count: at least 1. */
void mean_95(const double *value, size_t count, double *low, double *high);
/* Fisher's paired permutation test, two-sided, on the sum of the differences of pairs: how often is
 * it as far from 0 if each pair could as well be the other way round? Of up to 16 pairs all ways
 * are tried, else 20000 random ones: p is then never 0. */
double paired_permutation(const double *difference, size_t count);

#endif
