/* forecast/calibrate/planned_pattern.h - the pattern of a kernel with its options, if it has one.
 */
#ifndef FORECAST_CALIBRATE_PLANNED_PATTERN_H
#define FORECAST_CALIBRATE_PLANNED_PATTERN_H

#include "contract/pattern.h"

/* Plan the kernel. The pattern points to args, which stay the caller's. RB_OK; RB_EINVAL: the
 * kernel refuses its options, or which messages it sends depends on data. */
int planned_pattern(struct kernel_pattern *pattern, struct kernel_plan *plan,
		    const struct kernel_ops *kernel, const struct kernel_args *args, int np,
		    struct rb_error *err);

#endif
