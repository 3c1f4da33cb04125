/* The record of a run under event-logging checkpoints: kind `elc` (docs/record.md). */
#include "harness/kind/elc/elc_run.h"

#include "base/json.h"
#include "harness/events/events.h"
#include "harness/job/host.h"
#include "harness/machine/pin.h"
#include "harness/record/host.h"

#include <stdio.h>
#include <string.h>

static const char *const ends[] = { [ELC_FINISHED] = "finished",
				    [ELC_KILLED] = "killed",
				    [ELC_DIED] = "died",
				    [ELC_HUNG] = "hung" };

static const struct elc_job *last_job(const struct elc_launch *launch)
{
	return &launch->job[launch->jobs - 1];
}

/* Of the program, by name. */
static json_t *params_json(const struct elc_plan *p)
{
	json_t *params = json_object();

	for (int i = 0; i < p->arguments; i += 2)
		json_object_set_new(params, p->argument[i] + 2, text_json(p->argument[i + 1]));
	return params;
}

/* Kills of the plan from the first to before the last, as options. */
static json_t *kills_json(const struct elc_plan *p, int first, int last)
{
	json_t *list = json_array();
	char text[ELC_KILL];

	for (int k = first; k < last; k++) {
		elc_kill_format(&p->kill[k], text, sizeof text);
		json_array_append_new(list, json_string(text));
	}
	return list;
}

/* A member of a report, or null where there is no report. */
static json_t *said(const json_t *report, const char *key)
{
	json_t *value = json_object_get(report, key);

	return value ? json_incref(value) : json_null();
}

/* Kills by the clock that were sent, as options. */
static json_t *struck_json(const struct elc_plan *p, const struct elc_launch *launch, int job)
{
	json_t *list = json_array();

	for (size_t i = 0; job < p->kills && i < p->kill[job].clock.count; i++) {
		const struct elc_kill one = { .clock = { .count = 1,
							 .kill = { p->kill[job].clock.kill[i] } } };
		char text[ELC_KILL];

		elc_kill_format(&one, text, sizeof text);
		if (launch->job[job].struck[i])
			json_array_append_new(list, json_string(text));
	}
	return list;
}

/* The number of the newest one that a process has come to; null where there is no report. */
static json_t *last_safe_point(const json_t *report)
{
	const json_t *reached = json_object_get(report, "safe_points");

	return reached ? json_integer(json_integer_value(reached) - 1) : json_null();
}

/* Whoever was killed at a point of the program has said so itself; of a job that finished, rank 0
 * speaks. */
static json_t *job_json(const struct elc_plan *p, const struct elc_launch *launch, int job)
{
	const bool killed = launch->job[job].end == ELC_KILLED && p->kill[job].clock.count == 0;
	json_t *report = elc_report(launch, job, killed ? p->kill[job].rank : 0);
	json_t *death = killed ? json_pack("{s:i, s:o, s:o, s:o}", "rank", p->kill[job].rank,
					   "phase", said(report, "killed"), "safe_point",
					   last_safe_point(report), "line", said(report, "line"))
			       : json_null();
	json_t *json =
		json_pack("{s:s, s:f, s:o, s:o, s:o}", "end", ends[launch->job[job].end], "wall_s",
			  launch->job[job].wall_s, "restored", said(report, "restored"), "death",
			  death, "struck", struck_json(p, launch, job));

	json_decref(report);
	return json;
}

