/* kernels/pattern.h - who sends how many bytes to whom in an iteration, without computing.
 *
 * Forecasts and the reservation of logs use a pattern, not a kernel. Kernels supply one by
 * kernel_ops.pattern; kernels/stencil_pattern.h has stencils. A supplier's struct begins with a struct
 * pattern. */
#ifndef KERNELS_PATTERN_H
#define KERNELS_PATTERN_H

#include "kernels/kernel.h"

/* A message of so many bytes to role dst. RB_OK, or what pattern.sends is to return at once. */
typedef int pattern_visit(void *ctx, int dst, int tag, size_t bytes);

struct pattern {
	int np;
	/* Call visit for the messages that `role` sends in iteration iter, in the order of sending. Works for
	 * any role and iteration, in any order. RB_OK, RB_ENOMEM, or what visit returned. */
	int (*sends)(const struct pattern *p, int role, int64_t iter, pattern_visit *visit, void *ctx);
};

/* A kernel with its arguments. The pattern points to both, which stay the caller's. */
struct kernel_pattern {
	struct pattern pattern;
	const struct kernel_ops *kernel;
	const struct kernel_args *args;
};

struct kernel_pattern kernel_pattern(const struct kernel_ops *kernel, const struct kernel_args *args, int np);

#endif
