/* An answer to an orphan is in transit: after a restart it is there before its question
 * (docs/event-logging.md, "Wildcards after a restart").
 *
 * Process 0 cuts, receives a message of 1, and only then asks 2. Process 2 answers before it cuts;
 * process 1 sends after its cut. So at the line, the question is an orphan and the answer is in
 * transit. Rank 0 prints from whom it has received, in this order. With
 * --tags, its receives have tags that name what they wait for. With --barrier, there is no
 * question: 2 sends behind a barrier that 0 enters when it has received the message of 1. After a
 * restart, 2 is behind the barrier, and 0 is served it. Needs 3 processes. */
#include "elc/elc.h"

#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 1, SECOND, QUESTION };

static int tags, barrier, number = 7;

static int receive(int tag)
{
	MPI_Status status;

	MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, tags ? tag : FIRST, MPI_COMM_WORLD, &status);
	return status.MPI_SOURCE;
}

static void send(int to, int tag)
{
	MPI_Send(&(int){ 5 }, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void wait_for_cut(void)
{
	while (!elc_safe_point())
		usleep(100);
}

int main(int argc, char **argv)
{
	int rank, from[2] = { 0, 0 };
	long restarted;

	MPI_Init(&argc, &argv);
	tags = argc > 1 && strcmp(argv[1], "--tags") == 0;
	barrier = argc > 1 && strcmp(argv[1], "--barrier") == 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	elc_protect(1, &number, sizeof number);
	restarted = elc_restarted();
	if (rank == 0) {
		if (!restarted)
			elc_checkpoint();
		from[0] = receive(FIRST);
		if (barrier)
			MPI_Barrier(MPI_COMM_WORLD);
		else
			send(2, QUESTION);
		from[1] = receive(SECOND);
		printf("received from %d and %d\n", from[0], from[1]);
	} else if (rank == 1) {
		if (restarted)
			usleep(300000);
		else
			wait_for_cut();
		send(0, FIRST);
		if (barrier)
			MPI_Barrier(MPI_COMM_WORLD);
	} else if (!restarted) {
		if (barrier)
			MPI_Barrier(MPI_COMM_WORLD);
		else
			MPI_Recv(&number, 1, MPI_INT, 0, QUESTION, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		send(0, tags ? SECOND : FIRST);
		wait_for_cut();
	}
	MPI_Finalize();
	return 0;
}
