/* ft/msg/logging_port.h - messages through the logs of senders and receivers to MPI (private to
 * ft/).
 *
 * Send suppression and replay follow the send wrapper of the message-logging-kernels paper (Alg.
 * 3), but generically: front[d] is the iteration role d resumes with, so a message of an earlier
 * iteration is logged and not sent, and replay_begin() (ft/msg/replay.h) re-sends from the log what
 * role d still lacks. Kernels do not notice it. */
#ifndef FT_MSG_LOGGING_PORT_H
#define FT_MSG_LOGGING_PORT_H

#include "ft/log/kept.h"
#include "ft/log/log.h"
#include "ft/log/results.h"
#include "ft/msg/inbox.h"
#include "ft/msg/plain_port.h"
#include "ft/log/policy.h"

/* Called at every message operation, where a failure may be injected; `sending`: before a send
 * leaves, else before a wait. p->ops and p->pushes say which one it is. */
typedef void logging_probe(void *ctx, bool sending);

/* What data-flow rollback needs in addition (ft/recovery/cone.h). */
struct logging_flow {
	struct kept kept; /* what the policy does not log */
	struct results results;
	const struct place *needed; /* sends that duplicates of others receive, sorted; not owned */
	size_t needs;
	/* iterations before it are complete on a survivor: their results are known */
	int64_t newest;
	bool in_reduction;
};

/* Seconds that messages took in this process so far, by phase, and the clock readings needed for
 * that. */
struct port_times {
	double log, pack, communicate;
	int64_t readings;
};

struct logging_port {
	struct plain_port plain; /* what is not logged lies in its scratch */
	struct policy policy;
	struct log log;
	const int64_t *front; /* np: where each role resumed in this epoch */
	/* np: when it began, a role had copies of what it had received in iterations before this
	 * one; only with an inbox */
	const int64_t *copies;
	int64_t iter;
	int pushes, ops; /* sends, and sends and waits, of the current iteration so far */
	/* the same as ops, without reductions over all roles (ft/log/place.h) */
	int32_t number;
	struct logging_flow *flow; /* NULL: roles that lack a log roll back */
	struct inbox *inbox;       /* NULL: the policy leaves nothing to receivers */
	/* what the sender's log lacks of the last iterations: with data-flow rollback, or for
	 * receivers that keep messages and lag behind; else NULL */
	struct kept *kept;
	logging_probe *probe; /* NULL: none */
	void *probe_ctx;
	struct port_times spent; /* in the iterations that are timed */
	double taken;            /* when the message to be pushed got its memory */
};

/* link: the caller's; it outlives the port. policy is copied; its role and np are set here.
 * dataflow: with what data-flow rollback needs. RB_OK or RB_ENOMEM. */
int logging_init(struct logging_port *p, struct link *link, const struct policy *policy,
		 bool dataflow);
void logging_free(struct logging_port *p);

/* Iteration iter begins; timed: its messages are timed. */
void logging_begin(struct logging_port *p, int64_t iter, bool timed);
/* A wait follows that is not the kernel's: it counts as an operation, and the probe is called. */
void logging_wait_ahead(struct logging_port *p);
/* All sends of the iteration have left. RB_OK or the link's status. */
int logging_flush(struct logging_port *p);
/* `replaying`: a replay may still read the log, so nothing moves there. RB_OK or RB_ENOMEM. */
int logging_commit(struct logging_port *p, bool replaying);
/* After the communicator was revoked: no request and no half iteration is left. */
void logging_abort(struct logging_port *p);

/* Checkpoint c counts: forget what was sent before it (log_trim()). RB_OK or RB_ENOMEM. */
int logging_trim(struct logging_port *p, int64_t c);
/* Checkpoint c is taken, but does not count yet (log_mark()). */
void logging_mark(struct logging_port *p, int64_t c);
/* Everything since checkpoint c is forgotten (log_restart()). */
void logging_restart(struct logging_port *p, int64_t c);
/* The role rolls back to checkpoint c: its sends since then are forgotten. Copies of what it
 * received stay. RB_OK or RB_ENOMEM. */
int logging_roll_back(struct logging_port *p, int64_t c);
/* The log in which a policy with a cap switches channels off. */
static inline const struct log *logging_capped(const struct logging_port *p)
{
	return p->inbox ? &p->inbox->received.log : &p->log;
}
/* Bytes of payload in both logs at most, and committed so far. */
int64_t logging_bytes_peak(const struct logging_port *p);
int64_t logging_bytes_total(const struct logging_port *p);

/* The payload of that send in the log or among what is kept; NULL: it is in neither. Only with
 * data-flow rollback. */
void *logging_stored(const struct logging_port *p, struct place place);
/* Does a duplicate of its receiver need the send of that place? */
bool logging_is_needed(const struct logging_port *p, struct place place);

#endif
