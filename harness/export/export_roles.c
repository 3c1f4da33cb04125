#include "harness/export/export_roles.h"

#include "harness/record/trace_cut.h"

#include <string.h>

const struct csv_column export_roles_columns[] = {
	{ "id", "id" },
	{ "role", "role" },
	{ "iteration", "iteration" },
	{ "host", "host" },
	{ "binding", "binding" },
	{ "spans", "spans" },
	{ "wall_s", "wall_s" },
	{ "cpu_s", "cpu_s" },
	{ "cycles", "cycles" },
	{ "instructions", "instructions" },
	{ "package_j", "package_j" },
	{ "core_j", "core_j" },
	{ "dram_j", "dram_j" },
	{ "setup_s", "in.setup" },
	{ "step_s", "in.step" },
	{ "checkpoint_s", "in.checkpoint" },
	{ "aborted_s", "in.aborted" },
	{ "repair_s", "in.repair" },
	{ "restore_s", "in.restore" },
	{ "replay_s", "in.replay" },
	{ "blocked_s", "in.blocked" },
	{ "finish_s", "in.finish" },
	{ "verify_s", "in.verify" },
	{ "close_s", "in.close" },
	{ "first_incarnation", "first_incarnation" },
	{ "last_incarnation", "last_incarnation" },
	{ "end_s", "end_s" },
	{ "executed", "whole.executed" },
	{ "aborted", "whole.aborted" },
	{ "incarnations", "whole.incarnations" },
	{ "lost", "whole.used.lost" },
	{ "loop_s", "whole.loop_s" },
	{ "log_peak_bytes", "whole.log_bytes_peak" },
	{ "log_total_bytes", "whole.log_bytes_total" },
	{ "log_memory_bytes", "whole.log_memory" },
	{ "rss_peak_bytes", "whole.rss_peak" },
	{ "checkpoint_memory_bytes", "whole.checkpoint_memory" },
	{ "drain_s", "whole.drain_s" },
	{ NULL, NULL },
};

static const char *const summed[] = { "wall_s", "cpu_s", "cycles", "instructions", "package_j", "core_j",
				      "dram_j" };

/* A sum of which a part was not measured was not measured. */
static void add(json_t *row, const char *key, const json_t *value)
{
	json_t *old = json_object_get(row, key);
	json_t *sum;

	if (!json_is_number(value) || (old && json_is_null(old)))
		sum = json_null();
	else if (json_is_integer(value) && (!old || json_is_integer(old)))
		sum = json_integer(json_integer_value(old) + json_integer_value(value));
	else
		sum = json_real(json_number_value(old) + json_number_value(value));
	json_object_set_new(row, key, sum);
}

static void add_span(json_t *row, const char *phase, const json_t *span)
{
	json_t *in = json_object_get(row, "in");

	if (!in) {
		in = json_object();
		json_object_set_new(row, "in", in);
	}
	add(in, phase, json_object_get(span, "wall_s"));
	for (size_t i = 0; i < sizeof summed / sizeof *summed; i++)
		add(row, summed[i], json_object_get(span, summed[i]));
}

static json_t *row_of(const json_t *record, const json_t *role, size_t number)
{
	json_t *row = json_object();

	json_object_set(row, "id", json_object_get(record, "id"));
	json_object_set_new(row, "role", json_integer((json_int_t)number));
	json_object_set(row, "host", json_object_get(role, "host"));
	json_object_set(row, "binding", json_object_get(role, "binding"));
	return row;
}

static void write_row(FILE *to, json_t *row)
{
	csv_line(to, export_roles_columns, row);
	json_decref(row);
}

/* From the sums over the whole run. */
static size_t whole_role(FILE *to, const json_t *record, json_t *role, size_t number)
{
	json_t *row = row_of(record, role, number), *sum;
	const char *phase;

	json_object_set(row, "whole", role);
	json_object_foreach(json_object_get(role, "used"), phase, sum) {
		if (!json_is_object(sum)) /* "lost" is a number */
			continue;
		add(row, "spans", json_object_get(sum, "spans"));
		add_span(row, phase, sum);
	}
	write_row(to, row);
	return 1;
}

/* {"iteration": 3, "phase": "step", ...} */
static json_t *span_of(const json_t *columns, const json_t *values)
{
	json_t *span = json_object(), *name;
	size_t i;

	json_array_foreach(columns, i, name)
		json_object_set(span, json_string_value(name), json_array_get(values, i));
	return span;
}

static void add_to_iteration(json_t *iterations, const json_t *record, const json_t *role,
			     size_t number, const json_t *span)
{
	const json_t *phase = json_object_get(span, "phase");
	json_t *row, *one = json_integer(1);
	char key[32];

	snprintf(key, sizeof key, "%lld",
		 (long long)json_integer_value(json_object_get(span, "iteration")));
	row = json_object_get(iterations, key);
	if (!row) {
		row = row_of(record, role, number);
		json_object_set_new(iterations, key, row);
		json_object_set(row, "iteration", json_object_get(span, "iteration"));
		json_object_set(row, "first_incarnation", json_object_get(span, "incarnation"));
	}
	json_object_set(row, "last_incarnation", json_object_get(span, "incarnation"));
	json_object_set(row, "end_s", json_object_get(span, "t_s"));
	add(row, "spans", one);
	if (json_is_string(phase))
		add_span(row, json_string_value(phase), span);
	json_decref(one);
}

static void forget_sums(json_t *row)
{
	static const char *const others[] = { "in", "spans", "end_s", "last_incarnation" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		json_object_del(row, others[i]);
	for (size_t i = 0; i < sizeof summed / sizeof *summed; i++)
		json_object_del(row, summed[i]);
}

static size_t traced_role(FILE *to, const json_t *record, const json_t *trace, const json_t *role,
			  size_t number)
{
	json_t *iterations = json_object(), *values, *row;
	const json_t *columns = json_object_get(trace, "columns");
	struct trace_cut cut = trace_cut(record, trace, role, number);
	size_t i, count;
	const char *key;

	json_array_foreach(json_object_get(trace, "rows"), i, values) {
		json_t *span = span_of(columns, values);

		add_to_iteration(iterations, record, role, number, span);
		json_decref(span);
	}
	count = json_object_size(iterations);
	json_object_foreach(iterations, key, row) { /* in the order in which they were added */
		if (trace_cut_lacks(&cut, json_integer_value(json_object_get(row, "iteration"))))
			forget_sums(row);
		csv_line(to, export_roles_columns, row);
	}
	json_decref(iterations);
	return count;
}

size_t export_roles(FILE *to, const json_t *record)
{
	const json_t *traces = json_object_get(record, "trace");
	size_t count = 0, r;
	json_t *role;

	json_array_foreach(json_object_get(record, "roles"), r, role) {
		const json_t *trace = json_array_get(traces, r);

		if (json_array_size(json_object_get(trace, "rows")) > 0)
			count += traced_role(to, record, trace, role, r);
		else
			count += whole_role(to, record, role, r);
	}
	return count;
}
