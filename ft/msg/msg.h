/* ft/msg/msg.h - how a kernel exchanges messages between roles.
 *
 * This is all a kernel sees of the fault-tolerance layer. Every function that can fail
 * returns RB_OK, or RB_LOST when the communicator is lost, or RB_ENOMEM or RB_ELENGTH (a message
 * longer than INT_MAX bytes), which end the run, or RB_STOPPED in a duplicate that has done its part;
 * the kernel then returns the same from step() or verify() at once and leaves its committed state untouched.
 *
 * A send is two calls, so that the kernel packs straight into the log and the message
 * leaves from there without a second copy:
 *
 *	double *out = msg_reserve(m, dst, tag, n * sizeof *out);
 *	... pack n doubles ...
 *	RB_TRY(msg_push(m));
 *
 * Sends are non-blocking and complete before the iteration commits; the slot must not be
 * changed after msg_push(). Receives are posted and completed together:
 *
 *	msg_post(m, src, tag, buf, bytes);   (any number)
 *	RB_TRY(msg_wait(m));                 (all posted receives have arrived)
 *
 * Order per (source, tag) is kept. A role never sends to itself. A message may be shorter than its receive: then the
 * rest of the buffer stays as it was, and the kernel must see from the data where the message ends.
 * Every message of an iteration must be a deterministic function of the committed state
 * (message-logging-kernels paper, Sect. 3.3: no event log is then needed). */
#ifndef FT_MSG_MSG_H
#define FT_MSG_MSG_H

#include "base/status.h"

#include <stddef.h>

enum {
	MSG_TAG_MAX = 999,   /* kernels use tags 0 .. MSG_TAG_MAX */
	MSG_POST_MAX = 64,   /* receives that may be outstanding at once */
};

struct msg;

int msg_role(const struct msg *m);
int msg_np(const struct msg *m);

/* A slot of `bytes` bytes (aligned to 64, or to 8 if it is smaller than that) for the next message to role
 * `dst`. Never NULL: if memory is exhausted, it is scratch memory, and the following msg_push() fails. */
void *msg_reserve(struct msg *m, int dst, int tag, size_t bytes);
int msg_push(struct msg *m);

void msg_post(struct msg *m, int src, int tag, void *buf, size_t bytes);
int msg_wait(struct msg *m);

/* Tell that so many bytes were copied from this role to itself where the algorithm sends a message between other roles.
 * It does nothing in a run; profiles can count it as a message (kernels/pattern.h). */
void msg_copied(struct msg *m, size_t bytes);

/* Element-wise sum of n doubles over the `count` roles `group[0..count-1]` (the caller's own
 * role is group[me]; all members pass the same group). Recursive doubling on logged messages;
 * the order of additions is fixed, so every member gets the same bits every time. Uses `tag`
 * and `tag + 1`. `scratch` holds n doubles. Any count; powers of two need no extra round. */
int msg_sum(struct msg *m, const int *group, int count, int me, int tag, double *v, size_t n,
	    double *scratch);

/* The same over all roles, and the maximum. n <= 16. Every role gets the same bits, so the results of these and the next
 * two functions can be recorded and need no messages when an iteration is repeated (ft/log/results.h). So no receive may
 * be posted before them that a wait after them completes. */
int msg_sum_all(struct msg *m, int tag, double *v, size_t n);
int msg_max_all(struct msg *m, int tag, double *v, size_t n);

/* Sum and maximum over all roles, which form a grid of `axes` axes, length[a] roles along axis a, the last
 * one running fastest. Each line folds towards its middle and back, so a role talks to its neighbours in the
 * grid only, and few roles have to replay to a restarted one (power-log-n-roll paper, Sect. 6.3). It takes as
 * many rounds as the sum of length[a] - 1. n <= 16. */
int msg_sum_grid(struct msg *m, const int *length, int axes, int tag, double *v, size_t n);
int msg_max_grid(struct msg *m, const int *length, int axes, int tag, double *v, size_t n);

#endif
