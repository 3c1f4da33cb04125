/* harness/torture/torture_result.h - what a torture says of one run: a line of its journal, and a
 * folder if it is bad. */
#ifndef HARNESS_TORTURE_TORTURE_RESULT_H
#define HARNESS_TORTURE_TORTURE_RESULT_H

#include "harness/torture/tally.h"

/* The line of the journal: the run's number, how it ended, what killed it from outside; of a bad
 * run also the message and the command that repeats it. New reference; NULL: out of memory. */
json_t *result_line(int64_t i, const json_t *record, const struct outcome *outcome,
		    const char *command);
/* How the run ended, as its line says. */
struct outcome result_of(const json_t *line);
/* Where the folder of this bad run goes in `keep`: run-I, or run-I.1 and so on. RB_OK or RB_EIO. */
int result_folder(const json_t *line, const char *keep, char to[SPEC_PATH], struct rb_error *err);
/* Put record.json and the file `command`, which has the command that repeats the run, into its
 * folder; the line then says where that is. RB_OK or RB_EIO. */
int result_keep(json_t *line, const json_t *record, const char *folder, struct rb_error *err);
/* Say a line of a bad run on standard output. */
void result_say(const json_t *line);

#endif
