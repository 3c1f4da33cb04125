/* ft/msg/replay.h - re-sending from the log what others lack (private to ft/). */
#ifndef FT_MSG_REPLAY_H
#define FT_MSG_REPLAY_H

#include "ft/msg/ports.h"

struct replay {
	struct requests requests;
	int64_t messages, bytes; /* to rolled-back roles, by the last replay_begin() */
	bool kept;               /* messages were sent that the log does not have (ft/log/kept.h) */
};

struct replay_case {
	const struct ports *ports; /* its log, and what others lack */
	int64_t my_front;
	/* a duplicate of this role sends what is before it; iter -1: there is none */
	struct place end;
	/* a negative control: the last of the largest messages has the payload of an earlier one of
	 * the same size to the same role, so what that role computes must be wrong */
	bool stale;
	const bool *rolled; /* np: who rolled back (ft/recovery/recovery.h) */
	/* called once half of the messages are posted, if there are two */
	void (*half)(void *ctx);
	void *ctx;
};

/* Send again, without waiting, what others lack of the iterations before this role's front. RB_OK
 * or the link's status. */
int replay_begin(struct replay *y, struct link *link, const struct replay_case *x);

/* At the last test, no request referred to the log any more. */
static inline bool replay_over(const struct replay *y)
{
	return y->requests.count == 0;
}

#endif
