/* A program of three ranks that loses one: the shortest proof that this MPI survives a death.
 * Started by `rollbench doctor`; prints "ulfm works" on success. */
#include <mpi.h>
#include <mpi-ext.h> /* needs mpi.h before it */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	MPI_Comm world, rest;
	int rank, size, flag = 1, value = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &world);
	MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
	MPI_Comm_rank(world, &rank);
	if (rank == 2)
		raise(SIGKILL);
	/* Rank 2 never sends: whoever waits for it must get an error, not wait for ever. */
	if (MPI_Recv(&value, 1, MPI_INT, 2, 0, world, MPI_STATUS_IGNORE) == MPI_SUCCESS)
		return 1;
	MPIX_Comm_revoke(world);
	if (MPIX_Comm_shrink(world, &rest) != MPI_SUCCESS)
		return 1;
	MPI_Comm_size(rest, &size);
	if (MPIX_Comm_agree(rest, &flag) != MPI_SUCCESS || size != 2)
		return 1;
	if (rank == 0) {
		puts("ulfm works");
		fflush(stdout);
	}
	MPIX_Comm_agree(rest, &flag);
	_exit(0);
}
