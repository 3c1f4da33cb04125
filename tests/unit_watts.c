/* Series of wattmeters: what is read, what is refused, joules worked out by hand, and the command
 * beside a run. */
#include "base/clock.h"
#include "base/status.h"
#include "harness/watts/meter_command.h"
#include "harness/watts/recoveries.h"
#include "harness/watts/series.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int read_text(struct series *s, const char *text, struct rb_error *err)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(f);
	rc = series_read(s, f, "f.csv", err);
	fclose(f);
	return rc;
}

static void readings_are_read(void **state)
{
	static const char text[] =
		"# a meter\n\ntime,node,watts\r\n10,b,5\n 11.25 , a , 6.5\r\n\n12,b,7\n12,b,8\n"
		"1,b,9";
	struct rb_error err;
	struct series s;

	(void)state;
	assert_int_equal(read_text(&s, text, &err), RB_OK);
	assert_int_equal(s.count, 2);
	assert_string_equal(s.node[0].name, "b");
	assert_int_equal(s.node[0].line, 4);
	assert_int_equal(s.node[0].count, 3);
	assert_true(s.node[0].reading[1].time == 12 && s.node[0].reading[1].watts == 7);
	assert_int_equal(s.node[1].count, 1);
	assert_true(s.node[1].reading[0].time == 11.25 && s.node[1].reading[0].watts == 6.5);
	assert_int_equal(s.cut, 9); /* perhaps it was to become 10 or 100 */
	series_free(&s);
}

static void an_empty_text_has_no_readings(void **state)
{
	struct rb_error err;
	struct series s;

	(void)state;
	assert_int_equal(read_text(&s, "\n", &err), RB_OK);
	assert_int_equal(s.count, 0);
	assert_int_equal(s.cut, 0);
	series_free(&s);
}

static void bad_lines_are_named(void **state)
{
	static const char header[] = "time,node,watts\n1,a,5\n";
	static const struct {
		const char *line, *message;
	} bad[] = {
		{ "2,a,-1\n", "f.csv:3: watts \"-1\": expected a number from 0 to 1e+07" },
		{ "2,a,\n", "f.csv:3: watts \"\"" },
		{ "2,a,N/A\n", "f.csv:3: watts \"N/A\"" },
		{ "2,a,5 W\n", "f.csv:3: watts \"5 W\"" },
		{ "2,a,1e8\n", "f.csv:3: watts \"1e8\"" },
		{ "2,a,nan\n", "f.csv:3: watts \"nan\"" },
		{ "2,a\n", "f.csv:3: 2 fields: expected three, time,node,watts" },
		{ "2,a,5,7\n", "f.csv:3: 4 fields" },
		{ "2,,5\n", "f.csv:3: node \"\"" },
		{ "yesterday,a,5\n", "f.csv:3: time \"yesterday\"" },
		{ "-1,a,5\n", "f.csv:3: time \"-1\"" },
		{ "inf,a,5\n", "f.csv:3: time \"inf\"" },
		{ "1795363200000,a,5\n", "f.csv:3: time \"1795363200000\"" },
		{ "2026-11-22T16:00:00Z,a,5\n", "expected seconds since the epoch" },
		{ "2,b,5\n0.5,a,5\n",
		  "f.csv:4: time: 0.500 s before the reading of node a above it" },
	};
	struct rb_error err;
	struct series s;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text, "%s%s", header, bad[i].line);
		assert_int_equal(read_text(&s, text, &err), RB_EINVAL);
		if (!strstr(err.text, bad[i].message))
			fail_msg("expected \"%s\" in \"%s\"", bad[i].message, err.text);
		assert_int_equal(s.count, 0);
	}
	assert_int_equal(read_text(&s, "1795363200,a,5\n", &err), RB_EINVAL);
	assert_non_null(strstr(err.text,
			       "f.csv:1: \"1795363200,a,5\": expected the header time,node,watts"));
}

/* 10 W at 0 s, 20 W at 10 s, 0 W at 20 s. */
static const struct reading hill[] = { { 0, 10 }, { 10, 20 }, { 20, 0 } };

static void joules_by_hand(void **state)
{
	static const struct reading step[] = { { 0, 10 }, { 5, 10 }, { 5, 30 }, { 10, 30 } };
	double mean;

	(void)state;
	assert_true(series_joules(hill, 3, 0, 20) == 250);
	assert_true(series_joules(hill, 3, 0, 10) == 150);
	assert_true(series_joules(hill, 3, 2, 4) == 26);
	assert_true(series_joules(hill, 3, 8, 12) == 38 + 36);
	assert_true(series_joules(step, 4, 0, 10) == 200);
	assert_true(isnan(series_joules(hill, 3, -1, 10)) && isnan(series_joules(hill, 3, 0, 21)));
	assert_true(isnan(series_joules(hill, 0, 0, 1)));
	assert_int_equal(series_within(hill, 3, 0, 10, &mean), 2);
	assert_true(mean == 15);
	assert_int_equal(series_within(hill, 3, 1, 9, &mean), 0);
	assert_true(isnan(mean));
	assert_true(series_gap(step, 4, 4, 6) == 5 && series_gap(hill, 1, 0, 1) == 0);
}

