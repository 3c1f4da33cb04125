/* Which runs a torture makes, how they may end, how they are counted, and what load is asked
 * for. */
#include "base/status.h"
#include "harness/options/spec_options.h"
#include "harness/torture/load.h"
#include "harness/torture/tally.h"
#include "harness/kind/engine/engine_torture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 1500 };

static struct rb_error err;

static void make(struct run_spec *spec, enum torture_kills kills, enum ft_replace replace,
		 int64_t i)
{
	const struct engine_draw draw = { .seed = 7, .kills = kills, .replace = replace };
	int problem;

	assert_int_equal(engine_torture_draw(spec, &draw, i, &problem, &err), RB_OK);
	assert_in_range(problem, 0, ENGINE_PROBLEMS - 1);
}

static bool same_outside(const struct outside_plan *a, const struct outside_plan *b)
{
	char one[INJECT_TEXT], other[INJECT_TEXT];
	bool equal = a->count == b->count;

	for (size_t k = 0; equal && k < a->count; k++) {
		outside_format(&a->kill[k], one, sizeof one);
		outside_format(&b->kill[k], other, sizeof other);
		equal = strcmp(one, other) == 0;
	}
	return equal;
}

static bool same(const struct run_spec *a, const struct run_spec *b)
{
	return memcmp(&a->plan, &b->plan, sizeof a->plan) == 0 &&
	       same_outside(&a->outside, &b->outside) && strcmp(a->policy, b->policy) == 0 &&
	       strcmp(a->ckpt, b->ckpt) == 0 && a->np == b->np && a->spares == b->spares &&
	       a->strategy == b->strategy && a->power == b->power && a->lag == b->lag;
}

static void a_number_is_always_the_same_run(void **state)
{
	struct run_spec both, again, planned, clock;
	int by_clock = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		make(&both, TORTURE_BOTH, FT_SPARE, i);
		make(&again, TORTURE_BOTH, FT_SPARE, i);
		make(&planned, TORTURE_PLANNED, FT_SPARE, i);
		make(&clock, TORTURE_CLOCK, FT_SPARE, i);
		assert_true(same(&both, &again));
		assert_true(planned.plan.count > 0 || planned.strategy == FT_RESTART);
		assert_int_equal(planned.outside.count, 0);
		assert_int_equal(clock.plan.count, 0);
		assert_in_range(clock.outside.count, 1, 3);
		assert_true(same(&both, both.outside.count > 0 ? &clock : &planned));
		by_clock += both.outside.count > 0;
	}
	assert_in_range(by_clock, 70, 130);
}

/* What has been drawn at least once. */
struct seen {
	bool power[POWER_WORDS], first, strategy[2], kills[4], spare, role, few, enough;
	bool policy[7], receivers[2], online[2], ckpt[8], sync, lag, async, recompute[3];
};

static void note_word(const char *text, const char *const *words, bool *seen)
{
	for (int i = 0; words[i]; i++)
		if (strncmp(text, words[i], strlen(words[i])) == 0)
			seen[i] = true;
}

static void note(struct seen *s, const struct run_spec *spec)
{
	static const char *const policies[] = { "none",       "all",    "window:",  "budget:",
						"teams:node", "teams:", "receiver", NULL };
	static const char *const levels[] = { "file,rs:2+1",  "file,buddy", "buddy:2",
					      "buddy,rs:2+1", "rs:2+1",     "rs:1+2",
					      "file",         "buddy",      NULL };

	s->power[spec->power] = s->strategy[spec->strategy] = true;
	s->first = s->first || spec->ckpt_first > 0;
	s->kills[spec->outside.count] = true;
	for (size_t k = 0; k < spec->outside.count; k++) {
		s->spare = s->spare || spec->outside.kill[k].who == INJECT_SPARE;
		s->role = s->role || spec->outside.kill[k].who == INJECT_ROLE;
	}
	if (spec->strategy == FT_GO_ON) {
		s->few = s->few || spec->spares + 1 == (int)spec->outside.count;
		s->enough = s->enough || spec->spares == (int)spec->outside.count;
	}
	note_word(spec->policy, policies, s->policy);
	if (strstr(spec->policy, ":receiver"))
		s->receivers[spec->policy[0] == 'b'] = true;
	if (strstr(spec->policy, "%:online"))
		s->online[strstr(spec->policy, ":kept") != NULL] = true;
	note_word(spec->ckpt, levels, s->ckpt);
	s->recompute[spec->recompute] = true;
	assert_true(spec->recompute != FT_FLAT || strcmp(spec->kernel->name, "jacobi") == 0);
	s->sync = s->sync || spec->lag == 0;
	s->lag = s->lag || spec->lag > 0;
	s->async = s->async || spec->lag < 0;
}