static json_t *jobs_json(const struct elc_plan *p, const struct elc_launch *launch)
{
	json_t *list = json_array();

	for (int job = 0; job < launch->jobs; job++)
		json_array_append_new(list, job_json(p, launch, job));
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
static json_t *processes_json(const struct elc_plan *p, const struct elc_launch *launch,
			      const json_t *events)
{
	static const char *const keys[] = { "safe_points",   "events",    "committed", "transit",
					    "transit_bytes", "orphans",   "results",   "served",
					    "identify_s",    "stopped_s", "write_s",   "line_s",
					    "seconds",       "cpu_s" };
	json_t *list = json_array();

	for (int rank = 0; list && rank < p->np; rank++) {
		json_t *report = elc_report(launch, launch->jobs - 1, rank), *one = json_object();

		json_object_set_new(one, "rank", json_integer(rank));
		json_object_set_new(one, "binding", binding_json(events, rank));
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

static void add_processes(const struct elc_plan *p, const struct elc_launch *launch,
			  const json_t *events, json_t *record)
{
	const bool finished = last_job(launch)->end == ELC_FINISHED;
	json_t *list = !elc_is_on(p) || !finished ? NULL : processes_json(p, launch, events);
	const char *why =
		list            ? NULL
		: !elc_is_on(p) ? "without a protocol the library does nothing, and reports nothing"
		: finished      ? "a process has left no report"
				: "processes report when the program ends";

	json_object_set_new(record, "processes", list ? list : json_null());
	json_object_set_new(record, "processes_reason", why ? json_string(why) : json_null());
}

static void add_library(const struct elc_plan *p, const struct elc_launch *launch, json_t *record)
{
	json_t *report = !elc_is_on(p) ? NULL : elc_report(launch, launch->jobs - 1, 0);

	json_object_set_new(record, "lines_committed", said(report, "line"));
	json_decref(report);
}

static enum run_status judge(const struct elc_plan *p, const struct elc_launch *launch,
			     char why[RB_ERROR_MAX])
{
	const struct elc_job *last = last_job(launch);

	why[0] = '\0';
	if (last->end == ELC_HUNG) {
		snprintf(why, RB_ERROR_MAX, "not done by --deadline %g", p->deadline_s);
		return STATUS_HANG;
	}
	if (last->end != ELC_FINISHED) {
		snprintf(why, RB_ERROR_MAX, "job %d died, and not by --kill; it said: %.400s",
			 launch->jobs, launch->words);
		return STATUS_ABORT;
	}
	if (!launch->figures.checks)
		snprintf(why, RB_ERROR_MAX, "the program's own check has failed");
	return why[0] ? STATUS_WRONG : STATUS_OK;
}

static void add_result(const struct elc_launch *launch, json_t *record)
{
	const struct elc_figures *f = &launch->figures;
	const bool finished = last_job(launch)->end == ELC_FINISHED;

	json_object_set_new(record, "state_hash", finished ? json_string(f->hash) : json_null());
	json_object_set_new(record, "result",
			    finished ? json_pack("{s:I, s:b, s:f}", "size", (json_int_t)f->size,
						 "checks", f->checks, "seconds", f->seconds)
				     : json_null());
}

static bool was_struck(const struct elc_job *job)
{
	bool any = false;

	for (int i = 0; i < OUTSIDE_MAX; i++)
		any = any || job->struck[i];
	return any;
}

json_t *elc_record(const struct elc_plan *p, const struct elc_launch *launch,
		   enum run_status *status)
{
	json_t *events = events_read(launch->dir), *record;
	char why[RB_ERROR_MAX];
	int done = 0;

	*status = judge(p, launch, why);
	while (done < launch->jobs &&
	       (launch->job[done].end == ELC_KILLED || was_struck(&launch->job[done])))
		done++;
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
	json_object_set_new(record, "plan", kills_json(p, 0, p->kills));
	json_object_set_new(record, "unfired", kills_json(p, done, p->kills));
	json_object_set_new(record, "restarts", json_integer(launch->jobs - 1));
	json_object_set_new(record, "jobs", jobs_json(p, launch));
	add_result(launch, record);
	add_library(p, launch, record);
	add_processes(p, launch, events, record);
	json_object_set_new(record, "wall_s", json_real(launch->wall_s));
	json_object_set_new(record, "deadline_s", json_real(p->deadline_s));
	json_object_set_new(record, "oversubscribed", json_boolean(launch->oversubscribed));
	if (p->hosts)
		json_object_set_new(record, "hosts", hosts_json(p->hosts, false));
	json_object_set_new(record, "host", host_json(host_of_harness(), events));
	json_object_set_new(record, "finished_at", utc_json(launch->ended_at));
	json_decref(events);
	return record;
}
