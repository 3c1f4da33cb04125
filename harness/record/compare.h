/* harness/record/compare.h - a run with a failure against its failure-free run, in the records of a sweep. */
#ifndef HARNESS_RECORD_COMPARE_H
#define HARNESS_RECORD_COMPARE_H

#include "harness/record/record.h"

/* Set "compared"; a run that verified but ended in another state than the run named `reference`, or in none
 * that could be compared, is wrong. state: the state hash of that run, "" if it has none. A record that has been
 * compared before is treated as if it had not: the reference may have been made again, or have come from another
 * machine. *changed: whether the record says anything else than before. Returns its status now. */
enum run_status compare_with(json_t *record, const char *reference, const char *state, bool *changed);
/* Do the state hashes of two runs say that they ended in the same state? NULL and "": there is none. */
bool compare_equal(const char *state, const char *other);

#endif
