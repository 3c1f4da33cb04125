/* ft/role/expected_log.h - what the log of a role will hold, from its pattern (private to ft/ and sim/).
 *
 * The messages are entered into the same policy and log as in a run, without payloads and without MPI. */
#ifndef FT_ROLE_EXPECTED_LOG_H
#define FT_ROLE_EXPECTED_LOG_H

#include "ft/log/log.h"
#include "ft/log/policy.h"
#include "kernels/pattern.h"

struct expected_log {
	const struct pattern *pattern;
	struct policy policy;
	struct log log; /* without payloads; the caller calls log_free() */
	bool dataflow;  /* messages of reductions over all roles are not logged */
	int32_t number; /* of the next operation of this iteration (ft/log/place.h) */
};

/* The policy is copied; role and np are set in it. RB_OK or RB_ENOMEM. */
int expected_log_open(struct expected_log *e, const struct pattern *pattern, const struct policy *policy, bool dataflow,
		      int role);
/* Enter what is sent in an iteration; the caller calls log_commit(). RB_OK or RB_ENOMEM. */
int expected_log_enter(struct expected_log *e, int64_t iter);

/* The messages of an interval of so many iterations, and the bytes that their payloads take in an arena. Only
 * the first iterations are entered. The log must be empty. RB_OK or RB_ENOMEM. */
int expected_log_size(struct expected_log *e, int64_t iterations, int64_t *messages, int64_t *bytes);

#endif
