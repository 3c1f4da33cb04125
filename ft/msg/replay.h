/* ft/msg/replay.h - re-sending from the log what others lack (private to ft/). */
#ifndef FT_MSG_REPLAY_H
#define FT_MSG_REPLAY_H

#include "ft/msg/link.h"
#include "ft/log/log.h"

struct replay {
	struct requests requests;
	int64_t messages, bytes; /* to rolled-back roles, by the last replay_begin() */
};

/* Re-send from the log, without waiting, what the roles behind this one lack: to role d its messages of the
 * iterations from front[d] to my_front. front, rolled: np, where each role resumes and who rolled back
 * (ft/recovery/repair.h). half: called once half of them are posted, if there are two. RB_OK or the link's
 * status. */
int replay_begin(struct replay *y, struct link *link, const struct log *log, const int64_t *front,
		 int64_t my_front, const bool *rolled, void (*half)(void *ctx), void *ctx);

/* At the last test, no request referred to the log any more. */
static inline bool replay_over(const struct replay *y)
{
	return y->requests.count == 0;
}

#endif
