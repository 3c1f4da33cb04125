/* ft/msg/inbox.h - receives whose messages the receiver keeps, and reads again when it repeats
 * iterations (private to ft/).
 *
 * A message that the receiver keeps is copied into its log when its wait ends. A role that repeats
 * an iteration takes it from there if its sender does not repeat that iteration: then nobody sends
 * it again (CROSSING_REPLAYED of ft/log/crossing.h). If the sender repeats it, too, it comes from
 * the sender, as always. Both ends know the fronts, so both agree. */
#ifndef FT_MSG_INBOX_H
#define FT_MSG_INBOX_H

#include "ft/log/kept.h"
#include "ft/log/policy.h"
#include "ft/log/received.h"
#include "ft/msg/plain_port.h"

struct inbox {
	struct received received;
	/* what this role has sent to receivers that keep it, for one iteration more */
	struct kept kept;
	struct inbox_receive {
		void *buf;
		size_t bytes;
		int src, tag;
		bool again; /* from the log, not from the sender */
	} *posted;          /* no wait has completed them */
	size_t count, room, statuses;
	MPI_Status *status;
	int64_t messages, bytes; /* taken from the log so far */
	int64_t both_peak; /* most bytes of payload in this log and in that of what was sent */
};

int inbox_init(struct inbox *x, int np); /* RB_OK or RB_ENOMEM */
void inbox_free(struct inbox *x);

/* front: np, where each role resumed in this epoch. The others are as in msg_post() and
 * msg_wait(). */
void inbox_post(struct inbox *x, struct plain_port *p, const struct policy *policy,
		const int64_t *front, const struct inbox_receive *r);
/* Make room for what a wait needs; then wait for link_wait_statuses() of the port's receives with
 * x->status, then inbox_complete(). RB_OK or RB_ENOMEM, RB_ECORRUPT. */
int inbox_expect(struct inbox *x, struct plain_port *p);
int inbox_complete(struct inbox *x, struct plain_port *p, const struct policy *policy);
/* The iteration is complete; sent: bytes of payload in the other log. */
void inbox_commit(struct inbox *x, int64_t sent);

#endif
