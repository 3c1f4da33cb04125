/* harness/record/record_timeline.h - what the processes of a run did, and when, from their files
 * (harness/machine/timeline.h), as a part of a record (docs/record.md). */
#ifndef HARNESS_RECORD_RECORD_TIMELINE_H
#define HARNESS_RECORD_RECORD_TIMELINE_H

#include "ft/ledger.h"
#include "harness/options/spec.h"

#include <jansson.h>

/* New reference; NULL if out of memory. ledger: np, as read; events: of the run; dir: its folder.
 */
json_t *record_timeline(const struct run_spec *spec, const json_t *events, const char *dir,
			const struct ledger *ledger);

#endif
