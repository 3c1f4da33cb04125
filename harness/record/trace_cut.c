#include "harness/record/trace_cut.h"

#include <stdint.h>
#include <string.h>

static size_t column(const json_t *trace, const char *name)
{
	const json_t *one;
	size_t i, found = SIZE_MAX;

	json_array_foreach(json_object_get(trace, "columns"), i, one)
		if (json_is_string(one) && strcmp(json_string_value(one), name) == 0)
			found = i;
	return found;
}

/* How many of the role's spans in a phase had no room. */
static json_int_t lacking(const json_t *trace, const json_t *role, const char *phase)
{
	const json_t *used = json_object_get(json_object_get(role, "used"), phase), *row;
	json_int_t spans = json_integer_value(json_object_get(used, "spans"));
	size_t i, at = column(trace, "phase");

	json_array_foreach(json_object_get(trace, "rows"), i, row) {
		const char *name = json_string_value(json_array_get(row, at));

		spans -= name && strcmp(name, phase) == 0;
	}
	return spans;
}

static bool went_back(const json_t *failure, size_t role)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(failure, "rollback_set"), i, one)
		if (json_integer_value(one) == (json_int_t)role)
			return true;
	return false;
}

static json_int_t last_iteration(const json_t *trace)
{
	const json_t *rows = json_object_get(trace, "rows");
	size_t count = json_array_size(rows);

	return count == 0 ? 0 : json_integer_value(json_array_get(json_array_get(rows, count - 1),
								  column(trace, "iteration")));
}

struct trace_cut trace_cut(const json_t *record, const json_t *trace, const json_t *role, size_t number)
{
	struct trace_cut c = { .cut = json_integer_value(json_object_get(trace, "dropped")) > 0 };
	const json_t *failure;
	size_t i;

	if (!c.cut)
		return c;
	c.setup = lacking(trace, role, "setup") > 0;
	c.first = last_iteration(trace);
	if (lacking(trace, role, "restore") <= 0)
		return c;
	/* It went back when there was no room any more; which of its failures that was is not known. */
	json_array_foreach(json_object_get(record, "failures"), i, failure) {
		json_int_t checkpoint = json_integer_value(json_object_get(failure, "checkpoint"));

		if (went_back(failure, number) && checkpoint < c.first)
			c.first = checkpoint;
	}
	return c;
}

bool trace_cut_lacks(const struct trace_cut *c, json_int_t iteration)
{
	return c->cut && (iteration >= c->first || (c->setup && iteration == 0));
}

json_int_t trace_cut_spans(const json_t *record)
{
	const json_t *trace;
	json_int_t sum = 0;
	size_t i;

	json_array_foreach(json_object_get(record, "trace"), i, trace)
		sum += json_integer_value(json_object_get(trace, "dropped"));
	return sum;
}
