/* A communicator could not be duplicated, since a rank died: can another one still be shrunk?
 *
 *   mpicc -o shrink-after-dup shrink-after-dup.c
 *   timeout 20 mpirun --with-ft ulfm --mca coll ^han --map-by :OVERSUBSCRIBE -np 4 \
 *       ./shrink-after-dup [HOW]
 *
 * The last rank dies while the others duplicate one communicator, which fails, as it should. Then
 * they shrink another one. HOW = higher (default): one with a higher context id; lower: a lower
 * one; self: a higher one, but MPI_COMM_SELF is duplicated in between. Right: they print "shrunk".
 * Exit status 124 of timeout: they wait for ever. */
#define _DEFAULT_SOURCE /* what is not of C11, with -std=c11 */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "higher";
	MPI_Comm low, high, failing, shrinking, copy, rest;
	int rank, size, rc;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &low);
	MPI_Comm_dup(MPI_COMM_WORLD, &high);
	failing = strcmp(how, "lower") == 0 ? high : low;
	shrinking = failing == low ? high : low;
	MPI_Comm_set_errhandler(low, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(high, MPI_ERRORS_RETURN);
	if (rank == size - 1) {
		usleep(200000);
		raise(SIGKILL);
	}
	rc = MPI_Comm_dup(failing, &copy);
	printf("rank %d: duplicated, %d\n", rank, rc);
	fflush(stdout);
	MPIX_Comm_revoke(failing);
	if (strcmp(how, "self") == 0) {
		MPI_Comm_dup(MPI_COMM_SELF, &copy);
		MPI_Comm_free(&copy);
	}
	rc = MPIX_Comm_shrink(shrinking, &rest);
	printf("rank %d: shrunk, %d\n", rank, rc);
	fflush(stdout);
	_exit(0);
}
