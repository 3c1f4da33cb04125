/* contract/msg.h - how a kernel exchanges messages between roles.
 *
 * This is all a kernel sees of the fault-tolerance layer. Every function that can fail
 * returns RB_OK, or RB_LOST when the communicator is lost, or RB_ENOMEM or RB_ELENGTH (a message
 * longer than INT_MAX bytes), which end the run, or RB_STOPPED in a duplicate that has done its
 * part; the kernel then returns the same from step() or verify() at once and leaves its committed
 * state untouched.
 *
 * A send is two calls, so that the kernel packs straight into the log and the message
 * leaves from there without a second copy:
 *
 *      double *out = msg_reserve(m, dst, tag, n * sizeof *out);
 *      ... pack n doubles ...
 *      RB_TRY(msg_push(m));
 *
 * Sends are non-blocking and complete before the iteration commits; the slot must not be
 * changed after msg_push(). Receives are posted and completed together:
 *
 *      msg_post(m, src, tag, buf, bytes);   (any number)
 *      RB_TRY(msg_wait(m));                 (all posted receives have arrived)
 *
 * Order per (source, tag) is kept. A role never sends to itself. A message may be shorter than its
 * receive: then the rest of the buffer stays as it was, and the kernel must see from the data where
 * the message ends. Every message of an iteration must be a deterministic function of the committed
 * state (message-logging-kernels paper, Sect. 3.3: no event log is then needed). */
#ifndef CONTRACT_MSG_H
#define CONTRACT_MSG_H

#include "base/status.h"

#include <stddef.h>

enum {
	MSG_TAG_MAX = 999, /* kernels use tags 0 .. MSG_TAG_MAX */
	MSG_POST_MAX = 64, /* receives that may be outstanding at once */
};

struct msg;

int msg_role(const struct msg *m);
int msg_np(const struct msg *m);

/* A slot of `bytes` bytes (aligned to 64, or to 8 if it is smaller than that) for the next message
 * to role `dst`. Never NULL: if memory is exhausted, it is scratch memory, and the following
 * msg_push() fails. */
void *msg_reserve(struct msg *m, int dst, int tag, size_t bytes);
int msg_push(struct msg *m);

void msg_post(struct msg *m, int src, int tag, void *buf, size_t bytes);
int msg_wait(struct msg *m);

/* Tell that so many bytes were copied from this role to itself where the algorithm sends a message
 * between other roles. It does nothing in a run; profiles can count it as a message
 * (contract/pattern.h). */
void msg_copied(struct msg *m, size_t bytes);

/* The parts of an iteration, in words (message-logging-kernels paper, Fig. 2): work of the role
 * itself, an exchange of messages with others, and the commit with what follows it. */
enum msg_part { MSG_WORK, MSG_EXCHANGE, MSG_COMMIT };

/* Tell from pattern(), or where it and step() both pass, which part of the iteration comes next.
 * `name` must last. It does nothing in a run; contract/pattern.h can report it. */
void msg_part(struct msg *m, enum msg_part part, const char *name);

/* Who sends to whom in a reduction (power-log-n-roll paper, Sect. 6.3). The roles that a role
 * receives from have to replay to it if it is restarted. With P roles of the reduction:
 *
 *      kind       a role receives from                                 messages    rounds
 *      doubling   log2 P partners; others than powers of two: 1 more   P log2 P    log2 P
 *      binomial   its parent and children in a tree; role 0: log2 P    2 (P - 1)   2 log2 P
 *      ring       the role before                                      2 (P - 1)   2 (P - 1)
 *      central    role 0, and role 0 from all others                   2 (P - 1)   2 (P - 1)
 *      grid       its neighbours in the grid                           about 2 P   sum of
 *                 length[a] - 1
 *
 * grid: only for reductions over all roles, which form a grid of `axes` axes, length[a] roles along
 * axis a, the last one running fastest. Each line folds towards its middle and back. */
enum msg_shape_kind { MSG_DOUBLING, MSG_BINOMIAL, MSG_RING, MSG_CENTRAL, MSG_GRID };

enum { MSG_AXES = 3 };

struct msg_shape {
	enum msg_shape_kind kind;
	int axes, length[MSG_AXES]; /* of MSG_GRID */
};

/* `count` roles, the same on all of them, and the caller's place. role NULL: the roles 0, ...,
 * count - 1. */
struct msg_group {
	const int *role;
	int count, me;
};

/* Element-wise sum of n doubles over the roles of a group. Uses `tag` and `tag + 1`. The order of
 * additions is fixed by the shape, so every member gets the same bits every time. `scratch` holds n
 * doubles. Any count. */
int msg_sum(struct msg *m, const struct msg_shape *shape, const struct msg_group *group, int tag,
	    double *v, size_t n, double *scratch);

/* Sum and maximum over all roles, by recursive doubling or in a shape. n <= 16. Sums of different
 * shapes may differ in their last bits, maxima do not. Every role gets the same bits, so the
 * results of these four functions can be recorded and need no messages when an iteration is
 * repeated (ft/log/results.h). So no receive may be posted before them that a wait after them
 * completes. */
int msg_sum_all(struct msg *m, int tag, double *v, size_t n);
int msg_max_all(struct msg *m, int tag, double *v, size_t n);
int msg_sum_shape(struct msg *m, const struct msg_shape *shape, int tag, double *v, size_t n);
int msg_max_shape(struct msg *m, const struct msg_shape *shape, int tag, double *v, size_t n);

#endif
