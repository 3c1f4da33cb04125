/* A kernel's messages over plain MPI: MPI_Isend, MPI_Irecv and MPI_Waitall, and no log. Whatever
 * intercepts these calls protects the kernel. An error of MPI ends the job, as the standard has
 * it. */
#ifndef ELC_KERNEL_PORT_H
#define ELC_KERNEL_PORT_H

#include "ft/log/arena.h"
#include "contract/port.h"

#include <mpi.h>

struct requests_of_port {
	MPI_Request *list;
	size_t n, room;
};

struct mpi_port {
	struct msg msg;
	struct port_slot slot;
	struct requests_of_port sends, receives;
	struct arena payloads; /* until mpi_port_flush() */
	void *spill;
	int status; /* RB_OK, RB_ENOMEM or RB_ELENGTH */
};

/* Messages of this role among np, which are the ranks of MPI_COMM_WORLD. */
void mpi_port_init(struct mpi_port *p, int role, int np);
/* All sends have left, and no request is active. Returns p->status. */
int mpi_port_flush(struct mpi_port *p);
void mpi_port_free(struct mpi_port *p);

#endif
