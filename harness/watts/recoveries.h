/* harness/watts/recoveries.h - from when until when the recoveries of a run lasted, by the wall
 * clock. */
#ifndef HARNESS_WATTS_RECOVERIES_H
#define HARNESS_WATTS_RECOVERIES_H

#include "ft/ledger.h"

#include <jansson.h>

/* From the kill, or where its time is unknown from when the first role noticed it, until every role
 * has committed an iteration again or, if it went back, has reached the iteration in which the
 * failure found it. Seconds since the epoch; 0: unknown. */
struct recovery {
	int64_t epoch; /* the first one, if further failures interrupted the recovery */
	double begin, end;
};

/* failures: of the record. In order of time; the caller frees. NULL: there are none, or there is no
 * memory. */
struct recovery *recoveries_find(const json_t *failures, const struct ledger *ledger, size_t np,
				 size_t *count);

#endif
