/* Ranks die before and while the others agree: do all who live get the same value, although they
 * get an error?
 *
 *   mpicc -o agreement-after-death agreement-after-death.c
 *   timeout 20 mpirun --with-ft ulfm --mca coll ^han --map-by :OVERSUBSCRIBE -np 6 \
 *       ./agreement-after-death
 *
 * The last rank dies at once, the one before it ahead of a second round, on a communicator that is
 * revoked by then. All but rank 1 bring the value 3, rank 1 brings 1. Right: each of the others
 * prints "value 1" with an error in both rounds. */
#define _DEFAULT_SOURCE /* what is not of C11, with -std=c11 */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void agree(MPI_Comm comm, int rank, int round)
{
	int value = rank == 1 ? 1 : 3, done = 0, rc = MPI_SUCCESS;
	MPI_Request request;

	rc = MPIX_Comm_iagree(comm, &value, &request);
	while (rc == MPI_SUCCESS && !done)
		rc = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	printf("round %d, rank %d: value %d, error %d\n", round, rank, value, rc);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	MPI_Comm comm;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	for (int round = 0; round < 2; round++) {
		if (rank == size - 1 - round)
			raise(SIGKILL);
		if (round == 0 && rank == 0)
			usleep(200000);
		agree(comm, rank, round);
		if (round == 0)
			MPIX_Comm_revoke(comm);
	}
	_exit(0);
}
