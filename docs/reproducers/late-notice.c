/* How long after a death does a waiting process learn of it?
 *
 *   mpicc -o late-notice late-notice.c
 *   timeout 20 mpirun --with-ft ulfm --map-by :OVERSUBSCRIBE -np 2 \
 *           [--mca mpi_event_tick_rate 100] ./late-notice MS [acknowledge]
 *
 * Rank 1 dies MS milliseconds after a barrier, and rank 0 waits for a message from it. Rank 0
 * prints how long after the signal its receive has failed. With "acknowledge" it first lets its TCP
 * connections acknowledge at once what the runtime has sent in MPI_Init. Both ranks must be on one
 * host. */
#define _GNU_SOURCE /* what is not of C11, with -std=c11 */
#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void acknowledge(void)
{
	const int at_once = 1;

	for (int fd = 3; fd < 256; fd++) /* other descriptors refuse it */
		setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &at_once, sizeof at_once);
}

int main(int argc, char **argv)
{
	double death, in_s = argc > 1 ? atof(argv[1]) / 1e3 : 0, message;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	death = now() + in_s;
	if (rank == 1) {
		MPI_Send(&death, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
		while (now() < death)
			usleep(100);
		raise(SIGKILL);
	}
	MPI_Recv(&death, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (argc > 2 && strcmp(argv[2], "acknowledge") == 0)
		acknowledge();
	if (MPI_Recv(&message, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
	    MPI_SUCCESS)
		puts("a message of the dead?");
	printf("told %.1f ms after the death\n", 1e3 * (now() - death));
	fflush(stdout);
	_exit(0);
}
