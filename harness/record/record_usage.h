/* harness/record/record_usage.h - what the roles used, from their files, as parts of a record
 * (docs/record.md). */
#ifndef HARNESS_RECORD_RECORD_USAGE_H
#define HARNESS_RECORD_RECORD_USAGE_H

#include "ft/ledger.h"
#include "harness/options/spec.h"

#include <jansson.h>

/* Add "meters", "energy", and "used" to each entry of `roles`, and also "trace" if the iterations
 * were metered. ledger: np, as read; dir: the run folder. */
void record_usage(json_t *record, json_t *roles, const struct run_spec *spec, const char *dir,
		  const struct ledger *ledger);

#endif
