/* ft/msg/plain_port.h - messages directly to MPI: no log, no counts, no times (private to ft/).
 *
 * Alone it is the port of iterations without protection, with which protection is compared. All
 * other ports stand on it. */
#ifndef FT_MSG_PLAIN_PORT_H
#define FT_MSG_PLAIN_PORT_H

#include "ft/log/arena.h"
#include "ft/msg/link.h"
#include "contract/port.h"

struct plain_port {
	struct msg msg;
	struct link *link;
	struct port_slot slot;
	struct requests sends, receives;
	/* where the next wait writes the statuses of its receives: a layer's, with room for them;
	 * NULL: nobody asks */
	MPI_Status *status;
	struct arena scratch; /* payloads, until the iteration ends */
	void *spill;
};

/* link: the caller's; it outlives the port. */
void plain_init(struct plain_port *p, struct link *link);
void plain_free(struct plain_port *p);
void plain_begin(struct plain_port *p); /* an iteration */
/* All sends of the iteration have left. RB_OK or the link's status. */
int plain_flush(struct plain_port *p);
/* After the communicator was revoked: wait until no request is left. */
void plain_drain(struct plain_port *p);

/* Its operations, for ports that begin with this one. */
int plain_push(struct msg *m);
void plain_post(struct msg *m, int src, int tag, void *buf, size_t bytes);
int plain_wait(struct msg *m);
/* For these, and for layers: the next message lies in `payload`, where the caller packs it. NULL:
 * there was no memory for it, and the push fails. */
static inline void *plain_take(struct plain_port *p, void *payload, int dst, int tag, size_t bytes)
{
	if (!payload) {
		link_no_memory(p->link);
		payload = port_spill(&p->spill, bytes);
	}
	p->slot = (struct port_slot){ payload, bytes, dst, tag };
	return payload;
}

#endif
