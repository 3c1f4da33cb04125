/* Rank 0 cuts behind four collective functions, rank 1 before them: after a restart, rank 1 is
 * served their results. Each rank prints what it has got. After a restart, rank 1 does not repeat
 * itself with --differ (it gives another value), --other (another function), --root (another root),
 * --size (another size) or --silent (two functions only). Needs 2 processes, and ELC_DIR. */
#include "elc/elc.h"

#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int got[5];

static int is(const char *how, const char *asked, int rank, long restarted)
{
	return rank == 1 && restarted && strcmp(how, asked) == 0;
}

static void functions(const char *how, int rank, long restarted)
{
	int value = rank == 0 ? 5 : 0,
	    given = 10 * (rank + 1) + is(how, "--differ", rank, restarted), before = 0;

	MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	got[0] = value;
	if (is(how, "--other", rank, restarted))
		MPI_Reduce(&given, &got[1], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	value += 2;
	MPI_Bcast(&value, 1 - is(how, "--size", rank, restarted), MPI_INT,
		  is(how, "--root", rank, restarted), MPI_COMM_WORLD);
	got[1] = value;
	if (is(how, "--silent", rank, restarted))
		return;
	MPI_Allreduce(&given, &got[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Exscan(&given, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	got[3] = rank ? before : 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int rank;
	long restarted;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	elc_protect(1, got, sizeof got);
	restarted = elc_restarted();
	if (rank == 1 && !restarted)
		elc_checkpoint();
	if (rank == 1 || !restarted)
		functions(how, rank, restarted);
	while (rank == 0 && !restarted && !elc_safe_point())
		usleep(100);
	got[4] = strcmp(how, "--silent") ? -1 : 0;
	if (got[4]) /* together again */
		MPI_Allreduce(&got[2], &got[4], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int r = 0; r < 2; r++) {
		if (r == rank)
			printf("rank %d: %d %d %d %d %d\n", rank, got[0], got[1], got[2], got[3],
			       got[4]);
		fflush(stdout);
		usleep(100000);
	}
	MPI_Finalize();
	return 0;
}
