/* harness/record/trace_cut.h - a trace has room for so many spans (harness/machine/usage.h); what it lacks of those after.
 *
 * The sums over the whole run (roles[].used) do count them, so it is known of which phases they were. */
#ifndef HARNESS_RECORD_TRACE_CUT_H
#define HARNESS_RECORD_TRACE_CUT_H

#include <jansson.h>
#include <stdbool.h>

struct trace_cut {
	bool cut;	   /* spans had no room */
	bool setup;	   /* one of them is a new process's setup, which belongs to iteration 0 */
	json_int_t first; /* from this iteration on, spans may be lacking */
};

/* Of a role (its number, and its entry in the record's "roles") and its entry in the record's "trace". */
struct trace_cut trace_cut(const json_t *record, const json_t *trace, const json_t *role, size_t number);
bool trace_cut_lacks(const struct trace_cut *c, json_int_t iteration);
/* Spans without room, of all roles. */
json_int_t trace_cut_spans(const json_t *record);

#endif
