/* What event-logging checkpoints do not cover: usage: refused WHAT. One process, no mpirun. */
#include "elc/elc.h"

#include <mpi.h>

#include <stdio.h>
#include <string.h>

static int state, other;
static MPI_Request request;
static MPI_Comm comm;

static void before(const char *what)
{
	MPI_Win win;
	MPI_Message message;

	if (!strcmp(what, "MPI_Win_create"))
		MPI_Win_create(&state, sizeof state, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (!strcmp(what, "matched-set-up") || !strcmp(what, "matched-free")) {
		MPI_Comm_dup(MPI_COMM_SELF, &comm);
		MPI_Isend(&state, 1, MPI_INT, 0, 1, comm, &request);
		MPI_Mprobe(0, 1, comm, &message, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	if (!strcmp(what, "matched-free"))
		MPI_Comm_free(&comm);
	if (!strcmp(what, "receiving-free")) {
		MPI_Comm_dup(MPI_COMM_SELF, &comm);
		MPI_Irecv(&state, 1, MPI_INT, 0, 1, comm, &request);
		MPI_Comm_free(&comm);
	}
	if (!strcmp(what, "MPI_Comm_spawn"))
		MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm,
			       MPI_ERRCODES_IGNORE);
	if (!strcmp(what, "MPI_Intercomm_create"))
		MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 0, 1, &comm);
	if (!strcmp(what, "MPI_Comm_free")) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Recv_init(&state, 1, MPI_INT, 0, 1, comm, &request);
		MPI_Comm_free(&comm);
	}
	if (!strcmp(what, "MPI_Start")) {
		MPI_Recv_init(&state, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
		MPI_Start(&request);
		MPI_Start(&request);
	}
	if (!strcmp(what, "set-up")) /* small, so it is under way */
		MPI_Send(&state, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	if (!strcmp(what, "active-set-up"))
		MPI_Irecv(&state, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
	if (!strcmp(what, "too-early"))
		elc_safe_point();
}

static void after(const char *what)
{
	if (!strcmp(what, "MPI_Neighbor_allgather"))
		MPI_Neighbor_allgather(&state, 1, MPI_INT, &other, 1, MPI_INT, MPI_COMM_WORLD);
	if (!strcmp(what, "MPI_Ineighbor_alltoall"))
		MPI_Ineighbor_alltoall(&state, 1, MPI_INT, &other, 1, MPI_INT, MPI_COMM_WORLD,
				       &request);
	if (!strcmp(what, "MPI_Comm_dup"))
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (!strcmp(what, "MPI_Cancel"))
		MPI_Issend(&state, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
	if (!strcmp(what, "MPI_Request_free") || !strcmp(what, "active"))
		MPI_Irecv(&other, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
	if (!strcmp(what, "MPI_Cancel"))
		MPI_Cancel(&request);
	if (!strcmp(what, "MPI_Request_free"))
		MPI_Request_free(&request);
	if (!strcmp(what, "twice"))
		elc_restarted();
	if (!strcmp(what, "too-late"))
		elc_protect(2, &other, sizeof other);
	if (!strcmp(what, "active")) { /* no safe point here is one for a line */
		for (int i = 0; i < 3; i++)
			if (elc_checkpoint())
				return;
		MPI_Send(&state, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int provided;

	if (argc != 2)
		return 2;
	MPI_Init_thread(&argc, &argv,
			strcmp(argv[1], "MPI_Init_thread") ? MPI_THREAD_SERIALIZED
							   : MPI_THREAD_MULTIPLE,
			&provided);
	elc_protect(1, &state, sizeof state);
	before(argv[1]);
	elc_restarted();
	after(argv[1]);
	printf("done\n");
	MPI_Finalize();
	return 0;
}