/* Every run can be made, on a machine that permits everything. */
static void check(struct run_spec *spec)
{
	struct kernel_plan plan;

	if (spec_check(spec, &plan, &err) != RB_OK)
		fail_msg("%s", err.text);
}

static void everything_is_drawn(void **state)
{
	struct seen s = { .few = false };
	struct run_spec spec;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		make(&spec, TORTURE_CLOCK, FT_SPARE, i);
		note(&s, &spec);
		for (size_t k = 1; k < spec.outside.count; k++) {
			double gap = spec.outside.kill[k].at_s - spec.outside.kill[k - 1].at_s;

			assert_true(gap >= 0 &&
				    gap < (spec.strategy == FT_RESTART ? 2 : 0.1000001));
		}
		check(&spec);
		make(&spec, TORTURE_PLANNED, FT_SPARE, i);
		check(&spec);
		make(&spec, TORTURE_BOTH, FT_SPAWN, i);
		check(&spec);
		assert_true(spec.strategy == FT_RESTART || spec.replace == FT_SPAWN);
		assert_int_equal(spec.spares, 0);
	}
	s.kills[0] = true; /* of another kind */
	for (size_t i = 0; i < sizeof s; i++)
		if (!((const bool *)&s)[i])
			fail_msg("member %zu of struct seen was never drawn", i);
}

/* With escalation some processes die at the start; nothing else of a run changes. */
static void some_die_in_mpi_init(void **state)
{
	const struct engine_draw draw = { .seed = 7, .kills = TORTURE_CLOCK, .escalation = true };
	struct run_spec spec, without;
	int early = 0, problem;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		assert_int_equal(engine_torture_draw(&spec, &draw, i, &problem, &err), RB_OK);
		make(&without, TORTURE_CLOCK, FT_SPARE, i);
		if (!spec.outside.kill[0].startup) {
			assert_true(same(&spec, &without));
			continue;
		}
		check(&spec);
		early++;
		assert_false(spec.outside.kill[1].startup);
		assert_true(spec.outside.kill[0].at_s < 0.3);
		assert_int_equal(spec.spares, without.spares + (spec.strategy == FT_GO_ON));
		memmove(spec.outside.kill, spec.outside.kill + 1,
			--spec.outside.count * sizeof *spec.outside.kill);
		assert_true(same_outside(&spec.outside, &without.outside));
	}
	assert_in_range(early, RUNS / 32, RUNS / 8);
}

/* Hosts die only of planned kills, and with their daemons only where files are left of them. */
static void hosts_die_where_there_are_hosts(void **state)
{
	static const struct hosts three = {
		.count = 3, .host = { { .name = "a" }, { .name = "b" }, { .name = "c" } }
	};
	const struct engine_draw draw = { .seed = 7, .kills = TORTURE_PLANNED, .hosts = &three };
	int nodes = 0, daemons = 0, problem;
	struct run_spec spec;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		int here = 0;

		assert_int_equal(engine_torture_draw(&spec, &draw, i, &problem, &err), RB_OK);
		assert_ptr_equal(spec.hosts, &three);
		assert_int_equal(spec.node_size, 0);
		check(&spec);
		for (size_t k = 0; k < spec.plan.count; k++) {
			nodes += spec.plan.kill[k].who == INJECT_NODE;
			here += spec.plan.kill[k].who == INJECT_HOST;
		}
		assert_true(here == 0 || (here == 1 && strstr(spec.ckpt, "file")));
		daemons += here;
	}
	assert_in_range(nodes, RUNS / 40, RUNS);
	assert_in_range(daemons, RUNS / 40, RUNS / 4);
}

static bool allowed(const struct run_spec *spec, const char *text, enum run_status status)
{
	json_t *record = json_loads(text, 0, NULL);
	bool allows = engine_torture_allows(spec, record, status);

	assert_non_null(record);
	json_decref(record);
	return allows;
}

static void out_of_spares_needs_more_deaths_than_spares(void **state)
{
	static const char one[] =
		"{\"unfired\": [], \"killed_from_outside\": [{\"pid\": 17}, {\"pid\": null}]}";
	static const char two[] =
		"{\"unfired\": [], \"killed_from_outside\": [{\"pid\": 17}, {\"pid\": 18}]}";
	struct run_spec spec;

	(void)state;
	spec_init(&spec, kernel_find("cg"));
	spec.np = 2;
	spec.spares = 1;
	assert_true(allowed(&spec, two, STATUS_OK));
	assert_true(allowed(&spec, two, STATUS_OUT_OF_SPARES));
	assert_false(allowed(&spec, one, STATUS_OUT_OF_SPARES));
	for (int status = STATUS_WRONG; status < STATUS_OUT_OF_SPARES; status++)
		assert_false(allowed(&spec, two, (enum run_status)status));
	spec.replace = FT_SPAWN; /* only if nobody is left */
	assert_true(allowed(&spec, two, STATUS_OUT_OF_SPARES));
	spec.np = 3;
	assert_false(allowed(&spec, two, STATUS_OUT_OF_SPARES));
	spec.replace = FT_SPARE;
	spec.strategy = FT_RESTART;
	assert_false(allowed(&spec, two, STATUS_OUT_OF_SPARES));
}

