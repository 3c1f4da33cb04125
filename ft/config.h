/* ft/config.h - what a protected run is told, once, before it starts. */
#ifndef FT_CONFIG_H
#define FT_CONFIG_H

#include "ft/ledger.h"
#include "ft/policy.h"
#include "kernels/kernel.h"

/* Points of an iteration that a hook is told about, so that failures can be injected. */
enum ft_point { FT_START, FT_SEND, FT_COMMIT, FT_CHECKPOINT };

struct ft_hooks {
	void *ctx;
	/* Role is at this point of iteration iter (of checkpoint iter for FT_CHECKPOINT). */
	void (*reached)(void *ctx, int role, int64_t iter, enum ft_point point);
	/* This process now plays role (at the start and when a spare takes over). */
	void (*adopted)(void *ctx, int role, struct ledger *ledger);
};

struct ft_config {
	const struct kernel_ops *kernel;
	struct kernel_args args;
	const char *params;     /* canonical text of args, to tell checkpoints apart */
	const struct policy_ops *policy;
	int np;                 /* roles; the job has np + spares processes */
	int64_t iterations;     /* at most; kernel->finished may end the loop sooner */
	int64_t interval;       /* iterations between two checkpoints */
	const char *dir;        /* run folder: ledgers and checkpoints, seen by all hosts */
	struct ft_hooks hooks;
};

#endif
