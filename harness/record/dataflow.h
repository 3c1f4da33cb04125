/* harness/record/dataflow.h - the part of data-flow rollback in a record. */
#ifndef HARNESS_RECORD_DATAFLOW_H
#define HARNESS_RECORD_DATAFLOW_H

#include "ft/ledger.h"

#include <jansson.h>
#include <stdint.h>

/* Add to a failure how its recovery was done. Of a recovery that fell back to rollback there is
 * only "recompute". ledger: np, of all roles. */
void dataflow_failure(json_t *failure, const struct ledger *ledger, int np, int64_t epoch);
/* New reference: bytes that data-flow rollback needs without a failure, the most of any role. */
json_t *dataflow_memory(const struct ledger *ledger, int np);

#endif
