/* harness/options/recorded_kernel.h - a recorded profile in the place of a kernel, for commands
 * that need only its pattern. */
#ifndef HARNESS_OPTIONS_RECORDED_KERNEL_H
#define HARNESS_OPTIONS_RECORDED_KERNEL_H

#include "base/error.h"
#include "contract/kernel.h"

/* The kernel of that name, or what stands for a profile if the name ends in .csv or .csv.gz. It has
 * plan() and pattern(), and the option `iterations` (profile/recorded.h); plan() reads the file.
 * There is one in a process at a time. The name must outlive it. NULL: neither. */
const struct kernel_ops *kernel_or_profile(const char *name);

/* *np: the ranks of the profile, if it is one. RB_OK, or as profile_read(). */
int recorded_kernel_np(const struct kernel_ops *kernel, int *np, struct rb_error *err);

#endif
