/* ft/msg/receiver_port.h - messages that their receivers keep, both ends of them: below the logging
 * port, with a policy that leaves messages to receivers (private to ft/).
 *
 * A message that the receiver keeps is copied into its log when its wait ends. A role that repeats
 * an iteration takes it from there if its sender does not repeat that iteration: then nobody sends
 * it again (CROSSING_REPLAYED of ft/log/crossing.h). If the sender repeats it, too, it comes from
 * the sender, as always. Both ends know the fronts, so both agree. What this role sends to such a
 * receiver, it keeps for one iteration more (ft/log/kept.h). */
#ifndef FT_MSG_RECEIVER_PORT_H
#define FT_MSG_RECEIVER_PORT_H

#include "ft/log/demand.h"
#include "ft/log/kept.h"
#include "ft/log/policy.h"
#include "ft/log/received.h"
#include "ft/msg/cursor.h"
#include "ft/msg/layer.h"

struct receiver_port {
	struct layer layer;
	const struct cursor *cursor;
	const struct demand *demand;
	const struct policy *policy;
	struct received received;
	struct kept kept; /* what this role has sent to receivers that keep it */
	struct receiver_post {
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

/* plain, cursor, demand, policy: the owner's. RB_OK or RB_ENOMEM; receiver_free() in both cases. */
int receiver_init(struct receiver_port *p, struct plain_port *plain, const struct cursor *cursor,
		  const struct demand *demand, const struct policy *policy);
void receiver_free(struct receiver_port *p);
void receiver_begin(struct receiver_port *p, int64_t iter); /* an iteration */
/* The iteration is complete; sent: bytes of payload in the other log. */
void receiver_commit(struct receiver_port *p, int64_t sent);

#endif
