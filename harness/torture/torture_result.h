/* harness/torture/torture_result.h - what a torture says of one run: a line of its journal, and a
 * folder if it is bad. */
#ifndef HARNESS_TORTURE_TORTURE_RESULT_H
#define HARNESS_TORTURE_TORTURE_RESULT_H

#include "harness/torture/tally.h"
#include "harness/torture/torture_plan.h"

/* May a run end so? It may end ok, or out of spares if more processes died than there were
 * replacements. */
bool torture_allows(const struct run_spec *spec, const json_t *record, enum run_status status);
/* Judge a run by its record and the hash of its failure-free run; the record then says that it was
 * compared, and is `wrong` if it ended in another state. *message: why the run is bad; NULL: it is
 * not. */
struct outcome result_judge(const struct run_spec *spec, json_t *record, enum run_status status,
			    const char *hash, const char **message);
/* The row of the run in the table. */
void torture_row(const struct run_spec *spec, char out[TALLY_NAME]);
/* The line of the journal: the run's number, how it ended, what killed it from outside; of a bad
 * run also the message and the command that repeats it. New reference; NULL: out of memory. */
json_t *result_line(int64_t i, const json_t *record, const struct outcome *outcome,
		    const char *message, const char *command);
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
