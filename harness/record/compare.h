/* harness/record/compare.h - compare a run with a failure with its failure-free run, in its
 * record. */
#ifndef HARNESS_RECORD_COMPARE_H
#define HARNESS_RECORD_COMPARE_H

#include "harness/record/record.h"

/* Did the run end as it should? It is ok; or it is a negative control, and wrong for another reason
 * than that there is nothing to compare it with. */
bool compare_is_expected(const struct run_spec *spec, const json_t *record);

/* Set "compared". A run that verified is wrong if it ended in another state than the run named
 * `reference` (or than the user has said: "--reference"), or if that run has no state. state: the
 * state hash of that run, "" if it has none. A record that was compared before is treated as if it
 * had not been, because the reference may have been made again, or may come from another machine.
 * *changed: does the record now differ from before? Returns the present status of the record. */
enum run_status compare_with(json_t *record, const char *reference, const char *state,
			     bool *changed);

#endif
