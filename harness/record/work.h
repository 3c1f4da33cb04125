/* harness/record/work.h - what a role worked in an iteration, as quantiles. */
#ifndef HARNESS_RECORD_WORK_H
#define HARNESS_RECORD_WORK_H

#include "ft/ledger.h"

#include <jansson.h>

enum { WORK_QUANTILES = 17 };

/* Seconds at the probabilities 0, 1/16, ..., 1; between two measured values by linear
 * interpolation. null: nothing was timed. New reference. */
json_t *work_json(const struct ledger_work *w);

#endif
