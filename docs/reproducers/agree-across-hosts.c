/* A rank dies, all others call MPIX_Comm_agree, having exchanged no message before: with several
 * hosts they wait for ever (Open MPI 5.0.7), since a dead rank that they have never looked up
 * counts as alive.
 *
 *   mpicc -o agree-across-hosts agree-across-hosts.c
 *   timeout 20 mpirun --with-ft ulfm --mca coll ^han --hostfile HOSTS --map-by node:OVERSUBSCRIBE \
 *           --bind-to none -np 9 ./agree-across-hosts
 *
 * HOSTS has three lines, each with the name of a host that sees the program.
 * It ends with `--mca mpi_add_procs_cutoff 1000000`, which looks all ranks up in MPI_Init. */
#define _DEFAULT_SOURCE /* what is not of C11, with -std=c11 */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, flag = 1, rc;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		kill(getpid(), SIGKILL);
	rc = MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
	if (rank == 0)
		printf("agreed, %s\n", rc == MPI_SUCCESS ? "nobody died" : "somebody died");
	fflush(stdout);
	_exit(0);
}
