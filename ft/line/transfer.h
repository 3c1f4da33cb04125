/* ft/line/transfer.h - images and their parts on their way between roles, beside the kernel's messages.
 *
 * Deliveries of any length, which is sent ahead. They progress whenever courier_poll() is called, and
 * what is on its way then in any other MPI call, too. Nothing is logged; a delivery that a failure
 * cuts short is begun anew in the next epoch. (Private to ft/.) */
#ifndef FT_LINE_TRANSFER_H
#define FT_LINE_TRANSFER_H

#include "ft/line/image.h"
#include "ft/msg/transport.h"

struct parcel;
/* Called when it has arrived; it lies in p->into until the next one for that place does. RB_OK or
 * RB_ENOMEM. */
typedef int courier_arrived(void *ctx, const struct parcel *p);

struct parcel {
	int src, tag;
	struct image *into;  /* parcels for the same place arrive one after the other */
	int64_t *stamp;      /* NULL, or *stamp becomes `value` once it has arrived */
	int64_t value;
	courier_arrived *arrived; /* NULL: nothing to be done */
	void *ctx;
	int note;            /* for `arrived` */
	enum { PARCEL_EXPECTED, PARCEL_ANNOUNCED, PARCEL_COMING, PARCEL_HERE } state;
	int64_t lines;       /* its length, which is sent ahead of it */
	MPI_Request request;
};

struct courier {
	struct msg *m;
	struct requests sends;
	struct arena lengths; /* that are sent */
	struct parcel **in;
	int count, capacity;
};

void courier_init(struct courier *c, struct msg *m);
void courier_free(struct courier *c);

/* data stays as it is until the courier is through; it is read to the end of its last line. RB_OK or
 * RB_LOST. */
int courier_send(struct courier *c, int dst, int tag, const struct image *data, size_t from,
		 size_t bytes);
/* p is copied. RB_OK or RB_LOST (no memory). */
int courier_expect(struct courier *c, const struct parcel *p);
/* One look, without waiting. *done: all has left and arrived. RB_OK or RB_LOST. */
int courier_poll(struct courier *c, bool *done);
/* Is something arriving? What is only expected, or lies ready for somebody, may take long. */
bool courier_busy(const struct courier *c);
/* Look until all is done. */
int courier_wait(struct courier *c);
/* After the communicator was revoked: leave nothing under way. */
void courier_abort(struct courier *c);

#endif
