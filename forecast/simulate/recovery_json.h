/* forecast/simulate/recovery_json.h - a simulated recovery as JSON, with the keys of failures[] in
 * the record of a run. */
#ifndef FORECAST_SIMULATE_RECOVERY_JSON_H
#define FORECAST_SIMULATE_RECOVERY_JSON_H

#include "forecast/time/decision.h"

#include <jansson.h>

/* {"died", "fronts", "line", "rollback_set"}, and with data-flow rollback {"supporting", "sending",
 * "distance", "supported"}: lists of roles or by role. New reference; NULL: out of memory. */
json_t *recovery_json(const struct situation *s, const struct decision *d);
/* Have each repair of this model append itself to the list, which must be there as long. */
void recovery_watch(struct model *m, json_t *list);

#endif
