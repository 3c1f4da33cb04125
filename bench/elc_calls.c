/* CPU time of a message with MPI: one process sends 8 bytes to itself and receives them, without
 * another process to wait for. Prints nanoseconds a message: blocking receives, and nonblocking
 * ones with two messages at a time; and those of a safe point at which nothing has come. Started
 * with ELC_DIR, the difference is what libelc adds to a send and a receive. */
#include "elc/elc.h"

#include <mpi.h>

#include <stdio.h>
#include <time.h>

enum { TIMES = 200000, TAGS = 8 };

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void blocking(int i)
{
	double out = i, in;
	MPI_Request r;

	MPI_Isend(&out, 1, MPI_DOUBLE, 0, i % TAGS, MPI_COMM_WORLD, &r);
	MPI_Recv(&in, 1, MPI_DOUBLE, 0, i % TAGS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void nonblocking(int i)
{
	double out[2] = { i, i }, in[2];
	MPI_Request r[4];

	if (i % 2)
		return;
	for (int m = 0; m < 2; m++)
		MPI_Irecv(&in[m], 1, MPI_DOUBLE, MPI_ANY_SOURCE, (i + m) % TAGS, MPI_COMM_WORLD,
			  &r[m]);
	for (int m = 0; m < 2; m++)
		MPI_Isend(&out[m], 1, MPI_DOUBLE, 0, (i + m) % TAGS, MPI_COMM_WORLD, &r[2 + m]);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static void safe_point(int i)
{
	(void)i;
	elc_safe_point();
}

static double nanoseconds(void (*one)(int))
{
	double begin;

	for (int i = 0; i < TIMES / 10; i++)
		one(i);
	begin = cpu();
	for (int i = 0; i < TIMES; i++)
		one(i);
	return (cpu() - begin) / TIMES * 1e9;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	elc_restarted();
	printf("%.1f ", nanoseconds(blocking));
	printf("%.1f ", nanoseconds(nonblocking));
	printf("%.1f\n", nanoseconds(safe_point));
	MPI_Finalize();
	return 0;
}
