/* ft/line/transfer.h - sending images and their parts between roles, beside the kernel's messages.
 *
 * Images have any length; it is sent before them. Transfers progress in transfer_poll(), and those
 * with a posted MPI request also in other MPI calls. Nothing is logged; a transfer that a failure
 * interrupts is repeated in the next epoch. (Private to ft/.) */
#ifndef FT_LINE_TRANSFER_H
#define FT_LINE_TRANSFER_H

#include "ft/line/image.h"
#include "ft/log/arena.h"
#include "ft/msg/link.h"

struct incoming;
/* Called when the image has arrived. It stays in p->into until the next one for this place arrives.
 * RB_OK or RB_ENOMEM. */
typedef int transfer_arrived(void *ctx, const struct incoming *p);

struct incoming {
	int src, tag;
	struct image *into; /* images for the same place arrive one after the other */
	int64_t *stamp;     /* NULL, or *stamp becomes `value` once it has arrived */
	int64_t value;
	transfer_arrived *arrived; /* NULL: nothing to be done */
	void *ctx;
	int note; /* for `arrived` */
	enum { INCOMING_EXPECTED, INCOMING_ANNOUNCED, INCOMING_COMING, INCOMING_HERE } state;
	int64_t lines; /* its length, which is sent ahead of it */
	MPI_Request request;
};

struct transfer {
	struct link *link;
	struct requests sends;
	struct arena lengths; /* that are sent */
	struct incoming **in;
	int count, capacity;
};

void transfer_init(struct transfer *c, struct link *link);
void transfer_free(struct transfer *c);

/* data must not change until the transfer ends; it is read to the end of its last line. This and
 * the next functions return RB_OK or the status of the link (ft/msg/link.h). */
int transfer_send(struct transfer *c, int dst, int tag, const struct image *data, size_t from,
		  size_t bytes);
/* p is copied. */
int transfer_expect(struct transfer *c, const struct incoming *p);
/* Test once, without waiting. *done: all has left and arrived. */
int transfer_poll(struct transfer *c, bool *done);
/* Is something arriving? What is only expected or only sent does not count; it may take long. */
bool transfer_busy(const struct transfer *c);
/* Look until all is done. */
int transfer_wait(struct transfer *c);
/* After the communicator was revoked: end all requests. */
void transfer_abort(struct transfer *c);

#endif
