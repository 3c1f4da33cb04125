/* The file of what a role used: it survives its process, and a partial one is not read. */
#include "harness/machine/usage.h"
#include "tests/folder.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct rb_error err;

static struct usage_row span(int64_t iter, int phase, double joules)
{
	struct usage_row row = { .iter = iter, .phase = phase, .incarnation = 1 };

	row.amount.wall_s = 2;
	row.amount.cpu_s = 1;
	for (int d = 0; d < METER_DOMAINS; d++)
		row.amount.energy_j[d] = joules;
	return row;
}

static void path_of(char *out, size_t size)
{
	snprintf(out, size, "%s/role.3.usage", dir);
}

static void a_replacement_goes_on_where_a_killed_process_ended(void **state)
{
	struct usage_row row = span(7, LEDGER_STEP, 5);
	const struct usage *u;
	struct usage *w;
	int status;

	(void)state;
	if (fork() == 0) {
		w = usage_open(dir, 3, 10, &err);
		usage_add(w, &row, true);
		kill(getpid(), SIGKILL);
	}
	wait(&status);
	assert_true(WIFSIGNALED(status));
	w = usage_open(dir, 3, 4, &err); /* asks for less: what is there stays */
	assert_int_equal(w->capacity, 10);
	row.iter = 8;
	usage_add(w, &row, true);
	usage_close(w);
	u = usage_read(dir, 3);
	assert_int_equal(u->rows, 2);
	assert_int_equal(u->row[1].iter, 8);
	assert_int_equal(u->sum[LEDGER_STEP].spans, 2);
	assert_true(u->sum[LEDGER_STEP].amount.energy_j[METER_PACKAGE] == 10);
	usage_unmap(u);
}

static void a_part_unmeasured_is_a_sum_unmeasured(void **state)
{
	struct usage_row row = span(0, USAGE_ABORTED, NAN);
	struct usage *u = usage_open(dir, 3, 0, &err);

	(void)state;
	usage_add(u, &row, false);
	row = span(1, USAGE_ABORTED, 4);
	usage_add(u, &row, false);
	assert_true(isnan(u->sum[USAGE_ABORTED].amount.energy_j[METER_DRAM]));
	assert_true(u->sum[USAGE_ABORTED].amount.wall_s == 4);
	assert_int_equal(u->rows, 0);
	usage_close(u);
}

static void rows_without_room_are_counted(void **state)
{
	struct usage_row row = span(0, LEDGER_STEP, 1);
	struct usage *u = usage_open(dir, 3, 2, &err);

	(void)state;
	for (int i = 0; i < 5; i++)
		usage_add(u, &row, true);
	assert_int_equal(u->rows, 2);
	assert_int_equal(u->dropped, 3);
	assert_int_equal(u->sum[LEDGER_STEP].spans, 5);
	usage_close(u);
}

static void damage_is_no_usage(void **state)
{
	struct usage *u = usage_open(dir, 3, 2, &err);
	char path[256];

	(void)state;
	assert_null(usage_read(dir, 4));
	path_of(path, sizeof path);
	u->rows = 3; /* more than there is room for */
	assert_null(usage_read(dir, 3));
	u->rows = 0;
	u->version++;
	assert_null(usage_read(dir, 3));
	usage_close(u);
	for (off_t size = (off_t)sizeof *u + 50; size >= 0; size -= 97) {
		assert_int_equal(truncate(path, size), 0);
		assert_null(usage_read(dir, 3));
	}
	assert_null(usage_open("/nowhere", 3, 2, &err));
	assert_non_null(strstr(err.text, "/nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_replacement_goes_on_where_a_killed_process_ended,
						make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(a_part_unmeasured_is_a_sum_unmeasured, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(rows_without_room_are_counted, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(damage_is_no_usage, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
