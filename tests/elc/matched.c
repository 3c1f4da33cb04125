/* Matched probes: what they have found is nobody else's, and while the program has not received it,
 * no line is taken here. Some messages are received several rounds after they were sent, so they
 * cross lines. Prints one line, the same with and without the library, and after restarts.
 *
 * usage: matched ROUNDS [--ordered]
 * --ordered: all messages are received in the order of sending, and in their round. */
#include "elc/elc.h"

#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 5, SECOND, LATE, BEHIND = 4, LONGEST = 200 };

static struct {
	int round;
	uint64_t hash;
} now;
static int rank, np, left, right, ordered, behind, in[2][2];
static MPI_Comm late; /* there are probes with any tag */

static void must(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "rank %d, round %d: %s is wrong\n", rank, now.round, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void keep(const int *value, int n)
{
	for (int i = 0; i < n; i++)
		now.hash = (now.hash ^ (uint64_t)value[i]) * UINT64_C(0x9e3779b97f4a7c15) +
			   now.hash / 7;
}

static void status_is(const MPI_Status *status, int tag, int elements, const char *what)
{
	int n;

	MPI_Get_count(status, MPI_INT, &n);
	must(n == elements && status->MPI_SOURCE == left && status->MPI_TAG == tag, what);
}

/* Two messages of equal envelope. The receive does not get the one that the probe has found. */
static void around_a_receive(void)
{
	MPI_Message message;
	MPI_Status status;

	MPI_Mprobe(MPI_ANY_SOURCE, FIRST, MPI_COMM_WORLD, &message, &status);
	status_is(&status, FIRST, 2, "MPI_Mprobe");
	must(!elc_safe_point(), "a line between a matched probe and its receive");
	MPI_Recv(in[1], 2, MPI_INT, left, FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Mrecv(in[0], 2, MPI_INT, &message, &status);
	status_is(&status, FIRST, 2, "MPI_Mrecv");
	must(message == MPI_MESSAGE_NULL, "a received message");
}

/* The one that was found later is received first. */
static void later_first(void)
{
	MPI_Message message[2];
	MPI_Request r[2];
	MPI_Status status[2];
	int flag = 0;

	while (!flag)
		MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message[0], &status[0]);
	status_is(&status[0], FIRST, 2, "MPI_Improbe");
	MPI_Mprobe(left, FIRST, MPI_COMM_WORLD, &message[1], MPI_STATUS_IGNORE);
	MPI_Imrecv(in[1], 2, MPI_INT, &message[1], &r[1]);
	must(!elc_safe_point(), "a line between a matched probe and its receive");
	MPI_Imrecv(in[0], 2, MPI_INT, &message[0], &r[0]);
	MPI_Waitall(2, r, status);
	status_is(&status[0], FIRST, 2, "MPI_Imrecv");
	status_is(&status[1], FIRST, 2, "MPI_Imrecv");
	must(message[0] == MPI_MESSAGE_NULL && message[1] == MPI_MESSAGE_NULL,
	     "a received message");
}

/* By their tags in another order. */
static void by_tags(void)
{
	MPI_Message message[2];

	MPI_Mprobe(MPI_ANY_SOURCE, SECOND, MPI_COMM_WORLD, &message[1], MPI_STATUS_IGNORE);
	MPI_Mprobe(MPI_ANY_SOURCE, FIRST, MPI_COMM_WORLD, &message[0], MPI_STATUS_IGNORE);
	for (int i = 0; i < 2; i++)
		MPI_Mrecv(in[i], 2, MPI_INT, &message[i], MPI_STATUS_IGNORE);
}

static void nobody(void)
{
	MPI_Message message;
	MPI_Request r;
	MPI_Status status;
	int flag = 0;

	MPI_Mprobe(MPI_PROC_NULL, FIRST, MPI_COMM_WORLD, &message, &status);
	must(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL,
	     "a message of MPI_PROC_NULL");
	MPI_Mrecv(in[0], 2, MPI_INT, &message, &status);
	must(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL,
	     "MPI_Mrecv of nobody");
	MPI_Improbe(MPI_PROC_NULL, FIRST, MPI_COMM_WORLD, &flag, &message, &status);
	must(flag && message == MPI_MESSAGE_NO_PROC, "a message of MPI_PROC_NULL");
	MPI_Imrecv(in[0], 2, MPI_INT, &message, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int length_of(int round, int from)
{
	return 1 + (7 * round + from) % LONGEST;
}

/* Small, so it is under way when this returns. */
static void send_late(void)
{
	int number[LONGEST];

	for (int i = 0; i < LONGEST; i++)
		number[i] = now.round + i;
	MPI_Send(number, length_of(now.round, rank), MPI_INT, right, LATE, late);
}

/* Its length says which round's it is; the receive has room for more. */
static void receive_late(int round)
{
	const int elements = length_of(round, left);
	int number[LONGEST] = { 0 };
	MPI_Message message;
	MPI_Status status;

	MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, late, &message, &status);
	status_is(&status, LATE, elements, "a probe of a late message");
	MPI_Mrecv(number, LONGEST, MPI_INT, &message, &status);
	status_is(&status, LATE, elements, "a late message");
	must(number[0] == round && number[elements - 1] == round + elements - 1,
	     "what a late message has");
	keep(number, elements);
}

static void exchange(void)
{
	const int kind = now.round % (ordered ? 2 : 3);

	for (int i = 0; i < 2; i++) {
		const int out[2] = { 100 * now.round + rank, i };

		MPI_Send(out, 2, MPI_INT, right, i && kind == 2 ? SECOND : FIRST, MPI_COMM_WORLD);
	}
	if (kind == 0)
		around_a_receive();
	else if (kind == 1)
		later_first();
	else
		by_tags();
	for (int i = 0; i < 2; i++)
		must(in[i][0] == 100 * now.round + left && in[i][1] == i,
		     "a message that was matched");
	keep(in[0], 4);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 0;
	uint64_t all = 0;
	long line;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	left = (rank + np - 1) % np;
	right = (rank + 1) % np;
	MPI_Comm_dup(MPI_COMM_WORLD, &late);
	ordered = argc > 2 && strcmp(argv[2], "--ordered") == 0;
	behind = ordered ? 0 : BEHIND;
	elc_protect(1, &now, sizeof now);
	line = elc_restarted();
	for (; now.round < rounds; now.round++) {
		if (now.round % 7 == rank)
			elc_checkpoint();
		else
			elc_safe_point();
		usleep((useconds_t)((rank * 71 + now.round * 31) % 300));
		send_late();
		exchange();
		nobody();
		if (now.round >= behind)
			receive_late(now.round - behind);
	}
	for (int round = rounds > behind ? rounds - behind : 0; round < rounds; round++)
		receive_late(round);
	MPI_Reduce(&now.hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("result %016llx from line %ld\n", (unsigned long long)all, line);
	MPI_Comm_free(&late);
	MPI_Finalize();
	return 0;
}
