/* ft/recovery/closure.h - who rolls back: the closure over channels whose logs have holes.
 *
 * A recovery line is one iteration per role: the checkpoint that the role goes back to if it has
 * to. With coordinated checkpoints all are equal, but nothing here needs that. The closure starts
 * with the dead roles at their entries in the line. Whenever a role s is ahead of a role d, and
 * neither end still has a message s -> d of the iterations between the two, s rolls back to its
 * entry in the line, so that it computes that message again. s has what is in its log. d has what
 * the policy leaves to receivers, if it has gone through that iteration and has not died since:
 * then it reads its own copy. This is repeated until nothing changes. Survivors that lag behind
 * count as receivers as well, so the skew of one iteration between survivors
 * (message-logging-kernels paper, Sect. 4.1) needs no special case. The result depends on the
 * arguments only: every role computes it for itself, and all find the same.
 *
 * Repair, forecasts and everything else that asks who goes back call closure(). Time and memory
 * grow with the number of channels in use, not with np * np: 10^6 roles with 6 channels each take
 * 73 MB. */
#ifndef FT_RECOVERY_CLOSURE_H
#define FT_RECOVERY_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A channel in use: the newest iteration with a message source -> receiver that is not in the log
 * of the end that is to keep it. A channel can be listed more than once, with what each end
 * says. */
struct channel {
	int32_t source, receiver;
	int64_t hole;
	/* 1: the source keeps nothing, and the receiver has copies as struct channels says; 0:
	 * nobody else has them */
	int64_t by_receiver;
};

/* Channels by receiver. */
struct channels {
	int np;
	int64_t base;    /* iteration that ages count from */
	uint32_t *first; /* np + 1: where the channels of each receiver begin */
	int32_t *source; /* first[np] */
	/* of the hole: hole - base; never negative, since older holes have no effect */
	int32_t *age;
	bool *by_receiver; /* likewise; NULL: none is */
	/* np, not owned: role d has copies of the messages of iterations before copies[d] that are
	 * by_receiver. NULL: nobody has any. channels_build() sets it to NULL */
	const int64_t *copies;
};

/* Returns channel number i of ctx. It is called twice for each channel, so that channels can be
 * computed and need no list. */
typedef struct channel channel_at(const void *ctx, size_t i);
/* ctx: an array of struct channel. */
channel_at channel_in_list;

/* Sort `count` channels. base: no entry in the line is older; channels whose hole is before it are
 * left out. RB_OK; RB_ENOMEM; RB_EINVAL: an invalid role, a hole 2^31 iterations after the base,
 * 2^32 channels. */
int channels_build(struct channels *c, int np, int64_t base, size_t count, channel_at *at,
		   const void *ctx);
void channels_free(struct channels *c);

/* line[r]: where role r goes back to. ahead[r] and behind[r]: the iteration that r is in as a
 * sender and as a receiver; the same array in a repair, two bounds in a forecast. rolled[r]: in,
 * true for dead roles; out, true for the whole rollback set. *chain: length of the longest rollback
 * chain, 0 if only the dead roll back, 1 if other roles must follow them, 2 if more roles must
 * follow those, ... (memory-constrained-logging paper, Sect. V-B). A role that rolls back is
 * assumed to have what it sent before its entry in the line: in its checkpoint, or because no role
 * goes back further. RB_OK or RB_ENOMEM. */
int closure(const struct channels *c, const int64_t *line, const int64_t *ahead,
	    const int64_t *behind, bool *rolled, int *chain);

#endif
