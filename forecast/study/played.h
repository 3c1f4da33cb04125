/* forecast/study/played.h - which channels lack a message at the end of an interval under a policy
 * of the engine.
 *
 * The messages of an interval are entered into the policy and the log of a run one by one
 * (ft/role/expected_log.h), in the order in which the roles send them. An exchange matrix does not
 * have this order, so this needs a pattern. The channels are those of a run whose interval is
 * complete and whose next checkpoint does not count yet. */
#ifndef FORECAST_STUDY_PLAYED_H
#define FORECAST_STUDY_PLAYED_H

#include "ft/log/policy.h"
#include "contract/pattern.h"
#include "forecast/study/exchange.h"

struct played {
	const struct pattern *pattern; /* without what a role copies to itself */
	const struct policy *policy;   /* role and np are filled in for each role */
	/* the interval: iterations from to to - 1; also played before it, by a policy that keeps
	 * the status of channels */
	int64_t from, to;
};

/* e: the matrix of the same iterations. off[e->count]: of which channels a message is in no log.
 * lost[e->count], with by_receivers: of which channels a message is lost with its receiver. *log:
 * the most bytes in any log at any moment. RB_OK, RB_ENOMEM, or what the pattern returned. */
int played_channels(const struct played *p, const struct exchange *e, bool *off, bool *lost,
		    int64_t *log);

#endif
