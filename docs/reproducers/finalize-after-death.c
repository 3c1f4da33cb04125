/* A rank dies, the others shrink and agree: does MPI_Finalize return?
 *
 *   mpicc -o finalize-after-death finalize-after-death.c
 *   timeout 20 mpirun --with-ft ulfm --mca coll ^han --map-by :OVERSUBSCRIBE -np 8 \
 *           ./finalize-after-death [RANK]
 *
 * RANK (default 0) is the one that dies. Exit status 124 of timeout: MPI_Finalize waits for
 * ever. */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, value, flag = 1, victim = argc > 1 ? atoi(argv[1]) : 0;
	MPI_Comm rest;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == victim)
		raise(SIGKILL);
	MPI_Recv(&value, 1, MPI_INT, victim, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPIX_Comm_revoke(MPI_COMM_WORLD);
	MPIX_Comm_shrink(MPI_COMM_WORLD, &rest);
	MPIX_Comm_agree(rest, &flag);
	MPI_Finalize();
	printf("finalized\n");
	return 0;
}
