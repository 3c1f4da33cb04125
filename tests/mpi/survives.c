/* The last rank dies. The others find it on a communicator of their own, whose errors are returned,
 * shrink that one and go on. MPI_COMM_WORLD keeps its error handler: it is not used any more. */
#include <mpi.h>
#include <mpi-ext.h>

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void leave(int sig)
{
	(void)sig;
	_exit(0);
}

int main(int argc, char **argv)
{
	MPI_Comm mine, others;
	int rank, np, number = 1, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	MPI_Comm_dup(MPI_COMM_WORLD, &mine);
	MPI_Comm_set_errhandler(mine, MPI_ERRORS_RETURN);
	if (rank == 0)
		MPI_Send(&number, 1, MPI_INT, 1, 1, mine);
	if (rank == 1)
		MPI_Recv(&number, 1, MPI_INT, 0, 1, mine, MPI_STATUS_IGNORE);
	if (rank == np - 1)
		raise(SIGKILL);
	while (MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, mine) == MPI_SUCCESS)
		;
	MPIX_Comm_revoke(mine);
	MPIX_Comm_shrink(mine, &others);
	MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, others);
	printf("rank %d: %d live\n", rank, sum);
	fflush(stdout);
	/* MPI_Finalize sometimes hangs after a death (docs/ulfm-notes.md, finalize-after-death). */
	signal(SIGALRM, leave);
	alarm(6);
	MPI_Finalize();
	return 0;
}
