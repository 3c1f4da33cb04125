/* harness/record/failures.h - the deaths, the rollback sets and what they cost, from the
 * ledgers and the kills among the events. */
#ifndef HARNESS_RECORD_FAILURES_H
#define HARNESS_RECORD_FAILURES_H

#include "ft/ledger.h"
#include "harness/options/spec.h"

#include <jansson.h>

/* New reference; NULL if there is no memory. ledger: np of them, by role (magic 0 where a role left
 * none); events: of the run. */
json_t *failures_json(const struct run_spec *spec, const json_t *events,
		      const struct ledger *ledger);

#endif
