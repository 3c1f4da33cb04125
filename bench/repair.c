/* What a repair costs a program that has nothing but the MPI: all ranks pass a number around a
 * ring, rank 1 kills itself, and the others revoke, shrink and agree. Appends four moments to FILE,
 * in milliseconds of this host's clock: the death, when all survivors had an error, when all had
 * the new communicator, and when all had agreed on it. All ranks must be on one host. */
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

/* Not to standard output: mpirun may end before it has read that. */
static void append(const char *path, const double *moment, int count)
{
	FILE *f = fopen(path, "a");

	if (!f) {
		perror(path);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (int i = 0; i < count; i++)
		fprintf(f, "%.3f\n", moment[i]);
	fclose(f);
}

/* Until there is an error. */
static void go_around(int rank, int size, const char *path)
{
	const int right = (rank + 1) % size, left = (rank + size - 1) % size;
	const double begin = now_ms();
	double now = begin;
	int mine = rank, theirs;

	for (;; now = now_ms()) {
		if (rank == VICTIM && now > begin + LIFE_MS) {
			append(path, &now, 1);
			raise(SIGKILL);
		}
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
	double moment[3]; /* of the last rank */
	int rank, size, flag = 1;
	MPI_Comm survivors;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 2 || size < 3) {
		fprintf(stderr, "usage: repair FILE, on at least three ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	go_around(rank, size, argv[1]);
	moment[0] = now_ms();
	MPIX_Comm_revoke(MPI_COMM_WORLD);
	must(MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors), "shrink");
	moment[1] = now_ms();
	must(MPIX_Comm_agree(survivors, &flag), "agree");
	moment[2] = now_ms();
	must(MPI_Allreduce(MPI_IN_PLACE, moment, 3, MPI_DOUBLE, MPI_MAX, survivors), "last");
	/* Before anybody ends, which the others would take for a death. */
	if (rank == 0)
		append(argv[1], moment, 3);
	MPI_Barrier(survivors);
	/* MPI_Finalize can hang after a death (docs/ulfm-notes.md, finalize-after-death). */
	_exit(0);
}
