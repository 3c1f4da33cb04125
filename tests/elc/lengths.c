/* What a program sees of messages, whatever the library adds to them: lengths by probes and
 * statuses, in elements of several datatypes; messages of no bytes, with gaps, at absolute
 * addresses, longer than MPI's eager ones; a receive that is longer than its message; a buffer for
 * MPI_Bsend that has no byte too many. Two lines are taken meanwhile. Prints one line, the same
 * with and without the library.
 *
 * For 2 processes: rank 1 sends, rank 0 receives. */
#include "elc/elc.h"

#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 300000, BUFFERED = 3, FULL = 40000, KINDS = 6, SENT = KINDS + BUFFERED };

#ifdef MPI_BUFFER_AUTOMATIC
#define AUTOMATIC MPI_BUFFER_AUTOMATIC
#else
#define AUTOMATIC NULL
#endif

static struct {
	int round;
	uint64_t sum;
} now;
static int rank, at_bottom[4];
static double values[LONG];
static MPI_Datatype gaps, absolute;

static void must(int right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "rank %d, round %d: %s is wrong\n", rank, now.round, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* MPI 4.1: a buffer of one communicator, and one that MPI makes itself. */
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
enum { WAYS = 3 };

static void attach(void *buffer, int size)
{
	if (now.round % WAYS == 0)
		MPI_Buffer_attach(buffer, size);
	else
		MPI_Comm_attach_buffer(MPI_COMM_WORLD,
				       now.round % WAYS == 1 ? buffer : MPI_BUFFER_AUTOMATIC, size);
}

/* A flush is a request of its own. */
static void detach(void *back, int *size)
{
	MPI_Request flush;

	if (now.round % WAYS == 0) {
		MPI_Buffer_iflush(&flush);
		MPI_Wait(&flush, MPI_STATUS_IGNORE);
		MPI_Buffer_detach(back, size);
		return;
	}
	MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &flush);
	MPI_Wait(&flush, MPI_STATUS_IGNORE);
	MPI_Comm_detach_buffer(MPI_COMM_WORLD, back, size);
}
#else
enum { WAYS = 1 };

static void attach(void *buffer, int size)
{
	MPI_Buffer_attach(buffer, size);
}

static void detach(void *back, int *size)
{
	MPI_Buffer_detach(back, size);
}
#endif

/* Each message is allowed its packed size and MPI's own overhead: the program cannot know of more.
 * They are too long to leave the buffer before rank 0 receives them, which it does when it knows
 * that all are sent. */
static void send_buffered(void)
{
	int each, size;
	void *buffer, *back;

	MPI_Pack_size(FULL, MPI_DOUBLE, MPI_COMM_WORLD, &each);
	size = BUFFERED * (each + MPI_BSEND_OVERHEAD);
	buffer = malloc((size_t)size);
	attach(buffer, size);
	for (int i = 0; i < BUFFERED; i++)
		MPI_Bsend(values, FULL, MPI_DOUBLE, 0, KINDS + i, MPI_COMM_WORLD);
	MPI_Send(NULL, 0, MPI_INT, 0, SENT, MPI_COMM_WORLD);
	detach(&back, &each);
	must(now.round % WAYS == 2 ? back == AUTOMATIC : back == buffer && each == size,
	     "the buffer that MPI gives back");
	free(buffer);
}

static void send_all(void)
{
	MPI_Request r[3];

	for (int i = 0; i < LONG; i++)
		values[i] = now.round + i;
	for (int i = 0; i < 4; i++)
		at_bottom[i] = now.round * 10 + i;
	MPI_Send(NULL, 0, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	MPI_Send(values, 7, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
	MPI_Issend(values, 2, gaps, 0, 2, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(MPI_BOTTOM, 1, absolute, 0, 3, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(values, LONG, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, &r[2]);
	MPI_Send(values, 3, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
	send_buffered();
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

/* By a matched probe, in every second round. */
static void receive_matched(int tag, MPI_Datatype type, int room, int elements, void *to,
			    MPI_Status *status)
{
	MPI_Message message;
	MPI_Request r;
	int n;

	MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, status);
	MPI_Get_count(status, type, &n);
	must(n == elements, "the number of elements of a matched probe");
	if (tag % 2) {
		MPI_Mrecv(to, room, type, &message, status);
	} else {
		MPI_Imrecv(to, room, type, &message, &r);
		MPI_Wait(&r, status);
	}
}

/* The length of the next message with this tag: by a probe, and by the status of its receive. */
static void receive(int tag, MPI_Datatype type, int room, int elements, void *to)
{
	MPI_Status probed, status;
	MPI_Request r;
	int n, bytes;

	MPI_Probe(1, tag, MPI_COMM_WORLD, &probed);
	MPI_Get_count(&probed, type, &n);
	MPI_Get_count(&probed, MPI_BYTE, &bytes);
	must(n == elements, "the number of elements of a probe");
	if (now.round % 2) {
		receive_matched(tag, type, room, elements, to, &status);
	} else if (tag % 2) {
		MPI_Recv(to, room, type, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
	} else {
		MPI_Irecv(to, room, type, 1, tag, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, &status);
	}
	MPI_Get_count(&status, type, &n);
	must(n == elements, "the number of elements of a receive");
	MPI_Get_count(&status, MPI_BYTE, &n);
	must(n == bytes && status.MPI_SOURCE == 1 && status.MPI_TAG == tag, "a status");
	now.sum = now.sum * 31 + (uint64_t)bytes;
}

static void receive_all(void)
{
	memset(values, 0, sizeof values);
	memset(at_bottom, 0, sizeof at_bottom);
	MPI_Recv(NULL, 0, MPI_INT, 1, SENT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = BUFFERED; i-- > 0;) {
		receive(KINDS + i, MPI_DOUBLE, LONG, FULL, values);
		must(values[FULL - 1] == now.round + FULL - 1, "a message from a buffer");
	}
	receive(4, MPI_DOUBLE, LONG, LONG, values);
	must(values[LONG - 1] == now.round + LONG - 1, "a long message");
	receive(0, MPI_DOUBLE, 10, 0, values);
	values[1] = values[4] = -1;
	receive(2, gaps, 5, 2, values);
	must(values[1] == -1 && values[2] == now.round + 2 && values[4] == -1,
	     "a message with gaps");
	receive(1, MPI_DOUBLE, 10, 7, values);
	must(values[6] == now.round + 6, "a short message");
	receive(3, absolute, 1, 1, MPI_BOTTOM);
	must(at_bottom[3] == now.round * 10 + 3, "a message at absolute addresses");
	receive(5, MPI_BYTE, 10, 3, values);
}

int main(int argc, char **argv)
{
	MPI_Aint at;
	long line;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &gaps);
	MPI_Type_commit(&gaps);
	MPI_Get_address(at_bottom, &at);
	MPI_Type_create_hindexed(1, (const int[]){ 4 }, &at, MPI_INT, &absolute);
	MPI_Type_commit(&absolute);
	elc_protect(1, &now, sizeof now);
	line = elc_restarted();
	for (; now.round < 40; now.round++) {
		if (now.round % 10 == 3 + 2 * rank)
			elc_checkpoint();
		else
			elc_safe_point();
		if (rank == 1)
			send_all();
		else
			receive_all();
	}
	if (rank == 0)
		printf("result %016llx from line %ld\n", (unsigned long long)now.sum, line);
	MPI_Type_free(&gaps);
	MPI_Type_free(&absolute);
	MPI_Finalize();
	return 0;
}
