/* C = A B with whole numbers, so that the result is exact. Process 0, the master, deals the columns
 * of B cyclically to the others, the workers, which have A and return columns of C. A worker has
 * one message at a time; the master takes answers as they come. What is sent to a worker does not
 * depend on the order of answers.
 *
 * The paper says two things about the messages: 4 columns each, or all columns of a worker in one
 * (512 KiB for 512 columns and 4 workers). --columns 4 is the first, --columns 0 the second. */
#include "elc/elc.h"
#include "elc/programs/common.h"

#include <mpi.h>

#include <stdlib.h>

enum { LEFT = 1, RIGHT, VECTOR, LARGEST = 9 };
enum { COLUMNS = 1, RESULT }; /* tags */

static long size = 256, columns = 4;

static const struct argument OWN[] = {
	{ "size", &size, 1, 8192, "rows and columns of the matrices" },
	{ "columns", &columns, 0, 8192, "columns in a message; 0: all of a worker in one" },
	{ NULL, NULL, 0, 0, NULL },
};
static const struct program PROGRAM = {
	.name = "matmul",
	.own = OWN,
	.text = "Multiplies matrices: a master deals columns to workers. Check: C v = A (B v) for "
		"a vector v, exactly.",
};

/* The state of the master: C, and per process how many messages it was given and has answered. That
 * of a worker: how many it has answered. Matrices are stored by columns. */
static double *product;
static long *dealt, *answered;
static long done;

static double *factor; /* B at the master, A at the workers */

static long workers(void)
{
	return np - 1;
}

static long chunks(void)
{
	return (size + columns - 1) / columns;
}

/* Of the n-th message of this worker: its first column, and how many it has. */
static long first_column(int worker, long n)
{
	return (worker - 1 + n * workers()) * columns;
}

static long width(int worker, long n)
{
	const long rest = size - first_column(worker, n);

	return rest < columns ? rest : columns;
}

/* Messages of this worker. */
static long share(int worker)
{
	return (chunks() - (worker - 1) + workers() - 1) / workers();
}

static void deal(int worker)
{
	const long n = dealt[worker];

	MPI_Send(factor + first_column(worker, n) * size, (int)(width(worker, n) * size),
		 MPI_DOUBLE, worker, COLUMNS, MPI_COMM_WORLD);
	dealt[worker]++;
}

static void take_answer(void)
{
	MPI_Status status;
	int worker;
	long n;

	MPI_Probe(MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
	worker = status.MPI_SOURCE;
	n = answered[worker]++;
	MPI_Recv(product + first_column(worker, n) * size, (int)(width(worker, n) * size),
		 MPI_DOUBLE, worker, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void be_master(void)
{
	for (; done < chunks(); done++) {
		safe_point(done, chunks());
		for (int w = 1; w < np; w++)
			if (dealt[w] == answered[w] && dealt[w] < share(w))
				deal(w);
		take_answer();
	}
}

static void multiply(const double *in, double *out, long n)
{
	for (long i = 0; i < n * size; i++)
		out[i] = 0;
	for (long k = 0; k < size; k++)
		for (long j = 0; j < n; j++)
			for (long i = 0; i < size; i++)
				out[j * size + i] += factor[k * size + i] * in[j * size + k];
}

static void be_worker(void)
{
	double *in = zeros((size_t)(columns * size), sizeof *in),
	       *out = zeros((size_t)(columns * size), sizeof *out);

	for (; done < share(rank); done++) {
		const long n = width(rank, done);

		safe_point(done, share(rank));
		MPI_Recv(in, (int)(n * size), MPI_DOUBLE, 0, COLUMNS, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		multiply(in, out, n);
		MPI_Send(out, (int)(n * size), MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
	}
	free(in);
	free(out);
}

static double element(int matrix, long i, long j)
{
	return whole_number(LARGEST, (uint64_t)matrix, (uint64_t)i, (uint64_t)j);
}

/* result += M v; M is the matrix at m or, without one, A. */
static void apply(const double *m, const double *v, double *result)
{
	for (long j = 0; j < size; j++)
		for (long i = 0; i < size; i++)
			result[i] += (m ? m[j * size + i] : element(LEFT, i, j)) * v[j];
}

static bool right(void)
{
	double *v = zeros(4 * (size_t)size, sizeof *v), *bv = v + size, *abv = v + 2 * size,
	       *cv = v + 3 * size;
	bool same = true;

	for (long i = 0; i < size; i++)
		v[i] = whole_number(LARGEST, VECTOR, (uint64_t)i, 0);
	apply(factor, v, bv);
	apply(NULL, bv, abv);
	apply(product, v, cv);
	for (long i = 0; i < size; i++)
		same = same && abv[i] == cv[i];
	free(v);
	return same;
}

static void make_matrices(void)
{
	factor = zeros((size_t)(size * size), sizeof *factor);
	for (long j = 0; j < size; j++)
		for (long i = 0; i < size; i++)
			factor[j * size + i] = element(rank == 0 ? RIGHT : LEFT, i, j);
	elc_protect(1, &done, sizeof done);
	if (rank > 0)
		return;
	product = zeros((size_t)(size * size), sizeof *product);
	dealt = zeros(2 * (size_t)np, sizeof *dealt);
	answered = dealt + np;
	elc_protect(2, product, (size_t)(size * size) * sizeof *product);
	elc_protect(3, dealt, 2 * (size_t)np * sizeof *dealt);
}

int main(int argc, char **argv)
{
	uint64_t hash = 0;
	bool good = true;

	begin(&argc, &argv, &PROGRAM);
	require(np > 1, "matmul needs a master and a worker: two processes at least");
	if (columns == 0)
		columns = (size + workers() - 1) / workers();
	require(columns * size < 1 << 28,
		"a message would be larger than 2 GiB; take fewer --columns");
	make_matrices();
	set_up_done();
	if (rank == 0)
		be_master();
	else
		be_worker();
	computed();
	if (rank == 0) {
		hash = mix_doubles(0, product, (size_t)(size * size));
		good = right();
	}
	free(product);
	free(factor);
	free(dealt);
	return end(&PROGRAM, size, hash, good);
}