static struct ledger_event *event(struct ledger *l, int64_t epoch, double detect, double resumed,
				  double s)
{
	struct ledger_event *e = &l->event[l->event_count++];

	l->magic = LEDGER_MAGIC;
	*e = (struct ledger_event){ .epoch = epoch,
				    .t_detect = detect,
				    .t_resumed = resumed,
				    .wait_s = s,
				    .catchup_s = s };
	return e;
}

static void recoveries_end_with_the_last_role(void **state)
{
	json_t *failures = json_loads(
		"[{\"epoch\": 1, \"detect_s\": 3}, {\"epoch\": 2, \"detect_s\": null}, {\"epoch\": "
		"3, \"detect_s\": 1}]",
		0, NULL);
	struct ledger *l = calloc(3, sizeof *l);
	struct recovery *list;
	size_t count;

	(void)state;
	event(&l[0], 1, 101, 110, 5);
	event(&l[1], 1, 102, 110, 20)->rolled_back = 1;
	event(&l[2], 1, -1, 112, 9)->died = 1;
	/* the third death comes before the end of the second recovery */
	for (int r = 0; r < 3; r++) {
		event(&l[r], 2, 200 + r, 210, r == 0 ? -1 : 1);
		event(&l[r], 3, 220 + r, 230, 4);
	}
	list = recoveries_find(failures, l, 3, &count);
	assert_int_equal(count, 2);
	assert_true(list[0].epoch == 1 && list[0].begin == 99 && list[0].end == 130);
	assert_true(list[1].epoch == 2 && list[1].begin == 200 && list[1].end == 234);
	free(list);
	l[1].event[2].catchup_s = l[1].event[2].wait_s = -1;
	list = recoveries_find(failures, l, 3, &count);
	assert_true(count == 2 && list[1].end == 0);
	free(list);
	free(l);
	json_decref(failures);
}

static void await_output(struct meter_command *c, struct series *s)
{
	struct rb_error err;
	double until = clock_monotonic() + 20;

	s->count = 0;
	while (s->count == 0 && clock_monotonic() < until) {
		FILE *f = meter_command_output(c);

		assert_int_equal(series_read(s, f, "command", &err), RB_OK);
		fclose(f);
		usleep(2000);
	}
	assert_int_equal(s->count, 1);
}

/* The command tells its own number as watts, and that of a child in the background, which ignores
 * SIGTERM, as time. */
static void a_command_ends_with_its_group(void **state)
{
	struct meter_command c;
	struct rb_error err;
	struct series s;
	pid_t shell, child;

	(void)state;
	assert_int_equal(
		meter_command_start(
			&c,
			"(trap '' TERM; exec sleep 100) & echo time,node,watts; echo $!,n,$$; wait",
			&err),
		RB_OK);
	await_output(&c, &s);
	shell = (pid_t)s.node[0].reading[0].watts;
	child = (pid_t)s.node[0].reading[0].time;
	assert_false(meter_command_has_ended(&c));
	assert_int_equal(kill(shell, 0), 0);
	assert_int_equal(kill(child, 0), 0);
	meter_command_stop(&c);
	assert_int_equal(kill(shell, 0), -1);
	assert_int_equal(kill(child, 0), -1);
	series_free(&s);
	meter_command_free(&c);
}

static void how_a_command_ended(void **state)
{
	static const struct {
		const char *command, *how;
	} ends[] = {
		{ "echo first >&2; echo last words >&2; exit 3", "exit status 3: last words" },
		{ "kill -9 $$", "signal 9" },
		{ "true", "exit status 0" },
	};
	char text[METER_COMMAND_TEXT];
	struct meter_command c;
	struct rb_error err;

	(void)state;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		double until = clock_monotonic() + 20;

		assert_int_equal(meter_command_start(&c, ends[i].command, &err), RB_OK);
		while (!meter_command_has_ended(&c) && clock_monotonic() < until)
			usleep(2000);
		assert_true(meter_command_has_ended(&c));
		meter_command_describe(&c, text);
		assert_string_equal(text, ends[i].how);
		meter_command_stop(&c);
		meter_command_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_are_read),
		cmocka_unit_test(an_empty_text_has_no_readings),
		cmocka_unit_test(bad_lines_are_named),
		cmocka_unit_test(joules_by_hand),
		cmocka_unit_test(recoveries_end_with_the_last_role),
		cmocka_unit_test(a_command_ends_with_its_group),
		cmocka_unit_test(how_a_command_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
