/* MPI_Comm_spawn starts two processes together, and one of them is killed: does the other one live
 * on?
 *
 *      mpicc -o siblings-of-the-dead siblings-of-the-dead.c
 *      timeout 20 mpirun --with-ft ulfm --mca coll ^han --map-by :OVERSUBSCRIBE -np 2 \
 *          ./siblings-of-the-dead TOGETHER
 *
 * TOGETHER is 2 (default): both are started by one call; 1: by two calls. Right: "the other one
 * lives". With Open MPI 5.0.7 and PRRTE 3.0.8 it is dead as well if they were started together,
 * although mpirun has --with-ft ulfm. */
#define _DEFAULT_SOURCE /* what is not of C11, with -std=c11 */
#include <mpi.h>
#include <mpi-ext.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The pid of child 1 after the death of child 0, by its parents. */
static void look(pid_t other)
{
	sleep(2);
	printf("the other one %s\n", kill(other, 0) == 0 ? "lives" : "is dead");
	fflush(stdout);
	sleep(1); /* mpirun passes the text on */
	kill(getppid(), SIGTERM);
}

static void child(void)
{
	int pid = getpid();
	MPI_Comm parents;

	MPI_Comm_get_parent(&parents);
	MPI_Send(&pid, 1, MPI_INT, 0, 0, parents);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	MPI_Comm parents, between[2];
	int rank, pid[2], together = argc > 1 ? atoi(argv[1]) : 2;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		child();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i += together) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, together, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
			       &between[i], MPI_ERRCODES_IGNORE);
		MPI_Comm_set_errhandler(between[i], MPI_ERRORS_RETURN);
		for (int k = 0; k < together && rank == 0; k++)
			MPI_Recv(&pid[i + k], 1, MPI_INT, k, 0, between[i], MPI_STATUS_IGNORE);
	}
	if (rank == 0) {
		kill(pid[0], SIGKILL);
		look(pid[1]);
	}
	for (;;)
		pause();
}
