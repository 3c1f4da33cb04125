#include "harness/record/kills.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/events/events.h"
#include "inject/outside.h"

#include <stdlib.h>
#include <string.h>

static struct kill kill_of(const json_t *event)
{
	const char *name = text_of(event, "phase");
	enum inject_phase phase = INJECT_START;
	const bool outside = json_object_get(event, "clock") != NULL;

	inject_phase_find(name, strlen(name), &phase);
	return (struct kill){
		.when = number_of(event, "at"),
		.iter = integer_of(event, "iteration", -1),
		.amount = integer_of(event, "amount", 0),
		.phase = outside ? KILL_OUTSIDE : (int32_t)phase,
		.victims = json_object_get(event, "victims"),
	};
}

static bool hit(const struct kill *kill, int role)
{
	const json_t *victim;
	size_t i;

	json_array_foreach(kill->victims, i, victim)
		if (json_integer_value(victim) == role)
			return true;
	return false;
}

/* The kills by the clock that were asked for, as options, when the run began; NULL: none. A
 * resumed run has no more of them. */
static const json_t *asked_by_clock(const json_t *events)
{
	const json_t *event, *asked = NULL;
	size_t i;

	json_array_foreach(events, i, event)
		if (!asked && event_is(event, "launch"))
			asked = json_object_get(event, "kill_at");
	return asked;
}

/* Was it sent before the processes joined their job? If so the job is started again with all. */
static bool is_at_start(const json_t *event, const json_t *asked)
{
	const size_t number = (size_t)integer_of(event, "clock", INT64_MAX);
	const char *kill = json_string_value(json_array_get(asked, number));

	return kill && strncmp(kill, OUTSIDE_STARTUP, strlen(OUTSIDE_STARTUP)) == 0;
}

static int spares_of(const json_t *event, const struct kill *kill, const json_t *asked)
{
	const json_t *victim;
	int spares = 0;
	size_t i;

	if (json_object_get(event, "chance") || is_at_start(event, asked))
		return 0;
	json_array_foreach(kill->victims, i, victim)
		spares += json_integer_value(victim) < 0;
	return spares;
}

int kills_read(struct kills *s, const json_t *events)
{
	const json_t *event, *asked = asked_by_clock(events);
	size_t i;

	*s = (struct kills){ .list = calloc(json_array_size(events) + 1, sizeof *s->list) };
	if (!s->list)
		return RB_ENOMEM;
	json_array_foreach(events, i, event) {
		if (!event_is(event, "kill"))
			continue;
		s->list[s->count] = kill_of(event);
		s->spares += spares_of(event, &s->list[s->count], asked);
		s->count++;
	}
	return RB_OK;
}

void kills_free(struct kills *s)
{
	free(s->list);
}

/* The event of a kill by its number in a list; NULL: it did not happen. */
static const json_t *find(const json_t *events, const char *list, size_t number)
{
	const json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
		if (event_is(event, "kill") && integer_of(event, list, -1) == (int64_t)number)
			return event;
	return NULL;
}

static json_t *member_or_null(const json_t *event, const char *key)
{
	json_t *value = json_object_get(event, key);

	return value ? json_incref(value) : json_null();
}

static json_t *outside_json(const char *asked, const json_t *event)
{
	static const char *const keys[] = { "spare", "loop_s", "phase", "iteration" };
	const json_t *victim = json_array_get(json_object_get(event, "victims"), 0);
	const bool is_role = json_is_integer(victim) && json_integer_value(victim) >= 0;
	json_t *kill =
		json_pack("{s:s, s:o, s:o}", "kill", asked, "pid", member_or_null(event, "pid"),
			  "role", is_role ? json_integer(json_integer_value(victim)) : json_null());

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set_new(kill, keys[i], member_or_null(event, keys[i]));
	return kill;
}

void kills_record(json_t *record, const json_t *events)
{
	const json_t *asked = asked_by_clock(events), *kill;
	json_t *list = json_array();
	size_t i;

	json_array_foreach(asked, i, kill)
		json_array_append_new(
			list, outside_json(json_string_value(kill), find(events, "clock", i)));
	if (json_array_size(list) > 0)
		json_object_set(record, "killed_from_outside", list);
	json_decref(list);
}

json_t *kills_unfired(const struct inject_plan *plan, const json_t *events)
{
	json_t *unfired = json_array();
	char text[INJECT_TEXT];

	for (size_t k = 0; k < plan->count; k++) {
		if (find(events, "plan", k))
			continue;
		inject_format(&plan->kill[k], text, sizeof text);
		json_array_append_new(unfired, json_string(text));
	}
	return unfired;
}

const struct kill *kills_next(const struct kills *s, int role, double after)
{
	const struct kill *next = NULL;

	for (size_t i = 0; i < s->count; i++)
		if (hit(&s->list[i], role) && s->list[i].when > after &&
		    (!next || s->list[i].when < next->when))
			next = &s->list[i];
	return next;
}

const struct kill *kills_behind(const struct kills *s, int role, int nth)
{
	const struct kill *kill = kills_next(s, role, -1);

	for (; kill && nth > 0; nth--)
		kill = kills_next(s, role, kill->when);
	return kill;
}
