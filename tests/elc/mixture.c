/* A plain MPI program under event-logging checkpoints: a stencil on a ring, tokens that are several
 * steps under way and are received in another order than sent, reports that rank 0 receives from
 * any source, collective functions, and communicators of its own. Each process has its safe points
 * at other steps. It prints one line with a hash of all its state: the same hash, whatever has died
 * before.
 *
 * usage: mixture STEPS CELLS [--kill RANK STEP] [--differ]
 * --kill: this rank kills itself in this step, unless the program was restarted. --differ: tokens
 * depend on whether it was. */
#include "elc/elc.h"

#include <mpi.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN = 10, TAGS = 3, REPORT = 20, LEFT = 30, RIGHT, LONGEST = 40 };

/* All that the program must know to go on, beside the cells. */
static struct {
	int step, tokens; /* tokens received */
	uint64_t hash, reports;
	double largest;
} now;

static double *cell; /* 0 and cells + 1 are copies of the neighbours' */
static int steps, cells, rank, np, kill_rank = -1, kill_step = -1, differ;
static long restarted;
static MPI_Comm ring, half;

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t bits(double v)
{
	uint64_t b;

	memcpy(&b, &v, sizeof b);
	return b;
}

/* How many steps behind a token is received. */
static int lag(void)
{
	return 4 + 2 * (rank % 3);
}

static void send_token(void)
{
	const uint64_t token[2] = { (uint64_t)now.step, mix(now.hash, bits(cell[1])) +
								(uint64_t)(differ && restarted) };

	MPI_Send(token, 2, MPI_UINT64_T, (rank + 1) % np, TOKEN + now.step % TAGS, MPI_COMM_WORLD);
}

