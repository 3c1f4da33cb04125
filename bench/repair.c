/* What a repair costs a program that has nothing but the MPI: all ranks pass a number around a
 * ring, rank 1 kills itself, and the others revoke, shrink and agree. Prints five moments in
 * milliseconds of this host's clock: the death, when the first and the last survivor had an error,
 * when all had the new communicator, and when all had agreed on it. All ranks must be on one host.
 */
#include <mpi.h>
#include <mpi-ext.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The runtime tells of a death in the first 40 ms of a job up to 40 ms too late
 * (docs/ulfm-notes.md, When survivors are notified). */
enum { VICTIM = 1, LIFE_MS = 200 };

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void die(void)
{
	printf("%.3f\n", now_ms());
	fflush(stdout);
	raise(SIGKILL);
}

/* Until there is an error. */
static void go_around(int rank, int size)
{
	const int right = (rank + 1) % size, left = (rank + size - 1) % size;
	const double begin = now_ms();
	int mine = rank, theirs;

	for (;;) {
		if (rank == VICTIM && now_ms() > begin + LIFE_MS)
			die();
		if (MPI_Sendrecv(&mine, 1, MPI_INT, right, 0, &theirs, 1, MPI_INT, left, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return;
		mine = theirs;
	}
}

static void must(int rc, const char *what)
{
	if (rc == MPI_SUCCESS)
		return;
	fprintf(stderr, "repair: %s: error %d\n", what, rc);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	double error, first, last[3];
	int rank, size, flag = 1;
	MPI_Comm survivors;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 3) {
		fprintf(stderr, "repair: at least three ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	go_around(rank, size);
	last[0] = error = now_ms();
	MPIX_Comm_revoke(MPI_COMM_WORLD);
	must(MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors), "shrink");
	last[1] = now_ms();
	must(MPIX_Comm_agree(survivors, &flag), "agree");
	last[2] = now_ms();
	must(MPI_Allreduce(&error, &first, 1, MPI_DOUBLE, MPI_MIN, survivors), "least");
	must(MPI_Allreduce(MPI_IN_PLACE, last, 3, MPI_DOUBLE, MPI_MAX, survivors), "most");
	if (rank == 0) {
		printf("%.3f %.3f %.3f %.3f\n", first, last[0], last[1], last[2]);
		fflush(stdout);
	}
	MPI_Barrier(survivors); /* nobody ends before all is written */
	_exit(0); /* MPI_Finalize can hang after a death (docs/ulfm-notes.md, finalize-after-death)
		   */
}
