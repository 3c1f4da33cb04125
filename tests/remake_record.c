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

static json_t *of_engine(const char *dir, const json_t *events)
{
	struct kernel_plan plan = { .iterations = 0 };
	struct kernel_args args;
	enum run_status status;
	struct run_spec spec;
	struct rb_error err;

	if (spec_load(&spec, dir, &err) != RB_OK)
		exit(2);
	args = spec_args(&spec);
	if (spec.kernel->plan(&args, spec.np, &plan, &err) != RB_OK)
		exit(2);
	return record_make(&spec, &plan, dir, events, &status);
}

static json_t *of_elc(const char *dir, const json_t *events)
{
	struct elc_plan plan = { .program = NULL };
	enum run_status status;
	struct run_reference ignored;
	struct rb_error err;
	json_t *record;
	char *words;

	if (elc_plan_load(&plan, &ignored, &words, dir, &err) != RB_OK)
		exit(2);
	record = elc_record(&plan, dir, events, &status);
	elc_plan_free(&plan);
	free(words);
	return record;
}

int main(int argc, char **argv)
{
	json_t *spec, *record, *events;
	char path[SPEC_PATH], *text;

	if (argc != 2)
		return 2;
	snprintf(path, sizeof path, "%s/spec.json", argv[1]);
	spec = json_load_file(path, 0, NULL);
	events = events_read(argv[1]);
	record = strcmp(text_of(spec, "kind"), "elc") == 0 ? of_elc(argv[1], events)
							   : of_engine(argv[1], events);
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
