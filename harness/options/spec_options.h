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

void spec_init(struct run_spec *spec, const struct kernel_ops *kernel); /* the defaults */
/* Set an option by its name, the kernel's included. RB_OK or RB_EINVAL. */
int spec_set(struct run_spec *spec, const char *name, const char *value, struct rb_error *err);
/* RB_EINVAL, with the options that the kernel has. */
int spec_unknown(const struct kernel_ops *kernel, const char *name, struct rb_error *err);

/* "cg-class=S-np8-s1-all-i25": what the run is, its kills left out. Part of records that are there
 * already: it must not change. problem: only the kernel, its options and the roles. Returns the
 * length, as snprintf() does. */
size_t spec_name(const struct run_spec *spec, bool problem, char *out, size_t size);

#endif
