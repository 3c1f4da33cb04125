/* forecast/pattern/allreduce.h - a pattern without numerics: in each iteration, one sum over all
 * roles (msg_sum_shape()). */
#ifndef FORECAST_PATTERN_ALLREDUCE_H
#define FORECAST_PATTERN_ALLREDUCE_H

#include "contract/pattern.h"

/* It has plan(), pattern() and the options `bytes` and `reduce` only, so it cannot be run. */
extern const struct kernel_ops allreduce;

/* Is that the pattern? Then all iterations are alike. */
bool allreduce_is(const struct pattern *p);
/* The bytes of each message, if it is a sum by recursive doubling; 0: it is another pattern or
 * shape. */
size_t allreduce_doubling_bytes(const struct pattern *p);

#endif
