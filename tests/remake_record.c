/* Make the record of a run again, from its run folder alone.
 *
 * usage: remake_record RUN
 *
 * Prints what `rollbench run --keep --json -` has printed. Exit status 1: the folder does not say
 * how the run ended. */
#include "base/json.h"
#include "base/status.h"
#include "harness/events/events.h"
#include "harness/kind/elc/elc_run.h"
#include "harness/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *of_engine(const char *dir, json_t *json, const json_t *events)
{
	struct kernel_plan plan = { .iterations = 0 };
	struct kernel_args args;
	enum run_status status;
	struct run_spec spec;
	struct rb_error err;

	if (spec_of_file(&spec, json, dir, &err) != RB_OK)
		exit(2);
	args = spec_args(&spec);
	if (spec.kernel->plan(&args, spec.np, &plan, &err) != RB_OK)
		exit(2);
	return record_make(&spec, &plan, dir, events, &status);
}

static json_t *of_elc(const char *dir, json_t *json, const json_t *events)
{
	struct elc_run run = { .run = { .kind = &elc_kind } };
	enum run_status status;
	struct rb_error err;
	json_t *record;

	elc_plan_init(&run.plan);
	if (elc_load(&run, json, dir, &err) != RB_OK)
		exit(2);
	record = elc_record(&run.plan, dir, events, &status);
	elc_plan_free(&run.plan);
	free(run.run.words);
	return record;
}

int main(int argc, char **argv)
{
	json_t *spec, *record, *events;
	struct rb_error err;
	char *text;

	if (argc != 2)
		return 2;
	spec = spec_file_read(argv[1], &err);
	events = events_read(argv[1]);
	record = strcmp(text_of(spec, "kind"), elc_kind.word) == 0
			 ? of_elc(argv[1], spec, events)
			 : of_engine(argv[1], spec, events);
	json_decref(spec);
	json_decref(events);
	if (!record)
		return 1;
	text = record_text(record);
	fputs(text, stdout);
	free(text);
	json_decref(record);
	return 0;
}
