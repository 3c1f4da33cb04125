/* A program that changes all of its state right after each safe point, while the line that was
 * taken there is being written. After a restart, every cell must be that of the safe point. Prints
 * one line, the same with and without the library.
 *
 * usage: changing STEPS BYTES [--tight|--full]
 * From elc_restarted() on, --tight: there is no memory for a copy of the state, only for a third of
 * it. --full: rank 1 has room for a third of it in a file. */
#include "elc/elc.h"

#include <mpi.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
	int step;
	uint64_t hash;
} now;
static uint64_t *cell;
static size_t cells;
static int rank, np;

static uint64_t value(int step, size_t at)
{
	return ((uint64_t)step * 64 + (uint64_t)rank + at) * UINT64_C(0x9e3779b97f4a7c15);
}

static void change(void)
{
	for (size_t i = 0; i < cells; i++)
		cell[i] = value(now.step, i);
}

static void check(long line)
{
	for (size_t i = 0; i < cells; i++)
		if (cell[i] != value(now.step, i)) {
			fprintf(stderr,
				"rank %d: line %ld has step %d, and cell %zu is of another one\n",
				rank, line, now.step, i);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
}

/* No more memory than now, and a third of the state. */
static void tighten(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;
	struct rlimit limit;

	if (!f || fscanf(f, "%lu", &pages) != 1) {
		fprintf(stderr, "changing: /proc/self/statm cannot be read\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	fclose(f);
	limit.rlim_cur = limit.rlim_max =
		pages * (rlim_t)sysconf(_SC_PAGESIZE) + cells * sizeof *cell / 3;
	setrlimit(RLIMIT_AS, &limit);
}

static void fill(void)
{
	const struct rlimit limit = { cells * sizeof *cell / 3, cells * sizeof *cell / 3 };

	signal(SIGXFSZ, SIG_IGN); /* writing fails */
	if (rank == 1)
		setrlimit(RLIMIT_FSIZE, &limit);
}

int main(int argc, char **argv)
{
	const int steps = argc > 2 ? atoi(argv[1]) : 0;
	uint64_t got, all = 0;
	long line;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	cells = argc > 2 ? strtoul(argv[2], NULL, 10) / sizeof *cell : 1;
	cell = calloc(cells, sizeof *cell);
	change();
	elc_protect(1, &now, sizeof now);
	elc_protect(2, cell, cells * sizeof *cell);
	line = elc_restarted();
	if (line)
		check(line);
	if (argc > 3 && strcmp(argv[3], "--tight") == 0)
		tighten();
	if (argc > 3 && strcmp(argv[3], "--full") == 0)
		fill();
	while (now.step < steps) {
		if (now.step % 10 == 5)
			elc_checkpoint();
		else
			elc_safe_point();
		now.step++;
		change();
		usleep(500);
		MPI_Sendrecv(&cell[cells / 2], 1, MPI_UINT64_T, (rank + 1) % np, 1, &got, 1,
			     MPI_UINT64_T, (rank + np - 1) % np, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		now.hash = now.hash * 31 + got;
	}
	MPI_Reduce(&now.hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("result %016llx from line %ld\n", (unsigned long long)all, line);
	free(cell);
	MPI_Finalize();
	return 0;
}
