#include "forecast/pattern/allreduce.h"

#include "base/text.h"
#include "contract/arguments.h"

#include <stdio.h>

enum { BYTES_MAX = 16 * sizeof(double) }; /* see msg_sum_shape() */
enum { OPT_BYTES, OPT_REDUCE };

static const struct kernel_option options[] = {
	[OPT_BYTES] = { "bytes", "8", "of the numbers that are summed, a multiple of 8 up to 128" },
	[OPT_REDUCE] = { "reduce", "auto", ARGUMENT_SHAPE_HELP "; auto: doubling" },
	{ NULL, NULL, NULL },
};

static bool read_bytes(const struct kernel_args *args, int64_t *bytes)
{
	return text_integer(args->value[OPT_BYTES], sizeof(double), BYTES_MAX, bytes) &&
	       *bytes % (int64_t)sizeof(double) == 0;
}

static int read_shape(const struct kernel_args *args, struct msg_shape *shape, struct rb_error *err)
{
	return argument_shape(args, OPT_REDUCE, &(struct msg_shape){ .kind = MSG_DOUBLING }, shape,
			      err);
}

static int plan(const struct kernel_args *args, int np, struct kernel_plan *out,
		struct rb_error *err)
{
	struct msg_shape shape;
	int64_t bytes;

	if (!read_bytes(args, &bytes))
		return rb_fail(err, RB_EINVAL, "--bytes %.40s: expected a multiple of 8 up to %d",
			       args->value[OPT_BYTES], (int)BYTES_MAX);
	RB_TRY(read_shape(args, &shape, err));
	out->iterations = 1;
	snprintf(out->layout, sizeof out->layout, "%d roles", np);
	return RB_OK;
}

static int sum(const struct kernel_args *args, int role, int np, int64_t iter, struct msg *m)
{
	double v[BYTES_MAX / sizeof(double)] = { 0 };
	struct msg_shape shape;
	struct rb_error ignored;
	int64_t bytes;

	(void)role, (void)np, (void)iter;
	RB_TRY(read_shape(args, &shape, &ignored));
	msg_part(m, MSG_EXCHANGE, "sum over all roles");
	return read_bytes(args, &bytes) ? msg_sum_shape(m, &shape, 0, v, (size_t)bytes / sizeof *v)
					: RB_EINVAL;
}

const struct kernel_ops allreduce = { .name = "allreduce",
				      .summary = "a sum over all roles",
				      .options = options,
				      .plan = plan,
				      .pattern = sum };

bool allreduce_is(const struct pattern *p)
{
	const struct kernel_pattern *k = kernel_pattern_of(p);

	return k && k->kernel == &allreduce;
}

size_t allreduce_doubling_bytes(const struct pattern *p)
{
	struct msg_shape shape;
	struct rb_error ignored;
	int64_t bytes;

	if (!allreduce_is(p) || read_shape(kernel_pattern_of(p)->args, &shape, &ignored) != RB_OK ||
	    shape.kind != MSG_DOUBLING)
		return 0;
	return read_bytes(kernel_pattern_of(p)->args, &bytes) ? (size_t)bytes : 0;
}
