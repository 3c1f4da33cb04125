#include "harness/record/record.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/events/events.h"
#include "harness/record/dataflow.h"
#include "harness/record/evidence.h"
#include "harness/record/failures.h"
#include "harness/record/host.h"
#include "harness/record/record_timeline.h"
#include "harness/record/record_usage.h"
#include "harness/record/kills.h"
#include "harness/record/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static json_t *verdict(const struct evidence *e)
{
	const struct ledger *l = &e->ledger[0];

	if (!e->finished)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:f, s:b, s:s}", "what", l->verdict_what, "value",
			 number_json(l->value), "reference", number_json(l->reference), "tolerance",
			 l->tolerance, "ok", evidence_verified(e), "note", l->verdict_note);
}

/* XXH3-128 over the hashes of the roles, in role order. */
static json_t *state_hash(const struct evidence *e)
{
	XXH3_state_t *state;
	XXH128_hash_t hash;
	char text[40];

	if (!e->finished)
		return json_null();
	state = XXH3_createState();
	XXH3_128bits_reset(state);
	for (int r = 0; r < e->spec->np; r++)
		XXH3_128bits_update(state, e->ledger[r].hash, sizeof e->ledger[r].hash);
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
		 (uint64_t)hash.low64);
	return json_string(text);
}

static json_t *iterations(const struct evidence *e)
{
	bool known = e->finished || !e->plan->open_ended;
	json_int_t useful =
		(json_int_t)(e->finished ? e->ledger[0].finished_at : e->plan->iterations) *
		e->spec->np;
	json_int_t executed = 0, aborted = 0, supported = 0;

	for (int r = 0; r < e->spec->np; r++) {
		executed += e->ledger[r].executed;
		aborted += e->ledger[r].aborted;
		supported += e->ledger[r].supported;
	}
	return json_pack("{s:o, s:I, s:o, s:I, s:I}", "useful",
			 known ? json_integer(useful) : json_null(), "executed", executed,
			 "repeated", e->finished ? json_integer(executed - useful) : json_null(),
			 "aborted", aborted, "supported", supported);
}

static json_t *phases_json(const struct ledger_phases *p, const struct ledger_work *work)
{
	return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "iterations",
			 (json_int_t)p->iterations, "total_s", p->total, "copy_s", p->copy,
			 "compute_s", p->compute, "pack_s", p->pack, "log_s", p->log,
			 "communicate_s", p->communicate, "commit_s", p->commit, "aborted_s",
			 p->aborted, "clock_s", p->clock, "work_quantiles_s", work_json(work));
}

static json_t *role_json(const struct ledger *l, int role)
{
	if (l->magic != LEDGER_MAGIC)
		return json_pack("{s:i, s:s}", "role", role, "phase", "not started");
	return json_pack(
		"{s:i, s:s, s:I, s:I, s:I, s:i, s:s, s:s, s:I, s:I, s:o, s:o, s:f, s:o, s:I, s:I, "
		"s:f, s:I, s:I, s:f, s:o}",
		"role", role, "phase", ledger_phase_name((enum ledger_phase)l->phase), "front",
		(json_int_t)l->front, "executed", (json_int_t)l->executed, "aborted",
		(json_int_t)l->aborted, "incarnations", l->incarnations, "host", l->host, "binding",
		l->binding, "log_bytes_peak", (json_int_t)l->log_bytes_peak, "log_bytes_total",
		(json_int_t)l->log_bytes_total, "setup_s", seconds_json(l->setup_s), "loop_s",
		seconds_json(l->loop_s), "checkpoint_s", l->checkpoint_s, "phases",
		phases_json(&l->phases, &l->work), "rss_peak", (json_int_t)l->rss_peak,
		"log_memory", (json_int_t)l->log_memory, "drain_s", l->drain_s, "checkpoint_memory",
		(json_int_t)l->checkpoint_memory, "reductions", (json_int_t)l->reductions,
		"reduced_s", l->reduced_s, "heap_bytes",
		l->heap < 0 ? json_null() : json_integer((json_int_t)l->heap));
}

struct spread {
	json_int_t max, sum;
};

static void spread_add(struct spread *s, int64_t value)
{
	s->sum += value;
	s->max = value > s->max ? value : s->max;
}

