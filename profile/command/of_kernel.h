/* profile/command/of_kernel.h - the profile of a kernel, from its pattern, as `rollbench profile`
 * and `study` make it. */
#ifndef PROFILE_COMMAND_OF_KERNEL_H
#define PROFILE_COMMAND_OF_KERNEL_H

#include "harness/options/spec.h"
#include "profile/profile.h"

/* Iterations from `from` to `to` - 1; to = 0: all that the kernel has. */
struct iteration_range {
	int64_t from, to;
};

/* "N": the first N iterations; "A..B": iterations A to B, both included, as in experiment files.
 * RB_OK or RB_EINVAL. */
int iteration_range_parse(struct iteration_range *r, const char *text, struct rb_error *err);

/* The profile of these iterations. copies: what a role copies to itself counts as a message
 * (kernel_pattern.copies). program, words: for the header. r->to is set if it was 0. RB_OK;
 * RB_ENOMEM; RB_EINVAL: the kernel has no such iterations, or its messages depend on data. Only
 * what succeeded is to be freed. */
int profile_of_kernel(struct profile *p, const struct run_spec *spec, struct iteration_range *r,
		      bool copies, const char *program, char **words, struct rb_error *err);

/* Set the keys of the header that say what was run: program, arguments, host, date. RB_OK or
 * RB_ENOMEM. */
int profile_set_command(struct profile *p, const char *program, char **words);

#endif
