/* contract/arguments.h - values of a kernel's options, as its plan() checks them. */
#ifndef CONTRACT_ARGUMENTS_H
#define CONTRACT_ARGUMENTS_H

#include "contract/kernel.h"

/* The whole number from least to most that the option says; `option` is its place in `options` and
 * in `args`. RB_OK, or RB_EINVAL with the option and these bounds in err. */
int argument_number(const struct kernel_option *options, const struct kernel_args *args, int option,
		    int64_t least, int64_t most, int64_t *out, struct rb_error *err);

/* The place of the option's value among these words, 0 if the kernel was given none; -1: it is none
 * of them. */
int argument_word(const struct kernel_args *args, int option, const char *const *words, int count);

/* How a reduction is made, as the option `reduce` says: `auto`, which is what `standard` has, or
 * the name of a kind. Grid is one of the names if standard has axes, and they are copied. A kernel
 * that was given no value takes the default. RB_OK, or RB_EINVAL. */
int argument_shape(const struct kernel_args *args, int option, const struct msg_shape *standard,
		   struct msg_shape *out, struct rb_error *err);

#define ARGUMENT_SHAPE_HELP "how a sum or maximum is made: auto, doubling, binomial, ring, central"

#endif
