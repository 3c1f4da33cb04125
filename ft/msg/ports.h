/* ft/msg/ports.h - the ports of a role, one on the other (private to ft/).
 *
 *      timed, upper    in iterations that are sampled
 *      results         with data-flow rollback
 *      logging         always
 *      keeping         with data-flow rollback
 *      receiver        if the policy leaves messages to their receivers
 *      timed, lower    in iterations that are sampled
 *      plain           always
 *
 * Each has one behaviour and its own data. What has to happen in all of them at once, and in which
 * order, is here. */
#ifndef FT_MSG_PORTS_H
#define FT_MSG_PORTS_H

#include "ft/msg/keeping_port.h"
#include "ft/msg/logging_port.h"
#include "ft/msg/plain_port.h"
#include "ft/msg/receiver_port.h"
#include "ft/msg/results_port.h"
#include "ft/msg/timed_port.h"

struct ports {
	struct msg *top; /* the kernel's, of the iteration under way */
	struct cursor cursor;
	struct demand demand;    /* of this epoch; all zero but for `front` unless it says more */
	struct plain_port plain; /* alone: the port of an iteration without protection */
	struct logging_port logging;
	struct receiver_port *receiver; /* NULL: not in this stack, likewise below */
	struct keeping_port *keeping;
	struct results_port *results;
	struct timed_port timed;
	bool is_timed;
};

/* link: the caller's; it outlives the ports. They stay where they are, since they point at each
 * other. policy is copied; its role and np are set here. RB_OK or RB_ENOMEM; ports_free() in both
 * cases. */
int ports_init(struct ports *p, struct link *link, const struct policy *policy, bool dataflow);
void ports_free(struct ports *p);

/* Iteration iter begins; timed: its messages are timed. Sets `top`. */
void ports_begin(struct ports *p, int64_t iter, bool timed);
/* All sends of the iteration have left. RB_OK or the link's status. */
int ports_flush(struct ports *p);
/* `replaying`: a replay may still read the log, so nothing moves there. RB_OK or RB_ENOMEM. */
int ports_commit(struct ports *p, bool replaying);
/* After the communicator was revoked: no request and no half iteration is left. */
void ports_abort(struct ports *p);

/* Checkpoint c counts: forget what was sent before it (log_trim()). RB_OK or RB_ENOMEM. */
int ports_trim(struct ports *p, int64_t c);
/* Checkpoint c is taken, but does not count yet (log_mark()). */
void ports_mark(struct ports *p, int64_t c);
/* Everything since checkpoint c is forgotten (log_restart()). */
void ports_restart(struct ports *p, int64_t c);
/* The role rolls back to checkpoint c: its sends since then are forgotten. Copies of what it
 * received stay. RB_OK or RB_ENOMEM. */
int ports_roll_back(struct ports *p, int64_t c);

/* What was sent in the last iterations and is not in the log (ft/log/kept.h); NULL: nothing is
 * kept. */
static inline const struct kept *ports_kept(const struct ports *p)
{
	return p->keeping ? &p->keeping->kept : p->receiver ? &p->receiver->kept : NULL;
}
/* The log of what was received; NULL: there is none. */
static inline struct log *ports_received(const struct ports *p)
{
	return p->receiver ? &p->receiver->received.log : NULL;
}
/* The log in which a policy with a cap switches channels off. */
static inline const struct log *ports_capped(const struct ports *p)
{
	return p->receiver ? ports_received(p) : &p->logging.log;
}
/* Bytes of payload in both logs at most, and committed so far. */
int64_t ports_bytes_peak(const struct ports *p);
int64_t ports_bytes_total(const struct ports *p);

/* The payload of that send in the log or among what is kept; NULL: it is in neither. Only with
 * data-flow rollback. */
void *ports_stored(const struct ports *p, struct place place);

#endif
