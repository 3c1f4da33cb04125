/* contract/pattern.h - who sends how many bytes to whom in an iteration, and in which order,
 * without computing.
 *
 * Forecasts, the reservation of logs and data-flow rollback use a pattern, not a kernel. Kernels
 * supply one by kernel_ops.pattern; forecast/pattern/stencil_pattern.h has stencils. A supplier's
 * struct begins with a struct pattern. */
#ifndef CONTRACT_PATTERN_H
#define CONTRACT_PATTERN_H

#include "contract/kernel.h"

/* What a role does with messages: it sends one, posts a receive, or waits for all posted
 * receives. */
enum pattern_kind { PATTERN_SEND, PATTERN_RECEIVE, PATTERN_WAIT };

struct pattern_operation {
	enum pattern_kind kind;
	int peer, tag; /* of a send or a receive */
	size_t bytes;
	/* part of a reduction over all roles, whose result can be recorded (ft/log/results.h) */
	bool reduction;
};

/* RB_OK, or what pattern.operations is to return at once. */
typedef int pattern_watch(void *ctx, const struct pattern_operation *o);
/* A part of the iteration begins (msg_part()). Likewise. */
typedef int pattern_part(void *ctx, enum msg_part part, const char *name);
/* A message of so many bytes to role dst. Likewise. */
typedef int pattern_visit(void *ctx, int dst, int tag, size_t bytes);

struct pattern {
	int np;
	/* Call watch for the operations of `role` in iteration iter, in program order. Works for
	 * any role and iteration, in any order. RB_OK, RB_ENOMEM, what watch returned, or
	 * RB_EINVAL: a kernel begins a reduction over all roles while a receive is posted, or posts
	 * more than MSG_POST_MAX receives at once. */
	int (*operations)(const struct pattern *p, int role, int64_t iter, pattern_watch *watch,
			  void *ctx);
};

/* The sends alone. RB_OK, RB_ENOMEM, or what visit returned. */
int pattern_sends(const struct pattern *p, int role, int64_t iter, pattern_visit *visit, void *ctx);

/* A kernel with its arguments. The pattern points to both, which stay the caller's. */
struct kernel_pattern {
	struct pattern pattern;
	const struct kernel_ops *kernel;
	const struct kernel_args *args;
	/* report what a role copies from itself to itself (msg_copied()) as a send to itself; false
	 * at first */
	bool copies;
	pattern_part *part; /* called with watch's ctx; NULL at first: parts are of no interest */
};

struct kernel_pattern kernel_pattern(const struct kernel_ops *kernel,
				     const struct kernel_args *args, int np);
/* The kernel that a pattern is of; NULL: it is of none. */
const struct kernel_pattern *kernel_pattern_of(const struct pattern *p);

#endif
