/* harness/torture/torture_result.h - what a torture says of one run: a line of its journal, and a folder if it is bad. */
#ifndef HARNESS_TORTURE_TORTURE_RESULT_H
#define HARNESS_TORTURE_TORTURE_RESULT_H

#include "harness/job/launch.h"
#include "harness/torture/tally.h"
#include "harness/torture/torture_plan.h"

/* May a run end so? It may end ok, or out of spares if more processes died than there were replacements. */
bool torture_allows(const struct run_spec *spec, const json_t *record, enum run_status status);
/* Judge a run by its record and the hash of its failure-free run; the record then says that it was compared, and is
 * `wrong` if it ended in another state. *message: why the run is bad; NULL: it is not. */
struct outcome result_judge(const struct run_spec *spec, json_t *record, enum run_status status, const char *hash,
			    const char **message);
/* The line of the journal: the run's number, how it ended, what killed it from outside; of a bad run also the message
 * and the command that repeats it. New reference; NULL: out of memory. */
json_t *result_line(int64_t i, const struct run_spec *spec, const json_t *record, const struct outcome *outcome,
		    const char *message);
/* How the run ended, as its line says. */
struct outcome result_of(const json_t *line);
/* Move the folder of a bad run to keep/run-I and put into it record.json and the file `command`, which has the command
 * that repeats it; the line then says where that is. RB_OK or RB_EIO. */
int result_keep(json_t *line, const json_t *record, struct launch *launch, const char *keep, struct rb_error *err);
/* Say a line of a bad run on standard output. */
void result_say(const json_t *line);

#endif
