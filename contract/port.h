/* contract/port.h - what is behind a struct msg (for ports only).
 *
 * A port is where the messages of one kernel state go: to MPI with or without a log
 * (logging_port.h, plain_port.h), to an MPI without ULFM (elc/kernel/port.h), or only to a counter
 * (contract/pattern.c). Its struct begins with a struct msg, which is all that the kernel is given.
 * A process may have several ports, also for two states of one role: nothing in a port is static,
 * and ports share at most the link below them. */
#ifndef CONTRACT_PORT_H
#define CONTRACT_PORT_H

#include "contract/msg.h"

#include <stdbool.h>

struct port_ops;

struct msg {
	const struct port_ops *ops;
	int role, np;
};

struct port_ops {
	/* As the functions msg_*() of contract/msg.h. */
	void *(*reserve)(struct msg *m, int dst, int tag, size_t bytes);
	int (*push)(struct msg *m);
	void (*post)(struct msg *m, int src, int tag, void *buf, size_t bytes);
	int (*wait)(struct msg *m);
	bool carries_data; /* false: what is packed is discarded, and nothing is received */
	void (*copied)(struct msg *m, size_t bytes); /* NULL: it is of no interest */
	void (*part)(struct msg *m, enum msg_part part, const char *name); /* NULL: likewise */
	/* A reduction over all roles begins; its result will be n numbers. true: the port knows the
	 * result, which is in v now, and no message is needed. NULL: no port operation. */
	bool (*recall)(struct msg *m, double *v, size_t n);
	/* It has ended. Called if recall returned false and all messages were through. RB_OK or
	 * RB_ENOMEM. NULL with recall. */
	int (*record)(struct msg *m, const double *v, size_t n);
};

/* A message between reserve and push. */
struct port_slot {
	void *payload;
	size_t bytes;
	int dst, tag;
};

/* What reserve hands out when it has no memory for the message: a kernel packs without a check.
 * *spill is kept for the next time; its owner frees it. The port's push must fail. */
void *port_spill(void **spill, size_t bytes);

#endif