static void planned_deaths_count_if_they_fired(void **state)
{
	struct run_spec spec;

	(void)state;
	spec_init(&spec, kernel_find("cg"));
	spec.spares = 2;
	spec.node_size = 2;
	assert_int_equal(inject_parse(&spec.plan, "1@3", 4, &err), RB_OK);
	assert_int_equal(inject_parse(&spec.plan, "node1@5:send", 4, &err), RB_OK);
	assert_true(allowed(&spec, "{\"unfired\": []}", STATUS_OUT_OF_SPARES));
	assert_false(allowed(&spec, "{\"unfired\": [\"1@3:start\"]}", STATUS_OUT_OF_SPARES));
	assert_false(allowed(&spec, "{\"unfired\": [\"node1@5:send\"]}", STATUS_OUT_OF_SPARES));
}

static void escalated_runs_stand_apart(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct engine_run e = { .run.kind = &engine_kind };
	struct tally t;
	char row[TALLY_NAME];

	(void)state;
	spec_init(&e.spec, kernel_find("cg"));
	engine_row(&e.run, row, sizeof row);
	tally_start(&t, 4);
	tally_add(&t, row,
		  &(struct outcome){ .status = STATUS_OK,
				     .expected = true,
				     .escalated = false,
				     .resumed = true });
	tally_add(&t, row,
		  &(struct outcome){ .status = STATUS_OK,
				     .expected = true,
				     .escalated = true,
				     .resumed = false });
	tally_add(&t, row,
		  &(struct outcome){ .status = STATUS_HANG,
				     .expected = false,
				     .escalated = true,
				     .resumed = false });
	tally_add(&t, row,
		  &(struct outcome){ .status = STATUS_OUT_OF_SPARES,
				     .expected = true,
				     .escalated = false,
				     .resumed = false });
	assert_int_equal(t.bad, 1);
	assert_int_equal(t.resumed, 1);
	tally_table(&t, to);
	fclose(to);
	assert_non_null(strstr(
		text,
		"\ntotal                                             4      1      0      1      0        1         1\n"));
	free(text);
}

static void records_say_whether_they_were_escalated(void **state)
{
	static const struct {
		const char *text;
		bool escalated;
	} records[] = {
		{ "{}", false },
		{ "{\"escalations\": 0}", false },
		{ "{\"escalations\": null}", false },
		{ "{\"escalations\": 1}", true },
		{ "{\"escalations\": 7}", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		json_t *record = json_loads(records[i].text, 0, NULL);

		assert_int_equal(record_is_escalated(record), records[i].escalated);
		json_decref(record);
	}
}

static void load_is_understood_or_refused(void **state)
{
	static const char *const good[][2] = { { "cpu", "cpu" },
					       { "disk,cpu:2", "cpu:2,disk" },
					       { "nice:60,memory:4", "nice:60,memory:4" },
					       { "cpu:1,nice,memory,disk",
						 "cpu,nice,memory,disk" } };
	static const char *const bad[] = { "",       ",",       "cpu,",        ",cpu",
					   "cpu:",   "cpu:0",   "cpu:65",      "cpu:x",
					   "cpu:1x", "cpu cpu", "CPU",         "cpus",
					   "cp",     "cpu,cpu", "nice:64,cpu", "cpu:99999999999",
					   "none",   "cpu:1:1" };
	char text[LOAD_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct load load = { .started = 0 };

		load_format(&load, text);
		assert_string_equal(text, "none");
		assert_int_equal(load_parse(&load, good[i][0], &err), RB_OK);
		load_format(&load, text);
		assert_string_equal(text, good[i][1]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct load load = { .started = 0 };

		err.text[0] = '\0';
		assert_int_equal(load_parse(&load, bad[i], &err), RB_EINVAL);
		assert_non_null(strstr(err.text, "--load"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_is_always_the_same_run),
		cmocka_unit_test(everything_is_drawn),
		cmocka_unit_test(some_die_in_mpi_init),
		cmocka_unit_test(hosts_die_where_there_are_hosts),
		cmocka_unit_test(out_of_spares_needs_more_deaths_than_spares),
		cmocka_unit_test(planned_deaths_count_if_they_fired),
		cmocka_unit_test(escalated_runs_stand_apart),
		cmocka_unit_test(records_say_whether_they_were_escalated),
		cmocka_unit_test(load_is_understood_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
