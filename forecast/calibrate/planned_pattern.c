#include "forecast/calibrate/planned_pattern.h"

#include "base/status.h"

int planned_pattern(struct kernel_pattern *pattern, struct kernel_plan *plan,
		    const struct kernel_ops *kernel, const struct kernel_args *args, int np,
		    struct rb_error *err)
{
	*plan = (struct kernel_plan){ .iterations = 0 }; /* kernels set what applies to them */
	RB_TRY(kernel->plan(args, np, plan, err));
	if (plan->data_driven)
		return rb_fail(
			err, RB_EINVAL,
			"%s with these options: which messages are sent depends on data, so it has "
			"no pattern",
			kernel->name);
	*pattern = kernel_pattern(kernel, args, np);
	return RB_OK;
}
