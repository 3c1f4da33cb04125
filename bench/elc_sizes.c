/* The time of a message by its size: two processes send it to each other by turns. Prints "BYTES
 * MICROSECONDS" for each size, half the time of a turn, the median of BATCHES. Started with
 * ELC_DIR, under the protocol of ELC_PROTOCOL; no line is taken. */
#include "elc/elc.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 11, SMALLEST = 1 << 10, LARGEST = 8 << 20, MOST = 1000, FEWEST = 4 };

static char *message;

static void turns(int rank, int bytes, int n)
{
	for (int i = 0; i < n; i++) {
		if (rank == 0)
			MPI_Send(message, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(message, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(message, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
	}
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double microseconds(int rank, int bytes)
{
	const int n = LARGEST / bytes > MOST     ? MOST
		      : LARGEST / bytes < FEWEST ? FEWEST
						 : LARGEST / bytes;
	double batch[BATCHES];

	turns(rank, bytes, n); /* memory is mapped, paths are chosen */
	for (int b = 0; b < BATCHES; b++) {
		const double begin = MPI_Wtime();

		turns(rank, bytes, n);
		batch[b] = (MPI_Wtime() - begin) / (2 * n) * 1e6;
	}
	qsort(batch, BATCHES, sizeof *batch, ascending);
	return batch[BATCHES / 2];
}

int main(int argc, char **argv)
{
	int rank, np;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	elc_restarted();
	message = calloc(1, LARGEST);
	if (np != 2 || !message) {
		fprintf(stderr, "elc_sizes: it needs 2 processes, and memory\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	memset(message, rank, LARGEST);
	for (int bytes = SMALLEST; bytes <= LARGEST; bytes *= bytes < LARGEST / 2 ? 4 : 2) {
		const double us = microseconds(rank, bytes);

		if (rank == 0)
			printf("%d %.3f\n", bytes, us);
	}
	free(message);
	MPI_Finalize();
	return 0;
}
