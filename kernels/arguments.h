/* kernels/arguments.h - values of a kernel's options, as its plan() checks them. */
#ifndef KERNELS_ARGUMENTS_H
#define KERNELS_ARGUMENTS_H

#include "kernels/kernel.h"

/* The whole number from least to most that the option says; `option` is its place in `options` and in `args`. RB_OK, or
 * RB_EINVAL with the option and these bounds in err. */
int argument_number(const struct kernel_option *options, const struct kernel_args *args, int option, int64_t least,
		    int64_t most, int64_t *out, struct rb_error *err);

#endif
