/* base/sample.h - measured values of one quantity. */
#ifndef BASE_SAMPLE_H
#define BASE_SAMPLE_H

#include <stddef.h>

struct sample {
	double *value; /* ascending behind sample_sort() */
	size_t count;
};

/* RB_OK or RB_ENOMEM. */
int sample_add(struct sample *s, double value);
void sample_sort(struct sample *s);
/* At probability p of 0 to 1, by linear interpolation; NAN: there are no values. Of a sorted
 * one. */
double sample_quantile(const struct sample *s, double p);
void sample_free(struct sample *s);

#endif
