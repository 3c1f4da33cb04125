/* record["watts"]: what the wattmeters say of a run and its recoveries. */
#include "base/hostname.h"
#include "base/json.h"
#include "base/status.h"
#include "ft/ledger.h"
#include "harness/watts/recoveries.h"
#include "harness/watts/watts.h"
#include "harness/watts/watts_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { REASON = 480 };

/* What all functions below work with. */
struct summary {
	const struct watts *w;
	double begin, end; /* of the time-step loop, seconds since the epoch; NaN: unknown */
	struct recovery *recovery;
	size_t recoveries;
	size_t inside; /* readings of nodes of the run within the loop */
	char reason[REASON];
};

/* The first reason stays. */
static void because(struct summary *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void because(struct summary *s, const char *fmt, ...)
{
	va_list args;

	if (s->reason[0])
		return;
	va_start(args, fmt);
	vsnprintf(s->reason, sizeof s->reason, fmt, args);
	va_end(args);
}

static void add_host(json_t *hosts, const char *name)
{
	json_t *host;
	size_t i;

	json_array_foreach(hosts, i, host)
		if (!name || hostname_same(json_string_value(host), name))
			return;
	if (name)
		json_array_append_new(hosts, json_string(name));
}

/* The hosts of the run: those of --hostfile, then those of roles, and this one if there are no
 * others. */
static json_t *hosts_in(const json_t *record)
{
	json_t *hosts = json_array(), *item;
	size_t i;

	json_array_foreach(json_object_get(record, "hosts"), i, item)
		add_host(hosts, json_string_value(item));
	json_array_foreach(json_object_get(record, "roles"), i, item)
		add_host(hosts, json_string_value(json_object_get(item, "host")));
	if (json_array_size(hosts) == 0)
		add_host(hosts, json_string_value(json_object_get(json_object_get(record, "host"),
								  "hostname")));
	return hosts;
}

static const struct series_node *find_node(const struct series *series, const char *host)
{
	for (size_t i = 0; i < series->count; i++)
		if (hostname_same(series->node[i].name, host))
			return &series->node[i];
	return NULL;
}

/* The readings that are not dropped. The caller frees. *dropped: how many of the loop are. */
static struct reading *keep(const struct summary *s, const struct series_node *node, size_t *count,
			    size_t *dropped)
{
	struct reading *list = malloc((node->count + 1) * sizeof *list);

	*count = *dropped = 0;
	for (size_t i = 0; list && i < node->count; i++) {
		const struct reading *r = &node->reading[i];

		if (r->watts >= s->w->min_w)
			list[(*count)++] = *r;
		else
			*dropped += r->time >= s->begin && r->time <= s->end;
	}
	return list;
}

/* [t, W] of the loop, of the last reading before it and of the first one behind it; t from the
 * beginning of the loop. */
static json_t *samples(const struct summary *s, const struct reading *r, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		if ((r[i].time >= s->begin || (i + 1 < count && r[i + 1].time >= s->begin)) &&
		    (r[i].time <= s->end || (i > 0 && r[i - 1].time <= s->end)))
			json_array_append_new(
				list, json_pack("[f, f]", r[i].time - s->begin, r[i].watts));
	return list;
}

/* Joules of each recovery; null where its times are unknown or no reading lies within it. */
static json_t *recovery_joules(const struct summary *s, const struct reading *r, size_t count)
{
	json_t *list = json_array();
	double mean;

	for (size_t i = 0; i < s->recoveries; i++) {
		const struct recovery *x = &s->recovery[i];
		bool known = x->begin > 0 && x->end > 0 &&
			     series_within(r, count, x->begin, x->end, &mean) > 0;

		json_array_append_new(list,
				      known ? number_json(series_joules(r, count, x->begin, x->end))
					    : json_null());
	}
	return list;
}

/* Why the energy of a node is unknown; "": it is known. */
static void why_not(const struct summary *s, const struct reading *r, size_t count, size_t inside,
		    char why[REASON])
{
	why[0] = '\0';
	if (count == 0)
		snprintf(why, REASON, "no readings of this host");
	else if (inside == 0)
		snprintf(why, REASON,
			 "no reading within the run; the nearest are %.3f s and %.3f s from its "
			 "beginning",
			 r[0].time - s->begin, r[count - 1].time - s->begin);
	else if (r[0].time > s->begin || r[count - 1].time < s->end)
		snprintf(why, REASON,
			 "readings from %.3f s to %.3f s of a run of %.3f s only: one before its "
			 "beginning and one behind its end are needed",
			 r[0].time - s->begin, r[count - 1].time - s->begin, s->end - s->begin);
}

static json_t *roles_on(const json_t *record, const char *host)
{
	json_t *list = json_array(), *role;
	size_t i;

	json_array_foreach(json_object_get(record, "roles"), i, role) {
		const char *its = json_string_value(json_object_get(role, "host"));

		if (its && hostname_same(its, host))
			json_array_append(list, json_object_get(role, "role"));
	}
	return list;
}

static json_t *node_json(struct summary *s, const json_t *record, const char *host)
{
	static const struct series_node nothing = { .count = 0 };
	const struct series_node *node = find_node(&s->w->series, host);
	size_t count, dropped, inside;
	struct reading *r = keep(s, node ? node : &nothing, &count, &dropped);
	char why[REASON];
	double mean;
	json_t *json;

	inside = series_within(r, count, s->begin, s->end, &mean);
	why_not(s, r, count, inside, why);
	s->inside += inside;
	json = json_pack(
		"{s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "node", host, "roles",
		roles_on(record, host), "samples", (json_int_t)inside, "dropped",
		(json_int_t)dropped, "mean_w", number_json(mean), "energy_j",
		why[0] ? json_null() : number_json(series_joules(r, count, s->begin, s->end)),
		"longest_gap_s",
		count > 1 ? number_json(series_gap(r, count, s->begin, s->end)) : json_null(),
		"reason", text_or_null(why), "recovery_j", recovery_joules(s, r, count), "readings",
		samples(s, r, count));
	free(r);
	return json;
}

/* Nodes of the series that are no hosts of the run. */
static json_t *unknown_nodes(const struct series *series, const json_t *hosts)
{
	json_t *list = json_array(), *host;
	size_t k;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_node *n = &series->node[i];
		bool known = false;

		json_array_foreach(hosts, k, host)
			known = known || hostname_same(n->name, json_string_value(host));
		if (!known)
			json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "node",
							      text_json(n->name), "line",
							      (json_int_t)n->line, "samples",
							      (json_int_t)n->count));
	}
	return list;
}

