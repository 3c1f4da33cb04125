/* Gauss-Jordan elimination with row pivoting: A x = b with whole numbers in A and a known solution
 * of whole numbers. Rows are dealt cyclically. A step makes one column a unit vector: the processes
 * agree on the pivot row (MPI_Allreduce), and its owner gives it to all (MPI_Bcast). At the end,
 * all processes have x by an MPI_Allreduce. */
#include "elc/elc.h"
#include "elc/programs/common.h"

#include <mpi.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MATRIX = 1, SOLUTION, LARGEST = 9, FREE = -1 };

static long size = 400, apart;

static const struct argument OWN[] = {
	{ "size", &size, 1, 30000, "unknowns" },
	{ "apart", &apart, 0, 1, "1: process 0 has no rows, as in the paper" },
	{ NULL, NULL, 0, 0, NULL },
};
static const struct program PROGRAM = {
	.name = "gauss_jordan",
	.own = OWN,
	.text = "Solves a system of linear equations by Gauss-Jordan elimination. Check: the known "
		"solution.",
};

/* The state: the column that is next; per own row its elements with the right side, and the unknown
 * that it gives (FREE: none yet). */
static long column;
static double *rows;
static long *gives;

static long own_rows;
static double *pivot; /* the pivot row, divided by its pivot */

/* Processes from this one on have rows. */
static int first_owner(void)
{
	return apart && np > 1 ? 1 : 0;
}

static int owner(long row)
{
	return first_owner() + (int)(row % (np - first_owner()));
}

/* The row of the system that this process has as its i-th one. */
static long global(long i)
{
	return rank - first_owner() + i * (np - first_owner());
}

static double *row(long i)
{
	return rows + i * (size + 1);
}

static double known(long j)
{
	return whole_number(LARGEST, SOLUTION, (uint64_t)j, 0);
}

static void make_system(void)
{
	for (long i = 0; i < size; i++)
		own_rows += owner(i) == rank;
	rows = zeros((size_t)own_rows * (size_t)(size + 1), sizeof *rows);
	gives = zeros((size_t)own_rows, sizeof *gives);
	pivot = zeros((size_t)size + 1, sizeof *pivot);
	for (long i = 0; i < own_rows; i++) {
		gives[i] = FREE;
		for (long j = 0; j < size; j++) {
			row(i)[j] = whole_number(LARGEST, MATRIX, (uint64_t)global(i), (uint64_t)j);
			row(i)[size] += row(i)[j] * known(j);
		}
	}
}

/* The free row of all processes with the largest element in this column; the smallest number of
 * those with equal ones. */
static long choose(void)
{
	struct {
		double value;
		int row;
	} best = { -1, INT_MAX }, all;

	for (long i = 0; i < own_rows; i++)
		if (gives[i] == FREE && fabs(row(i)[column]) > best.value) {
			best.value = fabs(row(i)[column]);
			best.row = (int)global(i);
		}
	MPI_Allreduce(&best, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
	require(all.value > 0, "the matrix is singular; take another --seed");
	return all.row;
}

static void eliminate(long chosen)
{
	const long from = column, width = size + 1 - from;

	if (owner(chosen) == rank) {
		double *own = row((chosen - global(0)) / (np - first_owner()));

		gives[(own - rows) / (size + 1)] = column;
		for (long j = size; j >= from; j--)
			own[j] /= own[from];
		memcpy(pivot, own + from, (size_t)width * sizeof *pivot);
	}
	MPI_Bcast(pivot, (int)width, MPI_DOUBLE, owner(chosen), MPI_COMM_WORLD);
	for (long i = 0; i < own_rows; i++) {
		double *r = row(i) + from;
		const double factor = r[0];

		if (global(i) == chosen || factor == 0)
			continue;
		for (long j = 0; j < width; j++)
			r[j] -= factor * pivot[j];
	}
}

/* Each unknown is a number of one process and zero of the others, so the sum does not depend on its
 * order. */
static double *solution(void)
{
	double *own = zeros((size_t)size, sizeof *own), *x = zeros((size_t)size, sizeof *x);

	for (long i = 0; i < own_rows; i++)
		own[gives[i]] = row(i)[size];
	MPI_Allreduce(own, x, (int)size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	free(own);
	return x;
}

static bool right(const double *x)
{
	for (long j = 0; j < size; j++)
		if (!(fabs(x[j] - known(j)) < 1e-4))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	uint64_t hash;
	double *x;
	bool good;

	begin(&argc, &argv, &PROGRAM);
	make_system();
	elc_protect(1, &column, sizeof column);
	elc_protect(2, rows, (size_t)own_rows * (size_t)(size + 1) * sizeof *rows);
	elc_protect(3, gives, (size_t)own_rows * sizeof *gives);
	set_up_done();
	while (column < size) {
		safe_point(column, size);
		eliminate(choose());
		column++;
	}
	x = solution();
	computed();
	hash = mix_doubles(0, x, (size_t)size);
	good = right(x);
	free(x);
	free(rows);
	free(gives);
	free(pivot);
	return end(&PROGRAM, size, hash, good);
}
