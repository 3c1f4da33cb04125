/* What spec_check() refuses before a run starts. */
#include "base/status.h"
#include "harness/options/spec_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int plan_of_mesh(const struct kernel_args *args, int np, struct kernel_plan *plan,
			struct rb_error *err)
{
	(void)args, (void)np, (void)err;
	plan->iterations = 10;
	plan->data_driven = true;
	return RB_OK;
}

static const struct kernel_option no_options[] = { { NULL, NULL, NULL } };
static const struct kernel_ops mesh = {
	.name = "mesh", .summary = "", .options = no_options, .plan = plan_of_mesh
};

static void a_kernel_whose_messages_depend_on_data(void **state)
{
	struct kernel_plan plan;
	struct run_spec spec;
	struct rb_error err;

	(void)state;
	spec_init(&spec, &mesh);
	assert_int_equal(spec_check(&spec, &plan, &err), RB_OK);
	spec.recompute = FT_DATAFLOW;
	assert_int_equal(spec_check(&spec, &plan, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "--recompute dataflow"));
	assert_non_null(strstr(err.text, "mesh"));
}

static int plan_of_rows(const struct kernel_args *args, int np, struct kernel_plan *plan,
			struct rb_error *err)
{
	(void)args, (void)np, (void)err;
	plan->iterations = 10;
	return RB_OK;
}

/* A kernel must say that it bears old data in the place of messages that are not received. */
static void a_kernel_that_may_break_down(void **state)
{
	struct kernel_ops kernel = mesh;
	struct kernel_plan plan;
	struct run_spec spec;
	struct rb_error err;

	(void)state;
	kernel.plan = plan_of_rows;
	spec_init(&spec, &kernel);
	spec.recompute = FT_DATAFLOW;
	assert_int_equal(spec_check(&spec, &plan, &err), RB_OK);
	assert_false(spec_bears_old_data(&spec));
	spec.recompute = FT_FLAT;
	assert_int_equal(spec_check(&spec, &plan, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "--recompute dataflow:flat"));
	assert_non_null(strstr(err.text, "mesh"));
	assert_non_null(strstr(err.text, "use --recompute dataflow"));
	spec_init(&spec, kernel_find("jacobi"));
	spec.recompute = FT_FLAT;
	assert_int_equal(spec_check(&spec, &plan, &err), RB_OK);
	assert_true(spec_bears_old_data(&spec));
}

static int reduces_while_it_expects(const struct kernel_args *args, int role, int np, int64_t iter,
				    struct msg *m)
{
	double v = 0;

	(void)args, (void)role, (void)np, (void)iter;
	msg_post(m, 1, 7, &v, sizeof v);
	return msg_sum_all(m, 20, &v, 1);
}

static void a_kernel_that_cannot_be_repeated_in_parts(void **state)
{
	struct kernel_ops kernel = mesh;
	struct kernel_plan plan;
	struct run_spec spec;
	struct rb_error err;

	(void)state;
	kernel.pattern = reduces_while_it_expects;
	spec_init(&spec, &kernel);
	assert_int_equal(spec_check(&spec, &plan, &err), RB_OK);
	spec.recompute = FT_DATAFLOW;
	assert_int_equal(spec_check(&spec, &plan, &err), RB_EINVAL);
	assert_non_null(strstr(err.text, "receive is posted"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_whose_messages_depend_on_data),
		cmocka_unit_test(a_kernel_that_may_break_down),
		cmocka_unit_test(a_kernel_that_cannot_be_repeated_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