static void receive_token(int step)
{
	uint64_t token[2];

	MPI_Recv(token, 2, MPI_UINT64_T, (rank + np - 1) % np, TOKEN + step % TAGS, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	if (token[0] != (uint64_t)step) {
		fprintf(stderr, "rank %d: expected the token of step %d, got that of %llu\n", rank,
			step, (unsigned long long)token[0]);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	now.hash = mix(now.hash, token[1]);
	now.tokens++;
}

/* Two at a time, the newer one first. */
static void receive_tokens(int until)
{
	while (now.tokens + 1 < until) {
		const int first = now.tokens;

		receive_token(first + 1);
		receive_token(first);
	}
}

/* Blocking and not, by turns. */
static void exchange_borders(void)
{
	const int left = (rank + np - 1) % np, right = (rank + 1) % np;
	MPI_Request r[4];
	MPI_Status s[4];

	if (now.step % 2) {
		MPI_Sendrecv(&cell[1], 1, MPI_DOUBLE, left, LEFT, &cell[cells + 1], 1, MPI_DOUBLE,
			     right, LEFT, ring, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&cell[cells], 1, MPI_DOUBLE, right, RIGHT, &cell[0], 1, MPI_DOUBLE,
			     left, RIGHT, ring, MPI_STATUS_IGNORE);
		return;
	}
	MPI_Irecv(&cell[cells + 1], 1, MPI_DOUBLE, right, LEFT, ring, &r[0]);
	MPI_Irecv(&cell[0], 1, MPI_DOUBLE, MPI_ANY_SOURCE, RIGHT, ring, &r[1]);
	MPI_Isend(&cell[1], 1, MPI_DOUBLE, left, LEFT, ring, &r[2]);
	MPI_Isend(&cell[cells], 1, MPI_DOUBLE, right, RIGHT, ring, &r[3]);
	MPI_Waitall(4, r, s);
}

static void relax(void)
{
	double before = cell[0];

	for (int i = 1; i <= cells; i++) {
		const double here = cell[i];

		cell[i] = 0.25 * before + 0.5 * here + 0.25 * cell[i + 1] + 1e-3 * (i % 5);
		before = here;
	}
}

/* The length of a report says from whom and when it is; rank 0 probes for it. What it makes of them
 * does not depend on their order. */
static void report(void)
{
	double text[LONGEST] = { now.step, rank, cell[cells] };
	MPI_Message message;
	MPI_Status status;
	int n;

	if (rank > 0) {
		MPI_Send(text, 3 + (rank + now.step) % 30, MPI_DOUBLE, 0, REPORT, MPI_COMM_WORLD);
		return;
	}
	for (int i = 1; i < np; i++) {
		if (now.step % 2)
			MPI_Mprobe(MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD, &message, &status);
		else
			MPI_Probe(MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_DOUBLE, &n);
		if (now.step % 2)
			MPI_Mrecv(text, n, MPI_DOUBLE, &message, &status);
		else
			MPI_Recv(text, n, MPI_DOUBLE, status.MPI_SOURCE, REPORT, MPI_COMM_WORLD,
				 &status);
		if ((int)text[1] != status.MPI_SOURCE ||
		    n != 3 + ((int)text[1] + (int)text[0]) % 30) {
			fprintf(stderr,
				"a report of rank %g, step %g has %d elements and comes from %d\n",
				text[1], text[0], n, status.MPI_SOURCE);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
		now.reports += mix(bits(text[2]), (uint64_t)text[0] * 1000 + (uint64_t)text[1]);
	}
}

static void collective(void)
{
	uint64_t sum = now.hash, all[64];
	double largest = cell[cells / 2];

	if (now.step % 5 == 0)
		MPI_Allreduce(&largest, &now.largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	if (now.step % 7 == 0) {
		MPI_Allgather(&sum, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, half);
		now.hash = mix(now.hash, all[0]);
	}
	if (now.step % 11 == 0) {
		MPI_Reduce(&now.hash, &sum, 1, MPI_UINT64_T, MPI_SUM, np - 1, MPI_COMM_WORLD);
		MPI_Bcast(&sum, 1, MPI_UINT64_T, np - 1, MPI_COMM_WORLD);
		now.hash = mix(now.hash, sum);
	}
	if (now.step % 13 == 0)
		MPI_Barrier(half);
}

static void step(void)
{
	if (now.step % 25 == 10 && now.step / 25 % np == rank)
		elc_checkpoint();
	else if (now.step % (2 + rank) == 0)
		elc_safe_point();
	if (rank == kill_rank && now.step == kill_step && !restarted)
		raise(SIGKILL);
	usleep((useconds_t)((rank * 37 + now.step * 13) % 150));
	send_token();
	exchange_borders();
	relax();
	receive_tokens(now.step + 1 - lag());
	if (now.step % 3 == 0)
		report();
	collective();
	now.hash = mix(now.hash, bits(cell[1]) + bits(now.largest));
	now.step++;
}

static void print_result(void)
{
	uint64_t own = mix(now.hash, now.reports), all = 0;

	for (int i = 1; i <= cells; i++)
		own = mix(own, bits(cell[i]));
	own = mix(own, (uint64_t)rank);
	MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("result %016llx from line %ld\n", (unsigned long long)all, restarted);
}

static void set_up(int argc, char **argv)
{
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "--kill") == 0 && i + 2 < argc) {
			kill_rank = atoi(argv[i + 1]);
			kill_step = atoi(argv[i + 2]);
		}
		differ = differ || strcmp(argv[i], "--differ") == 0;
	}
	steps = atoi(argv[1]);
	cells = atoi(argv[2]);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	MPI_Comm_dup(MPI_COMM_WORLD, &ring);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	cell = calloc((size_t)cells + 2, sizeof *cell);
	for (int i = 1; i <= cells; i++)
		cell[i] = (rank * cells + i) % 17;
	elc_protect(1, &now, sizeof now);
	elc_protect(2, cell, ((size_t)cells + 2) * sizeof *cell);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: mixture STEPS CELLS [--kill RANK STEP] [--differ]\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	set_up(argc, argv);
	restarted = elc_restarted();
	while (now.step < steps)
		step();
	while (now.tokens < steps)
		receive_token(now.tokens);
	print_result();
	MPI_Comm_free(&half);
	MPI_Comm_free(&ring);
	free(cell);
	MPI_Finalize();
	return 0;
}
