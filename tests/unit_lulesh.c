/* LULESH's breakdowns: the original code exits there; ours ends the run saying where. */
#include "ft/msg/plain_port.h"
#include "kernels/lulesh/lulesh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct kernel_args args = { { "4", "0", "double" } };
static const struct kernel_ops *const ops = &kernel_lulesh;

struct fixture {
	struct kernel_state *s;
	struct link link;
	struct plain_port port;
	struct rb_error err;
};

/* One role alone sends nothing, so no MPI is needed. */
static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof f);
	*state = &f;
	link_init(&f.link, 0, 1);
	plain_init(&f.port, &f.link);
	return ops->create(&f.s, &args, 0, 1, NULL, &f.err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ops->destroy(f->s);
	plain_free(&f->port);
	link_free(&f->link);
	return 0;
}

static double *region(struct fixture *f, const char *name)
{
	struct kernel_region r[KERNEL_MAX_REGIONS];
	size_t count = ops->regions(f->s, r);

	for (size_t i = 0; i < count; i++)
		if (strcmp(r[i].name, name) == 0)
			return r[i].data;
	return NULL;
}

static int advance(struct fixture *f, int steps)
{
	for (int64_t i = 0; i < steps; i++) {
		plain_begin(&f->port);
		RB_TRY(ops->step(f->s, &f->port.msg, i));
		ops->commit(f->s, i);
	}
	return RB_OK;
}

static void says(struct fixture *f, const char *word)
{
	ops->breakdown(f->s, &f->err);
	assert_non_null(strstr(f->err.text, word));
}

static void healthy_steps_are_fine(void **state)
{
	assert_int_equal(advance(*state, 20), RB_OK);
}

static void a_negative_volume_names_the_element(void **state)
{
	struct fixture *f = *state;
	double *x;

	assert_int_equal(advance(f, 3), RB_OK);
	x = region(f, "x");
	x[1 * 25 + 1 * 5 + 1] = 3; /* node (1, 1, 1) pulled through its neighbours */
	assert_int_equal(advance(f, 1), RB_ENUMERIC);
	says(f, "volume of element");
}

static void a_runaway_viscosity_names_the_element(void **state)
{
	struct fixture *f = *state;

	region(f, "q")[7] = 2e12;
	assert_int_equal(advance(f, 1), RB_ENUMERIC);
	says(f, "artificial viscosity of element 7 (3, 1, 0)");
}

static void a_collapsed_time_step_is_an_error(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(advance(f, 3), RB_OK);
	region(f, "energy")[0] = 1e300; /* sound becomes infinitely fast */
	for (int i = 0; i < 5; i++)
		if (advance(f, 1) != RB_OK)
			return;
	fail_msg("no breakdown was noticed");
}

/* step() must leave all that regions() reports untouched: that is what a transaction is. */
static void step_changes_nothing_that_is_committed(void **state)
{
	struct fixture *f = *state;
	struct kernel_region r[KERNEL_MAX_REGIONS];
	static char before[KERNEL_MAX_REGIONS][8192];
	size_t count;

	assert_int_equal(advance(f, 10), RB_OK);
	count = ops->regions(f->s, r);
	for (size_t i = 0; i < count; i++) {
		assert_true(r[i].bytes <= sizeof before[i]);
		memcpy(before[i], r[i].data, r[i].bytes);
	}
	plain_begin(&f->port);
	assert_int_equal(ops->step(f->s, &f->port.msg, 10), RB_OK);
	count = ops->regions(f->s, r);
	for (size_t i = 0; i < count; i++)
		assert_memory_equal(before[i], r[i].data, r[i].bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy_steps_are_fine, setup, teardown),
		cmocka_unit_test_setup_teardown(a_negative_volume_names_the_element, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_runaway_viscosity_names_the_element, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_collapsed_time_step_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(step_changes_nothing_that_is_committed, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
