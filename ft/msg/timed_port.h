/* ft/msg/timed_port.h - where the time of messages goes, in iterations that are sampled (private to
 * ft/).
 *
 * Two layers: the upper one is what the kernel calls, the lower one stands directly on the plain
 * port, and the ports between them log. What passes in the lower one is communication. Between a
 * reserve and the push that reaches the lower one, the kernel packs. The rest is logging. */
#ifndef FT_MSG_TIMED_PORT_H
#define FT_MSG_TIMED_PORT_H

#include "ft/msg/layer.h"

struct timed_port {
	struct layer upper, lower;
	/* seconds so far, and the readings of the clock needed for that since the owner set them to
	 * 0 */
	double log, pack, communicate;
	int64_t readings;
	double taken;   /* when the message to be pushed got its memory */
	double arrived; /* when the last wait of the lower one ended */
};

void timed_init(struct timed_port *p, struct plain_port *plain);
/* plain_flush(), timed. */
int timed_flush(struct timed_port *p);

#endif
