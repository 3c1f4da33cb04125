/* Shared memory, a sender dies: do messages of others still arrive? (Open MPI 5.0.7: not always.)
 *
 *      mpicc -o sm-fifo-after-death sm-fifo-after-death.c
 *      timeout 60 mpirun --with-ft ulfm --mca btl self,sm --mca btl_sm_fbox_max 0 --map-by \
 *          :OVERSUBSCRIBE -np 16 \
 *              ./sm-fifo-after-death
 *
 * Ranks 2, 3, ... send to rank 0, one after the other, each until a timer kills it with SIGKILL
 * within 20 ms. After each death rank 0 asks rank 1, which lives, for a message. Where that does
 * not arrive within 3 s, rank 0 says so. With
 * --mca btl self,tcp all arrive.
 *
 * All senders share one queue in the memory of the receiver (opal/mca/btl/sm/btl_sm_fifo.h).
 * sm_fifo_write() first makes its message the tail of the queue and then links it to the message
 * before. If the sender dies between the two, the receiver finds neither that message nor any later
 * one, or it waits in sm_fifo_read() for the link.
 *
 * btl_sm_fbox_max 0 switches off the fast boxes, so that every message takes the queue. By default
 * the first 16 messages to a process do so, and what a receiver gives back to a sender. */
#define _DEFAULT_SOURCE /* what is not of C11, with -std=c11 */
#include <mpi.h>
#include <mpi-ext.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { GO = 1, FLOOD, PING, SIZE = 64 };

static char buffer[SIZE];
static volatile sig_atomic_t dead; /* the last one */

/* Rank 0 has waited too long, perhaps within MPI. */
static void give_up(int number)
{
	char text[] = "rank 0 still waits after the death of ??\n";

	(void)number;
	text[sizeof text - 4] = (char)('0' + dead / 10);
	text[sizeof text - 3] = (char)('0' + dead % 10);
	(void)!write(STDOUT_FILENO, text, sizeof text - 1);
	sleep(1); /* mpirun passes the text on */
	kill(getppid(), SIGTERM);
}

static void die(int number)
{
	(void)number;
	kill(getpid(), SIGKILL);
}

/* One fast box (btl_sm_fbox.h) is for one sender; the queue is for those who have none. */
static void flood(void)
{
	struct itimerval timer = { .it_value = { 0, 1000 + random() % 19000 } };

	MPI_Recv(NULL, 0, MPI_BYTE, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	signal(SIGALRM, die);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (;;)
		MPI_Send(buffer, SIZE, MPI_BYTE, 0, FLOOD, MPI_COMM_WORLD);
}

static void answer(int size)
{
	for (int s = 2; s < size; s++) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&s, 1, MPI_INT, 0, PING, MPI_COMM_WORLD);
	}
}

static void receive(int size)
{
	int value;

	signal(SIGALRM, give_up);
	for (int s = 2; s < size; s++) {
		dead = s;
		alarm(3);
		MPI_Send(NULL, 0, MPI_BYTE, s, GO, MPI_COMM_WORLD);
		while (MPI_Recv(buffer, SIZE, MPI_BYTE, s, FLOOD, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE) == MPI_SUCCESS)
			;
		MPI_Send(NULL, 0, MPI_BYTE, 1, GO, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 1, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	alarm(0);
	printf("%d deaths, and all messages of others arrived\n", size - 2);
	fflush(stdout);
	sleep(1); /* mpirun passes the text on */
	kill(getppid(), SIGTERM);
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	srandom((unsigned)getpid());
	if (rank == 0)
		receive(size);
	else if (rank == 1)
		answer(size);
	else
		flood();
	for (;;)
		pause();
}
