#include "elc/kernel/port.h"

#include "base/grow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct mpi_port *port_of(struct msg *m)
{
	return (struct mpi_port *)m;
}

static void *reserve(struct msg *m, int dst, int tag, size_t bytes)
{
	struct mpi_port *p = port_of(m);
	void *payload = arena_take(&p->payloads, bytes);

	if (!payload) {
		p->status = RB_ENOMEM;
		payload = port_spill(&p->spill, bytes);
	}
	p->slot = (struct port_slot){ payload, bytes, dst, tag };
	return payload;
}

/* The place of one more request, or NULL: p->status says why no message of this size can begin. */
static MPI_Request *begin(struct mpi_port *p, struct requests_of_port *r, size_t bytes)
{
	MPI_Request *list;

	if (p->status != RB_OK)
		return NULL;
	list = grow(r->list, r->n + 1, &r->room, sizeof *list);
	if (list)
		r->list = list;
	if (!list || bytes > INT_MAX) {
		p->status = list ? RB_ELENGTH : RB_ENOMEM;
		return NULL;
	}
	return &r->list[r->n++];
}

static int push(struct msg *m)
{
	struct mpi_port *p = port_of(m);
	MPI_Request *request = begin(p, &p->sends, p->slot.bytes);

	if (request)
		MPI_Isend(p->slot.payload, (int)p->slot.bytes, MPI_BYTE, p->slot.dst, p->slot.tag,
			  MPI_COMM_WORLD, request);
	return p->status;
}

static void post(struct msg *m, int src, int tag, void *buf, size_t bytes)
{
	struct mpi_port *p = port_of(m);
	MPI_Request *request = begin(p, &p->receives, bytes);

	if (request)
		MPI_Irecv(buf, (int)bytes, MPI_BYTE, src, tag, MPI_COMM_WORLD, request);
}

static int wait_for(struct mpi_port *p, struct requests_of_port *r)
{
	if (p->status == RB_OK && r->n > 0) {
		MPI_Waitall((int)r->n, r->list, MPI_STATUSES_IGNORE);
		r->n = 0;
	}
	return p->status;
}

static int wait(struct msg *m)
{
	return wait_for(port_of(m), &port_of(m)->receives);
}

static const struct port_ops ops = {
	.reserve = reserve,
	.push = push,
	.post = post,
	.wait = wait,
	.carries_data = true,
};

void mpi_port_init(struct mpi_port *p, int role, int np)
{
	memset(p, 0, sizeof *p);
	p->msg = (struct msg){ &ops, role, np };
}

int mpi_port_flush(struct mpi_port *p)
{
	const int status = wait_for(p, &p->sends);

	if (status == RB_OK)
		arena_reset(&p->payloads);
	return status;
}

void mpi_port_free(struct mpi_port *p)
{
	arena_free(&p->payloads);
	free(p->sends.list);
	free(p->receives.list);
	free(p->spill);
}
