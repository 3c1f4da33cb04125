/* ft/msg/counting_port.h - messages that go nowhere: somebody is told of each send (private to ft/).
 *
 * What a kernel sends in an iteration, without MPI, without data and without other roles: for forecasts. */
#ifndef FT_MSG_COUNTING_PORT_H
#define FT_MSG_COUNTING_PORT_H

#include "ft/msg/port.h"

/* A message of so many bytes to role dst, in the order of sending. What it returns but RB_OK, the kernel's
 * msg_push() returns. */
typedef int counting_visit(void *ctx, int dst, int tag, size_t bytes);

struct counting_port {
	struct msg msg;
	counting_visit *visit;
	void *ctx;
	struct port_slot slot; /* its payload has room for the longest message so far */
	size_t room;
	int status;            /* RB_OK or RB_ENOMEM */
	void *spill;
};

void counting_init(struct counting_port *p, int role, int np, counting_visit *visit, void *ctx);
void counting_free(struct counting_port *p);

#endif
