#include "base/sample.h"

#include "base/quantile.h"
#include "base/status.h"

#include <stdlib.h>

int sample_add(struct sample *s, double value)
{
	if ((s->count & (s->count + 1)) == 0 || !s->value) { /* room for 1, 3, 7, 15, ... */
		double *more = realloc(s->value, (2 * s->count + 1) * sizeof *more);

		if (!more)
			return RB_ENOMEM;
		s->value = more;
	}
	s->value[s->count++] = value;
	return RB_OK;
}

void sample_sort(struct sample *s)
{
	sort_numbers(s->value, s->count);
}

double sample_quantile(const struct sample *s, double p)
{
	return quantile(s->value, s->count, p);
}

void sample_free(struct sample *s)
{
	free(s->value);
	*s = (struct sample){ NULL, 0 };
}