/* From when until when the readings are. */
static void explain_nothing(struct summary *s, const json_t *hosts, const json_t *unknown)
{
	const struct series *series = &s->w->series;
	double from = INFINITY, to = -INFINITY;

	if (series->count == 0) {
		because(s, "%.200s: no readings", s->w->source);
		return;
	}
	if (json_array_size(unknown) == series->count) {
		because(s,
			"%.150s:%ld: node %.60s is no host of the run, nor is any other; the run's "
			"are %.60s%s",
			s->w->source, series->node[0].line, series->node[0].name,
			json_string_value(json_array_get(hosts, 0)),
			json_array_size(hosts) > 1 ? " and others" : "");
		return;
	}
	for (size_t i = 0; i < series->count; i++) {
		from = fmin(from, series->node[i].reading[0].time);
		to = fmax(to, series->node[i].reading[series->node[i].count - 1].time);
	}
	because(s, "%.150s: no reading%s within the run, %.3f to %.3f; all are from %.3f to %.3f%s",
		s->w->source, s->w->min_w > 0 ? " that is not dropped" : "", s->begin, s->end, from,
		to,
		to < s->begin || from > s->end ? ": do the clocks of meter and run agree?" : "");
}

static json_t *recoveries_json(const struct summary *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->recoveries; i++) {
		const struct recovery *x = &s->recovery[i];

		json_array_append_new(
			list,
			json_pack("{s:I, s:o, s:o}", "epoch", (json_int_t)x->epoch, "begin_s",
				  number_json(x->begin > 0 ? x->begin - s->begin : (double)NAN),
				  "end_s",
				  number_json(x->end > 0 ? x->end - s->begin : (double)NAN)));
	}
	return list;
}

/* The loop of the longest role, from when the first role began it. */
static void find_loop(struct summary *s, const json_t *record, const struct ledger *ledger,
		      size_t np)
{
	s->begin = ledgers_begun(ledger, (int)np);
	s->end = NAN;
	for (size_t r = 0; r < np; r++) {
		if (ledger[r].t_loop <= 0)
			continue;
		s->end = fmax(s->end, ledger[r].loop_s >= 0 ? ledger[r].t_loop + ledger[r].loop_s
							    : ledger[r].t_loop);
	}
	if (isnan(s->begin))
		because(s, "no role began its loop");
	else if (!json_is_number(json_object_get(record, "loop_s")))
		because(s, "the run did not finish");
}

static json_t *nodes_json(struct summary *s, const json_t *record, const json_t *hosts)
{
	json_t *list = json_array(), *host;
	size_t i;

	json_array_foreach(hosts, i, host)
		json_array_append_new(list, node_json(s, record, json_string_value(host)));
	return list;
}

static json_t *summarize(struct summary *s, const json_t *record)
{
	json_t *hosts = hosts_in(record), *unknown = unknown_nodes(&s->w->series, hosts),
	       *nodes = NULL;

	if (s->w->trouble.text[0])
		because(s, "%s", s->w->trouble.text);
	if (!s->reason[0]) {
		nodes = nodes_json(s, record, hosts);
		if (s->inside == 0)
			explain_nothing(s, hosts, unknown);
	}
	json_decref(hosts);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "source",
			 text_json(s->w->source), "reason", text_json_or_null(s->reason), "begin",
			 number_json(s->begin), "seconds", number_json(s->end - s->begin), "min_w",
			 s->w->min_w > 0 ? json_real(s->w->min_w) : json_null(), "command_ended",
			 text_json_or_null(s->w->end), "cut_line",
			 s->w->series.cut ? json_integer(s->w->series.cut) : json_null(),
			 "unknown_nodes", unknown, "recoveries", recoveries_json(s), "nodes",
			 nodes ? nodes : json_array());
}

void watts_record(const struct watts *w, json_t *record, const char *dir)
{
	struct summary s = { .w = w };
	size_t np = json_array_size(json_object_get(record, "roles"));
	struct ledger *ledger;

	if (!w)
		return;
	ledger = calloc(np + 1, sizeof *ledger);
	if (ledger)
		ledger_read_all(dir, (int)np, ledger);
	find_loop(&s, record, ledger, ledger ? np : 0);
	if (ledger && !s.reason[0])
		s.recovery = recoveries_find(json_object_get(record, "failures"), ledger, np,
					     &s.recoveries);
	json_object_set_new(record, "watts", summarize(&s, record));
	free(s.recovery);
	free(ledger);
}
