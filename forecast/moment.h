/* forecast/moment.h - the fronts and the logs of all roles at one moment (private to forecast/). */
#ifndef FORECAST_MOMENT_H
#define FORECAST_MOMENT_H

#include "ft/recovery/closure.h"
#include "ft/recovery/gaps.h"
#include "ft/role/expected_log.h"

/* A sender that has something in its log for a receiver. */
struct holder {
	int32_t sender, receiver;
	struct place newest; /* of such a message */
};

/* A sender that has kept its last iteration for a receiver that keeps messages (ft/log/kept.h). */
struct keeper {
	int32_t sender, receiver;
	int64_t iter;
};

struct moment {
	int64_t *front; /* np */
	/* np, not owned: a role has copies of what it received before this iteration, if it lives;
	 * NULL: before its front */
	const int64_t *copies;
	struct channel *channel; /* the holes, by the role that says so */
	struct keeper *keeper;
	struct holder *holder; /* what a replay could send, by sender */
	/* what is in no log, by sender; only what moment_add_gaps() was called for */
	struct gap *gap;
	size_t channels, keepers, holders, gaps, channel_room, keeper_room, holder_room, gap_room;
	size_t *listed; /* np, by receiver: the holder that was listed last */
};

int moment_init(struct moment *m, int np); /* RB_OK or RB_ENOMEM; moment_free() in any case */
void moment_free(struct moment *m);

/* A role with these logs is in iteration `front`. What it sends in this iteration is not complete,
 * so it is not replayed. The roles come in any order, each once. RB_OK or RB_ENOMEM. */
int moment_add(struct moment *m, const struct expected_log *e, int64_t front);
/* What this role lacks in its log since the checkpoint. keeps: what the policy did not log of its
 * last iteration is kept (ft/log/kept.h). RB_OK, RB_ENOMEM or what the pattern returned. */
int moment_add_gaps(struct moment *m, const struct expected_log *e, int64_t checkpoint,
		    int64_t front, bool keeps);

/* The closure with senders at one moment and receivers at another; rolled and chain as in
 * closure(). rolled: in, the roles that have lost their logs. line: np, nowhere before `base`.
 * RB_OK or RB_ENOMEM. */
int moment_close(const struct moment *senders, const struct moment *receivers, int np, int64_t base,
		 const int64_t *line, bool *rolled, int *chain);

#endif
