/* harness/options/spec_options.h - the options of a run: one table, and the kernel's as a second
 * one of the same shape.
 *
 * A new option is a row of the table, a member of struct run_spec, and the code that uses it. */
#ifndef HARNESS_OPTIONS_SPEC_OPTIONS_H
#define HARNESS_OPTIONS_SPEC_OPTIONS_H

#include "harness/options/options.h"
#include "harness/options/spec.h"

enum { OPTIONS_MAX = 48 };

extern const struct option spec_table[];

/* All options of a run of this kernel, first the kernel's own. They describe struct run_spec. */
void spec_options(const struct kernel_ops *kernel, struct option out[OPTIONS_MAX]);

#endif
