/* harness/record/compare.h - compare a run with a failure with its failure-free run, in its
 * record. */
#ifndef HARNESS_RECORD_COMPARE_H
#define HARNESS_RECORD_COMPARE_H

#include "harness/record/record.h"

enum { RUN_HASH = 40 };

/* What the final state of a run is compared with. */
struct run_reference {
	/* as the record says it: the id of a run of the same sweep, "a failure-free run" that was
	 * made for this one or for this torture, or "--reference". NULL: it is not compared */
	const char *how;
	char hash[RUN_HASH]; /* "": that run has no state */
	/* of its program and of its mpirun, if it was made for this comparison; -1: it was not */
	double seconds, wall_s;
};

/* A reference that was not made for this comparison. */
struct run_reference run_reference_to(const char *how, const char *hash);

/* Did the run end as it should? It is ok; or it is a negative control, and wrong for another reason
 * than that there is nothing to compare it with. */
bool compare_is_expected(const struct run_spec *spec, const json_t *record);

/* Set "compared". A run that is ok becomes wrong if it ended in another state than its reference,
 * or if that has no state. A record that was compared before is treated as if it had not been,
 * because the reference may have been made again, or may come from another machine. *changed: does
 * the record now differ from before? Returns the present status of the record. */
enum run_status compare_with(json_t *record, const struct run_reference *reference, bool *changed);

#endif
