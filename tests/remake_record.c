/* Make the record of a run again, from its run folder alone.
 *
 * usage: remake_record RUN
 *
 * Prints what `rollbench run --keep --json -` has printed. Exit status 1: the folder does not say
 * how the run ended. */
#include "base/status.h"
#include "harness/events/events.h"
#include "harness/record/record.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct kernel_plan plan;
	struct kernel_args args;
	enum run_status status;
	struct run_spec spec;
	struct rb_error err;
	json_t *record, *events;
	char *text;

	if (argc != 2 || spec_load(&spec, argv[1], &err) != RB_OK)
		return 2;
	args = spec_args(&spec);
	if (spec.kernel->plan(&args, spec.np, &plan, &err) != RB_OK)
		return 2;
	events = events_read(argv[1]);
	record = record_make(&spec, &plan, argv[1], events, &status);
	json_decref(events);
	if (!record)
		return 1;
	text = record_text(record);
	fputs(text, stdout);
	free(text);
	json_decref(record);
	return 0;
}
