#include "harness/record/record_timeline.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/events/events.h"
#include "harness/machine/timeline.h"
#include "harness/record/kills.h"

#include <math.h>

/* What the rows are made of. */
struct source {
	const struct run_spec *spec;
	const json_t *events;
	const struct ledger *ledger;
	const struct timeline **all;
	int count;
	struct kills kills;
	double origin; /* when the first role began the loop */
};

/* Microseconds: shorter than their seconds in JSON, and as exact as the clocks of several processes
 * are with each other. */
static json_int_t us(const struct source *s, double t)
{
	return (json_int_t)llround(1e6 * (t - s->origin));
}

static json_t *us_json(const struct source *s, double t)
{
	return t < 0 ? json_null() : json_integer(us(s, t));
}

static double origin_of(const struct source *s)
{
	const double begun = ledgers_begun(s->ledger, s->spec->np);

	if (!isnan(begun))
		return begun;
	return s->count > 0 ? s->all[0]->began : 0; /* no role came so far */
}

/* Did the kill of this event hit the process that began as this spare, and plays no role? */
static bool hits_spare(const struct source *s, const json_t *event, int spare)
{
	const size_t number = (size_t)integer_of(event, "plan", INT64_MAX);
	const struct inject_plan *plan = &s->spec->plan;

	if (integer_of(event, "spare", -1) == spare)
		return true;
	return number < plan->count && plan->kill[number].who == INJECT_SPARE &&
	       plan->kill[number].number == spare;
}

/* When the next process of its role, or of its number as a spare, was there. */
static double succeeded(const struct source *s, const struct timeline *t)
{
	double first = INFINITY;

	for (int i = 0; i < s->count; i++) {
		const struct timeline *other = s->all[i];

		if (t->role >= 0 && other->role == t->role && other->adopted > t->adopted)
			first = fmin(first, other->adopted);
		if (t->role < 0 && other->spare == t->spare && other->began > t->began)
			first = fmin(first, other->began);
	}
	return first;
}

static double first_kill(const struct source *s, const struct timeline *t)
{
	const struct kill *kill;
	const json_t *event;
	size_t i;

	if (t->role >= 0) {
		kill = kills_next(&s->kills, t->role, t->adopted);
		return kill ? kill->when : -1;
	}
	json_array_foreach(s->events, i, event)
		if (t->spare >= 0 && event_is(event, "kill") && hits_spare(s, event, t->spare) &&
		    number_of(event, "at") > t->began)
			return number_of(event, "at");
	return -1;
}

/* When Rollbench killed the process; -1: it did not, or that is not known. A kill after the next
 * process was there was of that one: then this one has ended in another way, with its job. */
static double died(const struct source *s, const struct timeline *t)
{
	const double at = t->ended < 0 ? first_kill(s, t) : -1;

	return at < succeeded(s, t) ? at : -1;
}

/* An iteration that its role had gone through before a recovery. */
static bool is_catchup(const struct source *s, int role, const struct timeline_row *row)
{
	const struct ledger *l = &s->ledger[role];
	int64_t front = 0;

	for (int64_t i = 0; i < l->event_count && i < LEDGER_EVENTS; i++)
		if (l->event[i].t_resumed <= row->begun && l->event[i].front_before > front)
			front = l->event[i].front_before;
	return row->iter < front;
}

/* ended: -1: it is not known. If the clock was set back, the length is 0. */
static json_t *row_json(const struct source *s, const struct timeline *t,
			const struct timeline_row *row, double ended)
{
	const bool again = row->what == LEDGER_STEP && t->role >= 0 && is_catchup(s, t->role, row);
	const json_int_t begun = us(s, row->begun), length = us(s, ended) - begun;

	return json_pack("[s, o, I, o]", again ? "catchup" : timeline_name(row->what),
			 row->iter < 0 ? json_null() : json_integer((json_int_t)row->iter), begun,
			 ended < 0 ? json_null() : json_integer(length > 0 ? length : 0));
}

/* In the order in which they ended; what was under way when the process died is last. */
static json_t *rows_json(const struct source *s, const struct timeline *t, double death)
{
	json_t *rows = json_array();

	for (int64_t i = 0; i < t->rows; i++)
		json_array_append_new(rows, row_json(s, t, &t->row[i], t->row[i].ended));
	for (int i = t->depth - 1; i >= 0; i--)
		/* unless it died between the two steps of writing that row */
		if (t->rows == 0 || t->row[t->rows - 1].serial != t->open[i].serial)
			json_array_append_new(
				rows,
				row_json(s, t, &t->open[i], death < t->open[i].begun ? -1 : death));
	return rows;
}

static json_t *process_json(const struct source *s, const struct timeline *t)
{
	const double death = died(s, t);

	return json_pack("{s:i, s:o, s:I, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:I}", "job", t->job,
			 "host", text_json(t->host), "pid", (json_int_t)t->pid, "spare",
			 t->spare < 0 ? json_null() : json_integer(t->spare), "role",
			 t->role < 0 ? json_null() : json_integer(t->role), "began_us",
			 us(s, t->began), "adopted_us", us_json(s, t->adopted), "died_us",
			 us_json(s, death), "ended_us", us_json(s, t->ended), "rows",
			 rows_json(s, t, death), "dropped", (json_int_t)t->dropped);
}

static json_t *timeline_of(const struct source *s)
{
	json_t *processes = json_array();

	for (int i = 0; i < s->count; i++)
		json_array_append_new(processes, process_json(s, s->all[i]));
	return json_pack("{s:s, s:f, s:f, s:[s, s, s, s], s:o}", "state", "on", "origin_s",
			 s->origin, "shortest_wait_us", 1e6 * TIMELINE_LEAST_S, "columns", "what",
			 "iteration", "begun_us", "us", "processes", processes);
}

json_t *record_timeline(const struct run_spec *spec, const json_t *events, const char *dir,
			const struct ledger *ledger)
{
	struct source s = { .spec = spec, .events = events, .ledger = ledger };
	json_t *timeline = NULL;

	if (timeline_read_all(dir, &s.all, &s.count) == RB_OK &&
	    kills_read(&s.kills, events) == RB_OK) {
		s.origin = origin_of(&s);
		timeline = timeline_of(&s);
	}
	kills_free(&s.kills);
	timeline_unmap_all(s.all, s.count);
	return timeline;
}
