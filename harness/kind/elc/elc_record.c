/* The record of a run under event-logging checkpoints: kind `elc` (docs/record.md). */
#include "harness/kind/elc/elc_run.h"

#include "base/json.h"
#include "harness/events/events.h"
#include "harness/record/host.h"

#include <stdio.h>
#include <string.h>

/* What a record follows from. */
struct evidence {
	const struct elc_plan *plan;
	const char *dir;
	const json_t *events, *ended; /* the event of the end of the run */
	json_t *jobs;                 /* the events of the ends of all jobs, in their order */
};

const char *elc_end_word(enum elc_end end)
{
	static const char *const words[] = { [ELC_FINISHED] = "finished",
					     [ELC_KILLED] = "killed",
					     [ELC_DIED] = "died",
					     [ELC_HUNG] = "hung" };

	return words[end];
}

bool elc_has_ended(const json_t *job_ended, enum elc_end end)
{
	return strcmp(text_of(job_ended, "how"), elc_end_word(end)) == 0;
}

static const json_t *last_job(const struct evidence *e)
{
	return json_array_get(e->jobs, json_array_size(e->jobs) - 1);
}

/* Of the program, by name. */
static json_t *params_json(const struct elc_plan *p)
{
	json_t *params = json_object();

	for (int i = 0; i < p->arguments; i += 2)
		json_object_set_new(params, p->argument[i] + 2, text_json(p->argument[i + 1]));
	return params;
}

/* Was the kill carried out that the plan has for this job? */
static bool has_fired(const struct evidence *e, int job)
{
	const json_t *ended = json_array_get(e->jobs, (size_t)job);

	return elc_has_ended(ended, ELC_KILLED) ||
	       json_array_size(json_object_get(ended, "struck")) > 0;
}

/* Kills of the plan that were not carried out. */
static json_t *unfired_json(const struct evidence *e)
{
	json_t *kills = elc_kills_json(e->plan), *list = json_array(), *kill;
	size_t k;

	json_array_foreach(kills, k, kill)
		if (!has_fired(e, (int)k))
			json_array_append(list, kill);
	json_decref(kills);
	return list;
}

/* A member of a report or an event, or null where there is none. */
static json_t *said(const json_t *report, const char *key)
{
	json_t *value = json_object_get(report, key);

	return value ? json_incref(value) : json_null();
}

/* The number of the newest one that a process has come to; null where there is no report. */
static json_t *last_safe_point(const json_t *report)
{
	const json_t *reached = json_object_get(report, "safe_points");

	return reached ? json_integer(json_integer_value(reached) - 1) : json_null();
}

/* Whoever was killed at a point of the program has said so itself; of a job that finished, rank 0
 * speaks. */
static json_t *job_json(const struct evidence *e, int job)
{
	const json_t *ended = json_array_get(e->jobs, (size_t)job);
	const struct elc_kill *kill = job < e->plan->kills ? &e->plan->kill[job] : NULL;
	const bool killed = elc_has_ended(ended, ELC_KILLED) && kill && kill->clock.count == 0;
	json_t *report = elc_report(e->dir, job, killed ? kill->rank : 0);
	json_t *death = killed ? json_pack("{s:i, s:o, s:o, s:o}", "rank", kill->rank, "phase",
					   said(report, "killed"), "safe_point",
					   last_safe_point(report), "line", said(report, "line"))
			       : json_null();
	json_t *json = json_pack("{s:O, s:O, s:o, s:o, s:O}", "end", json_object_get(ended, "how"),
				 "wall_s", json_object_get(ended, "wall_s"), "restored",
				 said(report, "restored"), "death", death, "struck",
				 json_object_get(ended, "struck"));

	json_decref(report);
	return json;
}

static json_t *jobs_json(const struct evidence *e)
{
	json_t *list = json_array();

	for (size_t job = 0; job < json_array_size(e->jobs); job++)
		json_array_append_new(list, job_json(e, (int)job));
	return list;
}

/* What it said in the last job. */
static json_t *binding_json(const json_t *events, int rank)
{
	const json_t *event;
	const char *text = "";
	size_t i;

	json_array_foreach(events, i, event)
		if (event_is(event, "binding") &&
		    json_integer_value(json_object_get(event, "rank")) == rank)
			text = text_of(event, "text");
	return text_json_or_null(text);
}

/* What each process of the last job has counted; NULL: a report is missing. */
static json_t *processes_json(const struct evidence *e)
{
	static const char *const keys[] = { "safe_points",   "events",    "committed", "transit",
					    "transit_bytes", "orphans",   "results",   "served",
					    "identify_s",    "stopped_s", "write_s",   "line_s",
					    "seconds",       "cpu_s" };
	const int last = (int)json_array_size(e->jobs) - 1;
	json_t *list = json_array();

	for (int rank = 0; list && rank < e->plan->np; rank++) {
		json_t *report = elc_report(e->dir, last, rank), *one = json_object();

		json_object_set_new(one, "rank", json_integer(rank));
		json_object_set_new(one, "binding", binding_json(e->events, rank));
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			json_object_set_new(one, keys[k], said(report, keys[k]));
		json_array_append_new(list, one);
		if (!report) {
			json_decref(list);
			list = NULL;
		}
		json_decref(report);
	}
	return list;
}

