/* forecast/time/decision.h - what a failure changes: who goes back, who computes on a duplicate,
 * which messages are at hand.
 *
 * The rules are those of a run: the policy and its log are asked message by message, and the
 * closure or the cone is that of ft/recovery. */
#ifndef FORECAST_TIME_DECISION_H
#define FORECAST_TIME_DECISION_H

#include "ft/recovery/cone.h"
#include "forecast/moment.h"
#include "forecast/time/model.h"

/* np each. */
struct situation {
	const bool *dead;
	const int64_t *line; /* the checkpoint that the role goes back to if it has to */
	/* iterations that the role has completed; of the dead, before it died */
	const int64_t *front;
	bool stop_all; /* the repair stops everybody, whatever the model says */
	/* a role still has copies of what it received before this iteration (ft/log/received.h), or
	 * before its front, if that is later; NULL: before its front */
	const int64_t *copies;
};

struct decision {
	int np;
	bool *back;    /* np: starts from its line; the dead are among them */
	bool *stopped; /* np: gives up its iteration */
	int64_t *from; /* np: the iteration in which the role itself goes on */
	/* np: where the duplicate of the role ends, which begins at its line; iter -1: it has
	 * none */
	struct place *end;
	/* reductions over all roles of the iterations before are not executed again */
	int64_t known;
	struct gap *gap; /* sorted: messages that are in no log */
	size_t gaps;
	bool dataflow, flat;
	const struct policy *policy; /* of the model */
	/* np, if receivers keep messages, else NULL: as situation.copies, when the repair is over.
	 * A role that repeats an iteration reads its own copies of what nobody sends again, and
	 * waits for none of it */
	int64_t *copies;
	/* np: of the cone (ft/recovery/cone.h); without data-flow rollback all are 0 */
	int32_t *distance;
};

/* Arrays of zeros. RB_OK; RB_ENOMEM: nothing is left to be freed. */
int decision_init(struct decision *d, const struct model *m);

/* RB_OK; RB_ENOMEM; RB_EINVAL: the pattern does not fit together. decision_free() after RB_OK. */
int decide(struct decision *d, const struct model *m, const struct situation *s,
	   struct rb_error *err);
/* As decide(), but these survivors (np) have also made all sends of the iteration that the repair
 * breaks off. With a policy that switches channels off for lack of room this makes a difference:
 * what is off stays off. switched[role] becomes true for those of them that have switched something
 * off in it. */
int decide_open(struct decision *d, const struct model *m, const struct situation *s,
		const bool *open, bool *switched, struct rb_error *err);
void decision_free(struct decision *d);

/* The last iteration in which the duplicate of a role, which begins at `line`, does anything; -1:
 * there is none, or it does nothing. */
int64_t decision_last_of_copy(const struct decision *d, int role, int64_t line);

/* How role `to` comes by a message that role `from` has sent in an iteration before
 * decision.from[from]. duplicate: it is for the duplicate of `to`. place: of the send
 * (ft/log/place.h). */
enum source {
	/* the first send counts, or it is sent again from a log when the repair is over */
	SOURCE_SENT,
	SOURCE_DUPLICATE, /* the duplicate of `from` sends it */
	/* it never comes, and nobody waits for it: flat, or the receiver has a copy */
	SOURCE_NONE,
};
enum source decision_source(const struct decision *d, int from, int to, bool duplicate,
			    int64_t iter, int32_t place);
/* As decision_source(), whose caller has found the message's gap, or that there is none. */
enum source decision_source_at(const struct decision *d, const struct gap *gap, int from, int to,
			       bool duplicate, int64_t iter, int32_t place);

#endif
