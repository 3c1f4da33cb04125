/* A rank dies while the others are in MPI_Comm_spawn: do they learn of it?
 *
 *   mpicc -o death-in-spawn death-in-spawn.c
 *   timeout 20 mpirun --with-ft ulfm --mca coll ^han --map-by :OVERSUBSCRIBE -np 5 \
 *           ./death-in-spawn MICROSECONDS
 *
 * Rank 4 is killed at once. The other four shrink and start a replacement together; rank 1 is
 * killed that many microseconds after it entered MPI_Comm_spawn. Right: the other three print
 * "spawn returned", with an error or without. Exit status 124 of timeout: they wait for ever. */
#define _DEFAULT_SOURCE /* what is not of C11, with -std=c11 */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void die(int sig)
{
	(void)sig;
	kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	MPI_Comm parents, rest, between;
	int rank, value, rc, microseconds = argc > 1 ? atoi(argv[1]) : 10000;
	struct itimerval at = { .it_value = { 0, microseconds } };

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		_exit(0);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 4)
		raise(SIGKILL);
	MPI_Recv(&value, 1, MPI_INT, 4, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPIX_Comm_shrink(MPI_COMM_WORLD, &rest);
	MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
	if (rank == 1) {
		signal(SIGALRM, die);
		setitimer(ITIMER_REAL, &at, NULL);
	}
	rc = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, rest, &between,
			    MPI_ERRCODES_IGNORE);
	printf("rank %d: spawn returned %d\n", rank, rc);
	fflush(stdout);
	_exit(0);
}