static void add_processes(const struct evidence *e, json_t *record)
{
	const bool finished = elc_has_ended(last_job(e), ELC_FINISHED), on = elc_is_on(e->plan);
	json_t *list = !on || !finished ? NULL : processes_json(e);
	const char *why = list  ? NULL
			  : !on ? "without a protocol the library does nothing, and reports nothing"
			  : finished ? "a process has left no report"
				     : "processes report when the program ends";

	json_object_set_new(record, "processes", list ? list : json_null());
	json_object_set_new(record, "processes_reason", why ? json_string(why) : json_null());
}

static void add_library(const struct evidence *e, json_t *record)
{
	const int last = (int)json_array_size(e->jobs) - 1;
	json_t *report = !elc_is_on(e->plan) ? NULL : elc_report(e->dir, last, 0);

	json_object_set_new(record, "lines_committed", said(report, "line"));
	json_decref(report);
}

static enum run_status judge(const struct evidence *e, char why[RB_ERROR_MAX])
{
	const json_t *last = last_job(e);

	why[0] = '\0';
	if (elc_has_ended(last, ELC_HUNG)) {
		snprintf(why, RB_ERROR_MAX, "not done by --deadline %g", e->plan->deadline_s);
		return STATUS_HANG;
	}
	if (!elc_has_ended(last, ELC_FINISHED)) {
		snprintf(why, RB_ERROR_MAX, "job %zu died, and not by --kill; it said: %.400s",
			 json_array_size(e->jobs), text_of(last, "said"));
		return STATUS_ABORT;
	}
	if (!json_is_true(json_object_get(json_object_get(last, "result"), "checks")))
		snprintf(why, RB_ERROR_MAX, "the program's own check has failed");
	return why[0] ? STATUS_WRONG : STATUS_OK;
}

static void add_result(const struct evidence *e, json_t *record)
{
	json_object_set_new(record, "state_hash", said(last_job(e), "hash"));
	json_object_set_new(record, "result", said(last_job(e), "result"));
}

static json_t *make(const struct evidence *e, enum run_status *status)
{
	const struct elc_plan *p = e->plan;
	char why[RB_ERROR_MAX];
	json_t *record;

	*status = judge(e, why);
	record = json_pack("{s:s, s:s, s:s, s:o*, s:s, s:o, s:i, s:s}", "schema", "rollbench-run-1",
			   "kind", "elc", "status", status_name(*status), "message",
			   why[0] ? text_json(why) : NULL, "kernel", p->program, "params",
			   params_json(p), "np", p->np, "protocol",
			   elc_protocol_word((int)p->protocol));
	json_object_set_new(record, "log_form",
			    elc_is_on(p) ? json_string(elc_log_word((int)p->log_form))
					 : json_null());
	json_object_set_new(record, "line_interval_s",
			    p->interval_s > 0 ? json_real(p->interval_s) : json_null());
	json_object_set_new(record, "plan", elc_kills_json(p));
	json_object_set_new(record, "unfired", unfired_json(e));
	json_object_set_new(record, "restarts",
			    json_integer((json_int_t)json_array_size(e->jobs) - 1));
	json_object_set(record, "resumed", json_object_get(e->ended, "resumed"));
	json_object_set_new(record, "jobs", jobs_json(e));
	add_result(e, record);
	add_library(e, record);
	add_processes(e, record);
	json_object_set(record, "wall_s", json_object_get(e->ended, "wall_s"));
	json_object_set_new(record, "deadline_s", json_real(p->deadline_s));
	json_object_set(record, "oversubscribed", json_object_get(e->ended, "oversubscribed"));
	json_object_set(record, "hosts", json_object_get(e->ended, "hosts")); /* may lack */
	json_object_set_new(record, "host",
			    host_json(json_copy(json_object_get(e->ended, "host")), e->events));
	json_object_set_new(record, "finished_at",
			    utc_json(json_number_value(json_object_get(e->ended, "at"))));
	return record;
}

/* Borrowed. NULL: the job of that number has not ended. */
static json_t *end_of_job(const json_t *events, size_t job)
{
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
		if (event_is(event, "job_ended") &&
		    json_integer_value(json_object_get(event, "job")) == (json_int_t)job)
			return event;
	return NULL;
}

/* In the order of their numbers: the clocks of two hosts from which a run was launched may differ.
 */
static json_t *ends_of_jobs(const json_t *events)
{
	json_t *list = json_array(), *event;

	while ((event = end_of_job(events, json_array_size(list))))
		json_array_append(list, event);
	return list;
}

json_t *elc_record(const struct elc_plan *p, const char *dir, const json_t *events,
		   enum run_status *status)
{
	struct evidence e = { p, dir, events, events_end(events), ends_of_jobs(events) };
	json_t *record = NULL;

	*status = STATUS_ABORT;
	if (e.ended && json_array_size(e.jobs) > 0)
		record = make(&e, status);
	json_decref(e.jobs);
	return record;
}