/* What receivers have kept and read again, and what senders have kept for those that lag behind. */
static json_t *receivers_json(const struct evidence *e, const struct spread *peak)
{
	struct spread kept = { 0, 0 }, messages = { 0, 0 }, bytes = { 0, 0 };

	for (int r = 0; r < e->spec->np; r++) {
		spread_add(&kept, e->ledger[r].kept_peak);
		spread_add(&messages, e->ledger[r].reread);
		spread_add(&bytes, e->ledger[r].reread_bytes);
	}
	return json_pack("{s:{s:I, s:I}, s:I, s:I, s:I}", "bytes_peak", "max", peak->max, "sum",
			 peak->sum, "kept_bytes", kept.max, "reread", messages.sum, "reread_bytes",
			 bytes.sum);
}

static json_t *drop_json(const struct ledger_drop *d, int role)
{
	return json_pack("{s:i, s:i, s:I, s:I}", "from", d->received ? d->peer : role, "to",
			 d->received ? role : d->peer, "iteration", (json_int_t)d->iter, "bytes",
			 (json_int_t)d->bytes);
}

/* Channels that the policy switched off, role by role, each with the iteration and the bytes. */
static json_t *switched_off_json(const struct run_spec *spec, const struct ledger *ledger)
{
	json_t *list = json_array();

	for (int r = 0; r < spec->np; r++)
		for (int64_t i = 0; i < ledger[r].drop_count && i < LEDGER_DROPS; i++)
			json_array_append_new(list, drop_json(&ledger[r].drop[i], r));
	return list;
}

/* Values over all roles: roles[], log, checkpoints, loop_s. */
static void add_totals(const struct evidence *e, const char *dir, json_t *record)
{
	struct spread peak = { 0, 0 }, total = { 0, 0 }, received = { 0, 0 };
	json_int_t count = 0, bytes = 0;
	double loop = -1, checkpoint = 0;
	json_t *roles = json_array();

	for (int r = 0; r < e->spec->np; r++) {
		const struct ledger *l = &e->ledger[r];

		spread_add(&peak, l->log_bytes_peak);
		spread_add(&total, l->log_bytes_total);
		spread_add(&received, l->received_peak);
		count += l->checkpoints;
		bytes += l->checkpoint_bytes;
		loop = l->loop_s > loop ? l->loop_s : loop;
		checkpoint = l->checkpoint_s > checkpoint ? l->checkpoint_s : checkpoint;
		json_array_append_new(roles, role_json(l, r));
	}
	json_object_set_new(record, "log",
			    json_pack("{s:{s:I, s:I}, s:{s:I, s:I}}", "bytes_peak", "max", peak.max,
				      "sum", peak.sum, "bytes_total", "max", total.max, "sum",
				      total.sum));
	if (received.max > 0)
		json_object_set_new(record, "receivers", receivers_json(e, &received));
	json_object_set_new(record, "checkpoints",
			    json_pack("{s:I, s:I, s:f}", "count", count, "bytes", bytes,
				      "seconds_max", checkpoint));
	json_object_set_new(record, "loop_s", e->finished ? seconds_json(loop) : json_null());
	record_usage(record, roles, e->spec, dir, e->ledger);
	json_object_set_new(record, "roles", roles);
}

static json_t *host_with_binding(const struct evidence *e)
{
	json_t *host = host_json(json_copy(json_object_get(e->ended, "host")), e->events),
	       *binding = json_array();

	for (int r = 0; r < e->spec->np; r++)
		json_array_append_new(binding, json_string(e->ledger[r].binding));
	json_object_set_new(host, "binding", binding);
	return host;
}

/* Checkpoints that roles could not load, so that older ones were used; the last one of each
 * role. */
static json_t *refused_json(const struct evidence *e)
{
	json_t *list = json_array();

	for (int r = 0; r < e->spec->np; r++)
		if (e->ledger[r].refusals > 0)
			json_array_append_new(list,
					      json_pack("{s:i, s:I, s:o}", "role", r, "count",
							(json_int_t)e->ledger[r].refusals, "last",
							text_json(e->ledger[r].refusal)));
	return list;
}

/* Cores whose settings could not be changed or restored (--power); the last trouble of each
 * role. */
static json_t *trouble_json(const struct evidence *e)
{
	json_t *list = json_array();

	for (int r = 0; r < e->spec->np; r++)
		if (e->ledger[r].power_trouble[0])
			json_array_append_new(list,
					      json_pack("{s:i, s:o}", "role", r, "text",
							text_json(e->ledger[r].power_trouble)));
	return list;
}

/* Pairs of blocks: seconds with and without protection. */
static json_t *paired_json(const struct evidence *e)
{
	json_t *with = json_array(), *without = json_array();
	const json_t *event;
	size_t i;

	json_array_foreach(e->events, i, event) {
		if (!event_is(event, "pair"))
			continue;
		json_array_append(with, json_object_get(event, "protected_s"));
		json_array_append(without, json_object_get(event, "bare_s"));
	}
	return json_pack("{s:I, s:o, s:o}", "block", (json_int_t)e->spec->paired, "protected_s",
			 with, "bare_s", without);
}

