/* base/quantile.h - quantiles of numbers, none of which is NAN. */
#ifndef BASE_QUANTILE_H
#define BASE_QUANTILE_H

#include <stddef.h>

/* In ascending order. */
void sort_numbers(double *value, size_t count);
/* At probability p of 0 to 1, by linear interpolation between sorted values; NAN: there are no
 * values. */
double quantile(const double *sorted, size_t count, double p);
/* The middle one, or the mean of the two in the middle; NAN: there are no values. */
double median(const double *sorted, size_t count);

/* The number that Student's t with so many degrees of freedom (1 or more) exceeds with a
 * probability of 5 %. Relative error below 0.4 %. */
double student_95(int degrees);

#endif
