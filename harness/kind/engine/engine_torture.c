#include "harness/kind/engine/engine_torture.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/job/mpirun.h"
#include "harness/machine/pin.h"
#include "harness/machine/power/power.h"

#include <stdio.h>
#include <string.h>

/* How many processes a planned kill kills, at most. */
static int processes_of(const struct run_spec *spec, const struct inject_kill *kill)
{
	int count = 0;

	if (kill->who < INJECT_NODE)
		return 1;
	for (int r = 0; spec->hosts && r < spec->np + spec->spares; r++)
		count += spec_node(spec, r) == kill->number;
	return spec->hosts ? count : spec->node_size > 0 ? spec->node_size : 1;
}

/* How many processes the kill of that text kills, at most. */
static int processes_of_text(const struct run_spec *spec, const char *text)
{
	char own[INJECT_TEXT];

	for (size_t k = 0; k < spec->plan.count; k++) {
		inject_format(&spec->plan.kill[k], own, sizeof own);
		if (strcmp(own, text) == 0)
			return processes_of(spec, &spec->plan.kill[k]);
	}
	return 0;
}

/* Processes that have died by planned kills, at most: a node counts with all that it may have. */
static int planned_deaths(const struct run_spec *spec, const json_t *record)
{
	const json_t *text;
	int count = 0;
	size_t k;

	for (size_t p = 0; p < spec->plan.count; p++)
		count += processes_of(spec, &spec->plan.kill[p]);
	json_array_foreach(json_object_get(record, "unfired"), k, text)
		count -= processes_of_text(spec, json_string_value(text));
	return count;
}

/* Processes that have died by kills from outside. A job that lost one at its start and was
 * escalated began again with all spares. */
static int outside_deaths(const json_t *record)
{
	const bool again = json_integer_value(json_object_get(record, "escalations")) > 0;
	const json_t *outside;
	int count = 0;
	size_t k;

	json_array_foreach(json_object_get(record, "killed_from_outside"), k, outside) {
		const char *kill = json_string_value(json_object_get(outside, "kill"));
		bool startup = kill && strncmp(kill, OUTSIDE_STARTUP, strlen(OUTSIDE_STARTUP)) == 0;

		count += json_is_integer(json_object_get(outside, "pid")) && !(again && startup);
	}
	return count;
}

bool engine_torture_allows(const struct run_spec *spec, const json_t *record,
			   enum run_status status)
{
	int enough = spec->replace == FT_SPAWN ? spec->np - 1 : spec->spares;

	if (status != STATUS_OUT_OF_SPARES)
		return status == STATUS_OK;
	return spec->strategy == FT_GO_ON &&
	       planned_deaths(spec, record) + outside_deaths(record) > enough;
}

/* Power techniques are drawn without regard to the machine; where one is not permitted, its run
 * sleeps. Other hosts are taken to permit what this machine permits. */
static int draw(void *of, int64_t i, struct torture_case *c, struct rb_error *err)
{
	struct engine_torture *t = of;
	struct run_spec *spec = &t->run.spec;
	struct rb_error why;

	RB_TRY(engine_torture_draw(spec, &t->draw, i, &c->problem, err));
	spec->deadline_s = t->limits->deadline_s;
	spec->repair_deadline_s = t->limits->repair_deadline_s;
	spec->escalation = t->limits->escalation;
	spec->detector = t->limits->detector;
	if (launch_check_power(spec, &why) != RB_OK) {
		memcpy(t->refused, why.text, sizeof t->refused);
		spec->power = POWER_SLEEP;
	}
	engine_row(&t->run.run, c->row, sizeof c->row);
	c->left_out = t->kernel && strcmp(t->kernel, spec->kernel->name) != 0;
	return RB_OK;
}

static struct outcome judge(void *of, const json_t *record, enum run_status status)
{
	const struct engine_torture *t = of;

	return (struct outcome){ .status = status,
				 .escalated = record_is_escalated(record),
				 .expected = engine_torture_allows(&t->run.spec, record, status) };
}

/* The techniques that this machine permits, and for how many roles: drawn ones that it does not
 * permit are replaced. */
static json_t *permitted(void)
{
	json_t *list = json_array();
	char why[POWER_TEXT];

	for (int t = 0; t < POWER_TECHNIQUES; t++)
		if (power_sets_core((enum power_technique)t) &&
		    power_probe((enum power_technique)t, 0, why))
			json_array_append_new(list,
					      json_string(power_name((enum power_technique)t)));
	if (json_array_size(list) > 0)
		json_array_append_new(list, json_integer(pin_machine().cores));
	return list;
}

static json_t *terms(void *of)
{
	const struct engine_torture *t = of;
	const struct hosts *hosts = t->draw.hosts;
	json_t *json =
		json_pack("{s:s, s:s?, s:s, s:b, s:f, s:f, s:b, s:o?, s:o}", "kills",
			  torture_kills_word((int)t->draw.kills), "kernel", t->kernel, "replace",
			  t->draw.replace == FT_SPAWN ? "spawn" : "spare", "detector",
			  t->limits->detector == DETECTOR_HOST, "deadline", t->limits->deadline_s,
			  "repair_deadline", t->limits->repair_deadline_s, "escalation",
			  t->limits->escalation == ESCALATION_ON, "hosts",
			  hosts ? hosts_shape_json(hosts) : NULL, "power", permitted());

	mpirun_describe(json);
	return json;
}

static void say(void *of)
{
	const struct engine_torture *t = of;

	printf("kills: %s\n", torture_kills_word((int)t->draw.kills));
	if (t->refused[0])
		printf("power techniques that this machine does not permit were left out: %s\n",
		       t->refused);
}

int engine_torture_begin(struct engine_torture *t, struct torture_source *source,
			 struct rb_error *err)
{
	if (t->draw.hosts && t->draw.kills != TORTURE_PLANNED)
		return rb_fail(
			err, RB_EINVAL,
			"several hosts (--hostfile, or an allocation) with --kills %s: kills by "
			"the clock reach processes of this machine only; add --kills planned",
			torture_kills_word((int)t->draw.kills));
	*source = (struct torture_source){ .of = t,
					   .run = &t->run.run,
					   .draw = draw,
					   .judge = judge,
					   .terms = terms,
					   .say = say };
	t->run.run.kind = &engine_kind;
	return RB_OK;
}
