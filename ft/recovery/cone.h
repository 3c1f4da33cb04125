/* ft/recovery/cone.h - data-flow rollback: which roles recompute which iterations on duplicates, so
 * that all others keep their state (data-flow-rollback paper, Sect. 2 and Alg. 1).
 *
 * A restarted role needs messages that nobody has any more. A role that sent one computes it again,
 * on a duplicate of its state that starts from its entry in the recovery line and ends right behind
 * the send; for that it may need messages that its own neighbours have to compute again, one
 * iteration earlier, and so on. What must be computed is the backward cone of the lost messages
 * along the messages that are in no log. It follows from the pattern (contract/pattern.h) and not
 * from geometry: a message is needed if its receive is completed by a wait that is executed, and
 * the wait is executed if it stands before a send that is needed. Reductions whose results are
 * recorded (ft/log/results.h) are no edges.
 *
 * In the variant of the paper's Alg. 1 (flat) each role of the cone repeats all iterations that it
 * has gone through since the line, and not only its part of the cone. For what it does behind its
 * part it may lack messages: those that no log has and whose senders are not in the cone. It goes
 * on without them, with the old contents of its buffers. So what a duplicate computes behind its
 * part can be wrong, and nobody uses it but other duplicates behind their parts.
 *
 * Places count the sends and waits of an iteration in program order from 0, without those of
 * reductions over all roles. The result depends on the arguments only: every role computes it for
 * itself, and all find the same. */
#ifndef FT_RECOVERY_CONE_H
#define FT_RECOVERY_CONE_H

#include "ft/log/place.h"
#include "contract/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The messages source -> receiver of iterations from, ..., to - 1 are not in the log of the source.
 * kept: the source has kept them (ft/log/kept.h) for survivors that lag behind. */
struct gap {
	int32_t source, receiver;
	int64_t from, to;
	int64_t kept; /* 0 or 1 */
};

struct cone_case {
	const struct pattern *pattern;
	const int64_t *line; /* np: the recovery line */
	/* np: the iteration in which the role resumes; of a restarted role its entry in the line */
	const int64_t *front;
	const bool *restarted; /* np */
	struct gap *gap;       /* of all roles that were not restarted; cone_find() sorts them */
	size_t gaps;
	int me;    /* whose sends are listed; -1: nobody's */
	bool flat; /* roles of the cone repeat everything */
};

struct cone {
	int np;
	int64_t newest; /* the front of the role that is furthest */
	/* np: where the role's part of the cone ends: in iteration `iter`, before the operation
	 * `number`. iter -1: the role is not in the cone and has no duplicate. */
	struct place *part;
	/* np: where its duplicate ends: there, or with `flat` at the role's front */
	struct place *end;
	/* np: 0: restarted; -1: takes no part; else the length of the shortest chain of recomputed
	 * messages from the role to a restarted one, or to a survivor that lags behind */
	int32_t *distance;
	/* sends of role `me` that duplicates of others receive, in their order */
	struct place *needed;
	size_t needs;
	/* what the duplicate of role `me` goes on without, sorted; only with `flat` */
	struct absence *absent;
	size_t absences;
};

/* RB_OK, RB_ENOMEM, what the pattern returned, or RB_EINVAL: a message is needed that was sent
 * before its sender's entry in the line, or that its sender does not send according to the pattern;
 * or an iteration has more than PLACE_MAX sends and waits. */
int cone_find(struct cone *c, const struct cone_case *x);
void cone_free(struct cone *c);

/* The gap in the log of the source with the message source -> receiver of that iteration; NULL: it
 * is in the log. The list is one that cone_find() has sorted; gaps of a channel do not overlap. */
const struct gap *gap_find(const struct gap *gap, size_t gaps, int source, int receiver,
			   int64_t iter);

/* Iterations that a role commits on its duplicate. */
int64_t cone_supported(const struct cone *c, const int64_t *line, int role);

#endif
