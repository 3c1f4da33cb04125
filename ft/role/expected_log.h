/* ft/role/expected_log.h - what the log of a role will hold, from the pattern of its messages (private to ft/ and sim/).
 *
 * The messages are entered into the very policy and log that a run uses, without payloads and without MPI. */
#ifndef FT_ROLE_EXPECTED_LOG_H
#define FT_ROLE_EXPECTED_LOG_H

#include "ft/log/log.h"
#include "ft/log/policy.h"
#include "kernels/pattern.h"

struct expected_log {
	const struct pattern *pattern;
	struct policy policy;
	struct log log; /* without payloads; log_free() is the caller's */
};

/* The policy is copied; role and np are set in it. RB_OK or RB_ENOMEM. */
int expected_log_open(struct expected_log *e, const struct pattern *pattern, const struct policy *policy, int role);
/* Enter what is sent in an iteration; log_commit() is the caller's. RB_OK or RB_ENOMEM. */
int expected_log_enter(struct expected_log *e, int64_t iter);

/* What an interval of so many iterations adds, of which the first ones are entered: messages, and what their payloads
 * take of an arena, bytes. The log was empty. RB_OK or RB_ENOMEM. */
int expected_log_size(struct expected_log *e, int64_t iterations, int64_t *messages, int64_t *bytes);

#endif
