/* When a recovery counts as over: "restored_s" of failures, from ledgers and a kill. */
#include "base/json.h"
#include "harness/record/failures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NP = 3, DEAD = 1 };
static const double KILLED = 1000;

/* As a role sees a recovery in which it was ready so many seconds after the kill. restore_s: -1: it
 * was not restored, though it went back. */
static void sees(struct ledger *l, int64_t epoch, int died, bool back, double ready,
		 double restore_s)
{
	l->event[l->event_count++] = (struct ledger_event){
		.epoch = epoch,
		.front_before = 8,
		.restart = back ? 5 : 8,
		.died = died,
		.rolled_back = back,
		.t_resumed = KILLED + ready,
		.t_detect = died ? -1 : KILLED + 0.01,
		.shrink_s = 0.01,
		.repair_s = died ? -1 : ready - 0.01,
		.restore_s = restore_s,
		.replay_s = -1,
		.catchup_s = -1,
		.wait_s = -1,
	};
}

/* Role 1 is killed; the events say what each role saw of it. */
static void begin(struct ledger ledger[NP])
{
	memset(ledger, 0, NP * sizeof *ledger);
	for (int r = 0; r < NP; r++) {
		ledger[r].magic = LEDGER_MAGIC;
		ledger[r].role = r;
	}
}

/* NAN: it is null. */
static double restored(const struct ledger ledger[NP])
{
	struct run_spec spec = { .np = NP };
	json_t *events =
		json_pack("[{s:s, s:f, s:i, s:i, s:s, s:i, s:[i]}]", "event", "kill", "at", KILLED,
			  "plan", 0, "iteration", 8, "phase", "send", "amount", 0, "victims", DEAD);
	json_t *failures = failures_json(&spec, events, ledger);
	double seconds;

	assert_int_equal(json_array_size(failures), 1);
	seconds = number_of(json_array_get(failures, 0), "restored_s");
	json_decref(failures);
	json_decref(events);
	return seconds;
}

static void test_the_last_role_counts(void **state)
{
	struct ledger ledger[NP];

	(void)state;
	begin(ledger); /* local rollback: the dead role needs longest */
	sees(&ledger[0], 1, 0, false, 0.02, 0);
	sees(&ledger[1], 1, 1, true, 0.05, 0.01);
	sees(&ledger[2], 1, 0, false, 0.03, 0);
	assert_double_equal(restored(ledger), 0.05, 1e-6);
	ledger[2].event[0].t_resumed = KILLED + 0.06; /* a survivor had the communicator later */
	assert_double_equal(restored(ledger), 0.06, 1e-6);
	begin(ledger); /* global rollback: a survivor loads its state longest */
	sees(&ledger[0], 1, 0, true, 0.07, 0.04);
	sees(&ledger[1], 1, 1, true, 0.05, 0.01);
	sees(&ledger[2], 1, 0, true, 0.03, 0.01);
	assert_double_equal(restored(ledger), 0.07, 1e-6);
}

static void test_what_was_not_restored_is_not_zero(void **state)
{
	struct ledger ledger[NP];

	(void)state;
	begin(ledger); /* its process died before it had the state */
	sees(&ledger[0], 1, 0, false, 0.02, 0);
	sees(&ledger[1], 1, 1, true, 0.05, -1);
	sees(&ledger[2], 1, 0, false, 0.03, 0);
	assert_true(isnan(restored(ledger)));
}

/* The checkpoint was refused, so that all go back further: nobody died in that recovery. */
static void test_a_recovery_that_goes_on_ends_with_its_last_part(void **state)
{
	struct ledger ledger[NP];

	(void)state;
	begin(ledger);
	sees(&ledger[0], 1, 0, false, 0.02, 0);
	sees(&ledger[1], 1, 1, true, 0.05, -1);
	sees(&ledger[2], 1, 0, false, 0.03, 0);
	for (int r = 0; r < NP; r++)
		sees(&ledger[r], 2, 0, true, 0.2 + 0.01 * r, 0.01);
	assert_double_equal(restored(ledger), 0.22, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_role_counts),
		cmocka_unit_test(test_what_was_not_restored_is_not_zero),
		cmocka_unit_test(test_a_recovery_that_goes_on_ends_with_its_last_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
