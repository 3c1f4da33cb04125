/* What the profiler adds to a send: the counting alone, without the send. One rank; its own
 * communicators stand for those of a program. ROLLBENCH_PROFILE names a file, which is not written.
 * Prints nanoseconds of CPU time a call: on MPI_COMM_WORLD, on one other communicator, on two by
 * turns, with 4,096 receivers, with a lock (MPI_THREAD_MULTIPLE), and of a collective. */
#include "profile/preload/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 2000000, RECEIVERS = 4096 };

typedef void body(int i);

static MPI_Comm one, other;

static void on_world(int i)
{
	count_send(0, i & 1023, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void on_one(int i)
{
	count_send(0, i & 1023, MPI_DOUBLE, one);
}

static void by_turns(int i)
{
	count_send(0, i & 1023, MPI_DOUBLE, i & 1 ? one : other);
}

/* They are in no order that a processor could foresee. */
static void to_many(int i)
{
	recorder_message((int)((unsigned)i * 2654435761U % RECEIVERS),
			 bytes_of(i & 1023, MPI_DOUBLE));
}

static void with_lock(int i)
{
	recorder.threads = true;
	count_send(0, i & 1023, MPI_DOUBLE, MPI_COMM_WORLD);
	recorder.threads = false;
}

static void collective(int i)
{
	count_collective(KIND_allreduce, one, bytes_of(i & 1023, MPI_DOUBLE));
}

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double nanoseconds(body *call)
{
	double begin;

	for (int i = 0; i < CALLS / 10; i++)
		call(i);
	begin = cpu();
	for (int i = 0; i < CALLS; i++)
		call(i);
	return (cpu() - begin) / CALLS * 1e9;
}

int main(int argc, char **argv)
{
	body *const bodies[] = { on_world, on_one, by_turns, to_many, with_lock, collective };

	if (!getenv("ROLLBENCH_PROFILE")) {
		fprintf(stderr, "profile: without ROLLBENCH_PROFILE nothing would be counted\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &one);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
		printf("%.1f ", nanoseconds(bodies[i]));
	printf("\n");
	recorder.on = false;
	MPI_Comm_free(&one);
	MPI_Comm_free(&other);
	MPI_Finalize();
	return 0;
}
