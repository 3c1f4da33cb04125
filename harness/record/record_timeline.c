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

static double origin_of(const struct run_spec *spec, const struct ledger *ledger,
			const struct timeline *const *all, int count)
{
	double origin = INFINITY;

	for (int r = 0; r < spec->np; r++)
		if (ledger[r].t_loop > 0)
			origin = fmin(origin, ledger[r].t_loop);
	for (int i = 0; i < count && isinf(origin); i++)
		origin = all[i]->began; /* no role came so far */
	return isinf(origin) ? 0 : origin;
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

/* When Rollbench killed the process; -1: it did not, or that is not known. */
static double died(const struct source *s, const struct timeline *t)
{
	const struct kill *kill;
	const json_t *event;
	size_t i;

	if (t->ended >= 0)
		return -1;
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

/* An iteration that its role had gone through before the recovery. */
static bool is_catchup(const struct source *s, int role, const struct timeline_row *row)
{
	const struct ledger *l = &s->ledger[role];
	const struct ledger_event *newest = NULL;

	for (int64_t i = 0; i < l->event_count && i < LEDGER_EVENTS; i++)
		if (l->event[i].t_resumed <= row->begun)
			newest = &l->event[i];
	return newest && row->iter < newest->front_before;
}

/* ended: -1: it is not known. */
static json_t *row_json(const struct source *s, const struct timeline *t,
			const struct timeline_row *row, double ended)
{
	const bool again = row->what == LEDGER_STEP && t->role >= 0 && is_catchup(s, t->role, row);
	const json_int_t begun = us(s, row->begun);

	return json_pack("[s, o, I, o]", again ? "catchup" : timeline_name(row->what),
			 row->iter < 0 ? json_null() : json_integer((json_int_t)row->iter), begun,
			 ended < 0 ? json_null() : json_integer(us(s, ended) - begun));
}

/* In the order in which they ended; what was under way when the process died is last. */
static json_t *rows_json(const struct source *s, const struct timeline *t, double death)
{
	json_t *rows = json_array();

	for (int64_t i = 0; i < t->rows; i++)
		json_array_append_new(rows, row_json(s, t, &t->row[i], t->row[i].ended));
	for (int i = t->depth - 1; i >= 0; i--) {
		const struct timeline_row *last = t->rows > 0 ? &t->row[t->rows - 1] : NULL;

		/* it died between the two steps of writing a row */
		if (last && last->begun == t->open[i].begun && last->iter == t->open[i].iter)
			continue;
		json_array_append_new(
			rows, row_json(s, t, &t->open[i], death < t->open[i].begun ? -1 : death));
	}
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

json_t *record_timeline(const struct run_spec *spec, const json_t *events, const char *dir,
			const struct ledger *ledger)
{
	struct source s = { .spec = spec, .events = events, .ledger = ledger };
	const struct timeline **all;
	json_t *processes = json_array(), *timeline;
	int count;

	if (timeline_read_all(dir, &all, &count) != RB_OK || kills_read(&s.kills, events) != RB_OK)
		count = 0; /* out of memory: no process is in it */
	s.origin = origin_of(spec, ledger, all, count);
	for (int i = 0; i < count; i++)
		json_array_append_new(processes, process_json(&s, all[i]));
	timeline = json_pack("{s:s, s:f, s:f, s:[s, s, s, s], s:o}", "state", "on", "origin_s",
			     s.origin, "shortest_wait_us", 1e6 * TIMELINE_LEAST_S, "columns",
			     "what", "iteration", "begun_us", "us", "processes", processes);
	kills_free(&s.kills);
	timeline_unmap_all(all, count);
	return timeline;
}
