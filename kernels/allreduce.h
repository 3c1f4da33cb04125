/* kernels/allreduce.h - a pattern without numerics: in each iteration, one sum over all roles (msg_sum_all()). */
#ifndef KERNELS_ALLREDUCE_H
#define KERNELS_ALLREDUCE_H

#include "kernels/pattern.h"

/* It has plan(), pattern() and the option `bytes` only, so it cannot be run. */
extern const struct kernel_ops allreduce;

/* The bytes of each message, if that is the pattern; 0: it is another one. */
size_t allreduce_bytes(const struct pattern *p);

#endif
