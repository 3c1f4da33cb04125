/* harness/record/failures.h - the deaths, the rollback sets and what they cost, from the
 * ledgers. */
#ifndef HARNESS_RECORD_FAILURES_H
#define HARNESS_RECORD_FAILURES_H

#include "ft/ledger.h"
#include "harness/options/spec.h"

#include <jansson.h>

/* New references. ledger: np of them, by role (magic 0 where a role left none). The first function
 * returns NULL if there is no memory. */
json_t *failures_json(const struct run_spec *spec, const char *dir, const struct ledger *ledger);
json_t *unfired_json(const struct run_spec *spec, const char *dir);

#endif
