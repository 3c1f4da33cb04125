/* `rollbench envelopes`: options, the record, and what is printed of it. What is measured:
 * harness/envelopes/envelopes.h. */
#include "base/clock.h"
#include "base/json.h"
#include "base/quantile.h"
#include "harness/cli/commands.h"
#include "harness/envelopes/envelopes.h"
#include "harness/job/host.h"
#include "harness/options/command.h"

#include <stddef.h>

enum { REPETITIONS_MAX = 1000 };

struct request {
	int repetitions;
	const char *json;
};

static const struct option own[] = {
	{ "repetitions", "R", "of each measurement, each with another order of the envelopes",
	  OPTION_INT, .at = offsetof(struct request, repetitions), .least = 1,
	  .most = REPETITIONS_MAX, .standard = "20" },
	{ "json", "FILE", "write the record to FILE; '-': alone on standard output", OPTION_STRING,
	  .at = offsetof(struct request, json) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench envelopes [OPTION ...]\n"
		"\n"
		"Measure what event logging pays for the envelope of a message (event-logging-checkpoint paper,\n"
		"Sect. 4.1): to log it (T_log), for short and long logs of few and many kinds of envelopes; and to\n"
		"compare two in the paper's sequential search (T_m), whose comparisons are counted beside its formula.\n"
		"It takes some seconds, without MPI.\n"
		"\n",
	.own = own,
	.notes = "\nexit status: 0 ok, 2 usage\n",
};

static const struct envelopes_log logs[] = {
	{ ELC_LIST, 1, 1000000 },      { ELC_LIST, 64, 10000 },          { ELC_LIST, 64, 1000000 },
	{ ELC_LIST, 100000, 1000000 }, { ELC_COUNTED, 1, 1000000 },      { ELC_COUNTED, 64, 10000 },
	{ ELC_COUNTED, 64, 1000000 },  { ELC_COUNTED, 100000, 1000000 },
};
static const struct envelopes_search searches[] = { { 300, 225 }, { 1000, 750 }, { 3000, 2250 } };

#define COUNT(list) (sizeof(list) / sizeof *(list))

static int no_memory(struct rb_error *err)
{
	return rb_fail(err, RB_ENOMEM, "no memory for a million envelopes");
}

static int measure_log(const struct envelopes_log *log, int repetitions, json_t *list,
		       struct rb_error *err)
{
	json_t *ns = json_array();

	json_array_append_new(list,
			      json_pack("{s:s, s:i, s:i, s:o}", "form", elc_form_name(log->form),
					"kinds", log->kinds, "events", log->events, "ns", ns));
	for (int r = 0; r < repetitions; r++) {
		const double one = envelopes_log_ns(log, (uint64_t)r + 1);

		if (one < 0)
			return no_memory(err);
		json_array_append_new(ns, json_real(one));
	}
	return RB_OK;
}

static int measure_search(const struct envelopes_search *search, int repetitions, json_t *list,
			  struct rb_error *err)
{
	json_t *ns = json_array(), *counts = json_array();

	json_array_append_new(list, json_pack("{s:i, s:i, s:f, s:f, s:o, s:o}", "sent",
					      search->sent, "received", search->received, "printed",
					      envelopes_expected(search, false), "removed",
					      envelopes_expected(search, true), "comparisons",
					      counts, "ns", ns));
	for (int r = 0; r < repetitions; r++) {
		int64_t comparisons;
		const double one = envelopes_search_ns(search, (uint64_t)r + 1, &comparisons);

		if (one < 0)
			return no_memory(err);
		json_array_append_new(counts, json_integer(comparisons));
		json_array_append_new(ns, json_real(one));
	}
	return RB_OK;
}

static int measure(int repetitions, json_t **record, struct rb_error *err)
{
	const double begin = clock_monotonic();
	json_t *log = json_array(), *search = json_array(), *host = host_of_harness();
	int rc = RB_OK;

	json_object_del(host, "transport_plan");
	json_object_set_new(host, "mpi", json_string("not started"));
	*record = json_pack("{s:s, s:i, s:o, s:o, s:o}", "schema", "rollbench-envelopes-1",
			    "repetitions", repetitions, "host", host, "logs", log, "searches",
			    search);
	for (size_t i = 0; rc == RB_OK && i < COUNT(logs); i++)
		rc = measure_log(&logs[i], repetitions, log, err);
	for (size_t i = 0; rc == RB_OK && i < COUNT(searches); i++)
		rc = measure_search(&searches[i], repetitions, search, err);
	json_object_set_new(*record, "wall_s", json_real(clock_monotonic() - begin));
	return rc;
}

static double middle(const json_t *list)
{
	double values[REPETITIONS_MAX];
	const size_t n = json_array_size(list);

	for (size_t i = 0; i < n; i++)
		values[i] = json_number_value(json_array_get(list, i));
	sort_numbers(values, n);
	return median(values, n);
}

static void print(const json_t *record, FILE *to)
{
	const json_t *one;
	size_t i;

	fprintf(to, "medians of %d\n\n%-9s %8s %9s  T_log, ns\n",
		(int)integer_of(record, "repetitions", 0), "log", "kinds", "events");
	json_array_foreach(json_object_get(record, "logs"), i, one)
		fprintf(to, "%-9s %8d %9d  %.2f\n", text_of(one, "form"),
			(int)integer_of(one, "kinds", 0), (int)integer_of(one, "events", 0),
			middle(json_object_get(one, "ns")));
	fprintf(to, "\n%6s %9s %12s %12s %12s  T_m, ns\n", "sent", "received", "comparisons",
		"expected", "as printed");
	json_array_foreach(json_object_get(record, "searches"), i, one)
		fprintf(to, "%6d %9d %12.0f %12.0f %12.0f  %.2f\n", (int)integer_of(one, "sent", 0),
			(int)integer_of(one, "received", 0),
			middle(json_object_get(one, "comparisons")),
			json_number_value(json_object_get(one, "removed")),
			json_number_value(json_object_get(one, "printed")),
			middle(json_object_get(one, "ns")));
}

int cmd_envelopes(int argc, char **argv)
{
	struct request r = { .repetitions = 20 };
	struct rb_error err;
	json_t *record = NULL;
	int rc = command_parse(&command, argc, argv, NULL, &r, &err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK && r.json && !record_is_to_stdout(r.json))
		rc = record_probe(r.json, &err);
	if (rc == RB_OK)
		rc = measure(r.repetitions, &record, &err);
	if (rc == RB_OK && r.json)
		rc = record_deliver(record, r.json, &err);
	if (rc == RB_OK && !record_is_to_stdout(r.json))
		print(record, stdout);
	json_decref(record);
	return rc == RB_OK ? 0 : refused_status("envelopes", &err);
}
