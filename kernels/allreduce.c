#include "kernels/allreduce.h"

#include "base/text.h"

#include <stdio.h>

enum { BYTES_MAX = 16 * sizeof(double) }; /* see msg_sum_all() */

static const struct kernel_option options[] = {
	{ "bytes", "8", "of the numbers that are summed, a multiple of 8 up to 128" },
	{ NULL, NULL, NULL },
};

static bool read_bytes(const struct kernel_args *args, int64_t *bytes)
{
	return text_integer(args->value[0], sizeof(double), BYTES_MAX, bytes) && *bytes % (int64_t)sizeof(double) == 0;
}

static int plan(const struct kernel_args *args, int np, struct kernel_plan *out, struct rb_error *err)
{
	int64_t bytes;

	if (!read_bytes(args, &bytes))
		return rb_fail(err, RB_EINVAL, "--bytes %.40s: expected a multiple of 8 up to %d", args->value[0], (int)BYTES_MAX);
	out->iterations = 1;
	snprintf(out->layout, sizeof out->layout, "%d roles", np);
	return RB_OK;
}

static int sum(const struct kernel_args *args, int role, int np, int64_t iter, struct msg *m)
{
	double v[BYTES_MAX / sizeof(double)] = { 0 };
	int64_t bytes;

	(void)role, (void)np, (void)iter;
	return read_bytes(args, &bytes) ? msg_sum_all(m, 0, v, (size_t)bytes / sizeof *v) : RB_EINVAL;
}

const struct kernel_ops allreduce = { .name = "allreduce", .summary = "a sum over all roles", .options = options, .plan = plan,
				      .pattern = sum };

size_t allreduce_bytes(const struct pattern *p)
{
	const struct kernel_pattern *k = kernel_pattern_of(p);
	int64_t bytes;

	return k && k->kernel == &allreduce && read_bytes(k->args, &bytes) ? (size_t)bytes : 0;
}
