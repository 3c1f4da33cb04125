/* tests/oracle/ref.h - the oracle of the simulator: it stores every iteration of every role, and
 * does nothing to be fast. The engines of forecast/ must have its results, end times to the bit. */
#ifndef TESTS_ORACLE_REF_H
#define TESTS_ORACLE_REF_H

#include "forecast/time/model.h"

/* As simulate_fast(). */
int simulate_ref(const struct model *m, const struct failure *list, size_t count, struct result *r,
		 struct rb_error *err);

#endif
