/* ft/role/expected_log.h - what the logs of a role will hold, from its pattern (private to ft/ and
 * forecast/).
 *
 * The messages are entered into the same policy and log as in a run, without payloads and without
 * MPI. */
#ifndef FT_ROLE_EXPECTED_LOG_H
#define FT_ROLE_EXPECTED_LOG_H

#include "ft/log/log.h"
#include "ft/log/policy.h"
#include "ft/log/schedule.h"
#include "contract/pattern.h"

struct expected_log {
	const struct pattern *pattern;
	struct policy policy;
	struct log log; /* of what it sends, without payloads */
	/* of what it receives and is to keep (ft/log/received.h); only if policy.by_receivers */
	struct log received;
	struct expected_receive {
		int32_t source, tag; /* source -1: a wait */
	} *receive;                  /* of the current iteration */
	size_t receives, receive_room;
	struct expected_arrival {
		int32_t source, tag;
		size_t bytes;
		bool taken;
	} *arrival; /* what is sent to the role in it */
	size_t arrivals, arrival_room;
	int32_t source;    /* whose sends are looked at */
	int64_t both_peak; /* most bytes of payload in both logs */
	bool dataflow;     /* messages of reductions over all roles are not logged */
	int32_t number;    /* of the next operation of this iteration (ft/log/place.h) */
};

/* The policy is copied; role and np are set in it. RB_OK or RB_ENOMEM. */
int expected_log_open(struct expected_log *e, const struct pattern *pattern,
		      const struct policy *policy, bool dataflow, int role);
void expected_log_free(struct expected_log *e);
/* Enter what is sent and received in an iteration. RB_OK, RB_ENOMEM, or RB_EINVAL: a message is
 * received that nobody sends. */
int expected_log_enter(struct expected_log *e, int64_t iter);
/* log_commit(), log_mark() and log_restart() of both logs. */
void expected_log_commit(struct expected_log *e);
void expected_log_mark(struct expected_log *e, int64_t c);
void expected_log_restart(struct expected_log *e, int64_t c);
/* The logs as checkpoint c of a run without failures leaves them, if each checkpoint before it
 * counted at once. Only a policy that keeps the status of channels needs to know of the iterations
 * before c, which are then entered; c must be due, or the initial state. RB_OK or as
 * expected_log_enter(). */
int expected_log_resume(struct expected_log *e, struct schedule s, int64_t c);
/* Bytes of payload that the iteration under way has added to both. */
int64_t expected_log_fresh(const struct expected_log *e);
/* Channels switched off so far, and the most bytes of payload, of both. */
int64_t expected_log_drops(const struct expected_log *e);
int64_t expected_log_peak(const struct expected_log *e);

/* The messages of an interval of so many iterations, and the bytes that their payloads take in an
 * arena. */
struct expected_size {
	int64_t messages, bytes;
};
/* For both logs. Only the first iterations are entered. The logs must be empty. RB_OK or as
 * expected_log_enter(). */
int expected_log_size(struct expected_log *e, int64_t iterations, struct expected_size *sent,
		      struct expected_size *received);

#endif
