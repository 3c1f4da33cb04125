#include "harness/record/trace_events.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

enum { THREAD = 1 }; /* a track has one */

struct trace {
	json_t *events;
	json_int_t origin; /* of the time, in that of the timeline */
	int process;       /* of which the next events are, from 1 */
};

static void add(const struct trace *t, json_t *event)
{
	json_object_set_new(event, "pid", json_integer(t->process));
	json_object_set_new(event, "tid", json_integer(THREAD));
	json_array_append_new(t->events, event);
}

static void add_metadata(const struct trace *t, const char *what, json_t *arguments)
{
	add(t, json_pack("{s:s, s:s, s:o}", "name", what, "ph", "M", "args", arguments));
}

/* A moment: it is drawn as an arrow on the track. */
static void add_instant(const struct trace *t, const char *what, const json_t *at)
{
	if (json_is_integer(at))
		add(t, json_pack("{s:s, s:s, s:s, s:I}", "name", what, "ph", "i", "s", "p", "ts",
				 json_integer_value(at) - t->origin));
}

/* row: as `columns` of a timeline say. What was not seen to end is a moment. */
static void add_row(const struct trace *t, const json_t *row)
{
	const char *what = json_string_value(json_array_get(row, 0));
	const json_t *begun = json_array_get(row, 2), *length = json_array_get(row, 3);
	json_t *event;

	if (strcmp(what, "repair") == 0)
		add_instant(t, "failure detected", begun);
	if (!json_is_integer(length)) {
		add_instant(t, what, begun);
		return;
	}
	event = json_pack("{s:s, s:s, s:I, s:I}", "name", what, "ph", "X", "ts",
			  json_integer_value(begun) - t->origin, "dur", json_integer_value(length));
	if (json_is_integer(json_array_get(row, 1)))
		json_object_set_new(event, "args",
				    json_pack("{s:O}", "iteration", json_array_get(row, 1)));
	add(t, event);
}

/* "role 3", "spare 0", "spare 0, now role 3" */
static void name_of(const json_t *process, char *out, size_t size)
{
	const int64_t spare = integer_of(process, "spare", -1),
		      role = integer_of(process, "role", -1);
	size_t used = 0;

	out[0] = '\0';
	if (spare >= 0)
		used = (size_t)snprintf(out, size, "spare %d%s", (int)spare,
					role < 0 ? "" : ", now ");
	if (role >= 0)
		snprintf(out + used, size - used, "role %d", (int)role);
	else if (spare < 0)
		snprintf(out, size, "a process without a role");
}

/* Processes of a role stand below each other, spares that were not needed last. */
static json_int_t place_of(const json_t *process, const json_t *processes, int number)
{
	const int64_t role = integer_of(process, "role", INT32_MAX);
	const json_int_t count = (json_int_t)json_array_size(processes);

	return role * count + number;
}

static void add_process(const struct trace *t, const json_t *process, const json_t *processes)
{
	char name[64], whole[256];
	const json_t *row;
	size_t i;

	name_of(process, name, sizeof name);
	snprintf(whole, sizeof whole, "%s (job %d, pid %d on %s)", name,
		 (int)integer_of(process, "job", 0), (int)integer_of(process, "pid", 0),
		 text_of(process, "host"));
	add_metadata(t, "process_name", json_pack("{s:s}", "name", whole));
	add_metadata(t, "thread_name", json_pack("{s:s}", "name", name));
	add_metadata(t, "process_sort_index",
		     json_pack("{s:I}", "sort_index", place_of(process, processes, t->process)));
	json_array_foreach(json_object_get(process, "rows"), i, row)
		add_row(t, row);
	add_instant(t, "SIGKILL", json_object_get(process, "died_us"));
}

/* Which run it is, for whoever finds the file. */
static json_t *about(const json_t *record)
{
	static const char *const keys[] = { "kernel", "params",  "np",         "policy",     "plan",
					    "status", "message", "state_hash", "finished_at" };
	json_t *about = json_object();

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(about, keys[i], json_object_get(record, keys[i]));
	return about;
}

json_t *trace_events(const json_t *record)
{
	const json_t *processes = json_object_get(json_object_get(record, "timeline"), "processes");
	struct trace t = { .process = 0 };
	const json_t *process;
	size_t i;

	if (!processes)
		return NULL;
	t.events = json_array();
	json_array_foreach(processes, i, process) {
		const json_int_t began = integer_of(process, "began_us", 0);

		t.origin = i == 0 || began < t.origin ? began : t.origin;
	}
	json_array_foreach(processes, i, process) {
		t.process = (int)i + 1;
		add_process(&t, process, processes);
	}
	return json_pack("{s:s, s:o, s:o}", "displayTimeUnit", "ms", "traceEvents", t.events,
			 "otherData", about(record));
}