static void add_escalations(const struct evidence *e, json_t *record)
{
	json_t *list = json_array();
	const json_t *event;
	size_t i;

	json_array_foreach(e->events, i, event)
		if (event_is(event, "escalation"))
			json_array_append_new(list, event_members(event));
	json_object_set_new(record, "escalations", json_integer((json_int_t)json_array_size(list)));
	if (json_array_size(list) > 0)
		json_object_set(record, "escalated", list);
	json_decref(list);
}

bool record_is_escalated(const json_t *record)
{
	return json_integer_value(json_object_get(record, "escalations")) > 0;
}

static json_t *assemble(struct evidence *e, const char *dir, enum run_status status)
{
	json_t *record = json_pack("{s:s, s:s, s:s, s:o*, s:s, s:{}}", "schema", "rollbench-run-1",
				   "kind", "engine", "status", status_name(status), "message",
				   e->message[0] ? text_json(e->message) : NULL, "kernel",
				   e->spec->kernel->name, "params");

	spec_record(e->spec, record, PART_KERNEL);
	json_object_set_new(record, "layout", json_string(e->plan->layout));
	json_object_set_new(record, "data_bytes",
			    json_integer((json_int_t)e->plan->bytes_per_role));
	spec_record(e->spec, record, PART_RUN);
	spec_record(e->spec, record, PART_UNUSUAL);
	json_object_set_new(record, "plan", spec_plan(e->spec));
	json_object_set_new(record, "verdict", verdict(e));
	json_object_set_new(record, "state_hash", state_hash(e));
	json_object_set_new(record, "iterations", iterations(e));
	json_object_set_new(record, "failures", failures_json(e->spec, e->events, e->ledger));
	json_object_set_new(record, "unfired", kills_unfired(&e->spec->plan, e->events));
	kills_record(record, e->events);
	if (ft_is_dataflow(e->spec->recompute))
		json_object_set_new(record, "dataflow", dataflow_memory(e->ledger, e->spec->np));
	if (e->spec->asked[0])
		json_object_set_new(record, "policy_asked", json_string(e->spec->asked));
	spec_record(e->spec, record, PART_POWER);
	json_object_set_new(record, "power_trouble", trouble_json(e));
	spec_record(e->spec, record, PART_CHECKPOINTS);
	json_object_set(record, "restarts", json_object_get(e->ended, "restarts"));
	json_object_set(record, "resumed", json_object_get(e->ended, "resumed"));
	spec_record(e->spec, record, PART_REPLACEMENT);
	json_object_set(record, "hosts", json_object_get(e->ended, "hosts")); /* if there are any */
	json_object_set(record, "lost_hosts", json_object_get(e->ended, "lost_hosts"));
	spec_record(e->spec, record, PART_NODES);
	if (e->spec->paired > 0)
		json_object_set_new(record, "paired", paired_json(e));
	spec_record(e->spec, record, PART_CHANCE);
	json_object_set_new(record, "refused_checkpoints", refused_json(e));
	json_object_set_new(record, "switched_off", switched_off_json(e->spec, e->ledger));
	add_totals(e, dir, record);
	if (e->spec->timeline == TIMELINE_ON)
		json_object_set_new(record, "timeline",
				    record_timeline(e->spec, e->events, dir, e->ledger));
	json_object_set(record, "wall_s", json_object_get(e->ended, "wall_s"));
	spec_record(e->spec, record, PART_LIMIT);
	add_escalations(e, record);
	json_object_set_new(record, "lingered", json_boolean(evidence_ended(e, "lingered")));
	json_object_set(record, "oversubscribed", json_object_get(e->ended, "oversubscribed"));
	json_object_set_new(record, "host", host_with_binding(e));
	json_object_set_new(record, "finished_at", utc_json(number_of(e->ended, "at")));
	return record;
}

json_t *record_make(const struct run_spec *spec, const struct kernel_plan *plan, const char *dir,
		    const json_t *events, enum run_status *status)
{
	struct evidence e = {
		.spec = spec, .plan = plan, .events = events, .ended = events_end(events)
	};
	json_t *record;

	e.ledger = e.ended ? calloc((size_t)spec->np, sizeof *e.ledger) : NULL;
	if (!e.ledger)
		return NULL;
	evidence_read(&e, dir);
	*status = evidence_classify(&e);
	record = assemble(&e, dir, *status);
	free(e.ledger);
	return record;
}
