/* The paper's Fig. 3, made to happen: rank 1 sends M1, takes its checkpoint, and sends M2. Rank 0
 * receives M2, takes its checkpoint, and receives M1. So M1 is in transit at the line, and M2 is an
 * orphan. The job is killed when the line is committed; after the restart, rank 0 must get M1
 * again, and M2 not twice. For 2 processes.
 *
 * usage: overtake [--differ | --silent]: after a restart, M2 is another message, or is not sent at
 * all. */
#include "elc/elc.h"

#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { M1 = 1, M2, LONG = 3000 };

static int rank;
static long restarted, message[LONG];
static struct {
	int cut;
	long m1, m2, m3;
} now;

static void give(int tag, long value)
{
	for (int i = 0; i < LONG; i++)
		message[i] = value + i;
	MPI_Send(message, tag == M1 ? 10 : LONG, MPI_LONG, 1 - rank, tag, MPI_COMM_WORLD);
}

static long get(int tag)
{
	MPI_Status status;
	int n;

	MPI_Recv(message, LONG, MPI_LONG, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_LONG, &n);
	return n + 10000 * message[n - 1] + 100000000L * status.MPI_TAG;
}

static void sender(const char *how)
{
	if (!now.cut) {
		give(M1, 11);
		now.cut = 1;
		elc_checkpoint();
	}
	if (!restarted || strcmp(how, "--silent"))
		give(M2, 22 + (restarted && strcmp(how, "--differ") == 0));
	for (int i = 0; i < 300; i++) { /* so that the line is committed before M3 */
		elc_safe_point();
		usleep(1000);
	}
	give(M2, 33);
}

static void receiver(void)
{
	if (!now.cut) {
		now.m2 = get(M2);
		now.cut = 1;
		while (!elc_safe_point())
			usleep(1000);
	}
	now.m1 = get(M1);
	now.m3 = get(MPI_ANY_TAG);
	printf("M1 %ld M2 %ld M3 %ld from line %ld\n", now.m1, now.m2, now.m3, restarted);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	elc_protect(1, &now, sizeof now);
	restarted = elc_restarted();
	if (rank == 1)
		sender(argc > 1 ? argv[1] : "");
	else
		receiver();
	MPI_Finalize();
	return 0;
}
