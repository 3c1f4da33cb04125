/* Every collective function that is covered, blocking and not, with lines between all of them and
 * processes ahead of others. What they get goes into a hash that must be the same without the
 * library, with it, and after restarts.
 *
 * usage: together ROUNDS */
#include "elc/elc.h"

#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX = 8, BLOCK = 3, ROOM = 2 * MAX * MAX * BLOCK, KINDS = 28, STAGES = 6 };

static struct {
	int stage; /* so many in a round */
	uint64_t hash;
} now;

/* One call: its arrays stay until it is complete. */
struct job {
	int in[ROOM], out[ROOM];
	int count[MAX], at[MAX], given[MAX], from[MAX], here[MAX], there[MAX];
	MPI_Datatype types[MAX];
	MPI_Request request;
};

static int rank, np;
static MPI_Comm part, others, early; /* even or odd ranks; all, in the reverse order */
static MPI_Datatype pair;            /* two integers with a gap */
static struct job job[3];

static void keep(const int *value, int n)
{
	for (int i = 0; i < n; i++)
		now.hash = (now.hash ^ (uint64_t)value[i]) * UINT64_C(0x9e3779b97f4a7c15) +
			   now.hash / 7;
}

/* Rank r gives s + 1 elements to rank s, or r + s + 1 where both must say the same. */
static void prepare(struct job *j, int kind, MPI_Comm comm)
{
	int me, size, n = 0, m = 0;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &size);
	for (int i = 0; i < ROOM; i++) {
		j->out[i] = (int)(now.hash % 1000003) + 7 * i + kind;
		j->in[i] = kind >= 17 ? j->out[i] + 3 : -1;
	}
	for (int i = 0; i < size; i++) {
		j->given[i] = kind == 19 || kind == 20 ? me + i + 1 : i + 1;
		j->count[i] = kind == 19 || kind == 20  ? me + i + 1
			      : kind == 9 || kind == 10 ? me + 1
							: i + 1;
		j->from[i] = n;
		j->at[i] = m;
		j->here[i] = n * (int)sizeof(int);
		j->there[i] = m * (int)sizeof(int);
		n += j->given[i];
		m += j->count[i];
		j->types[i] = MPI_INT;
	}
	j->request = MPI_REQUEST_NULL;
}

#define CALL(Name, Iname, ...) (r ? MPI_##Iname(__VA_ARGS__, r) : MPI_##Name(__VA_ARGS__))

/* r: for its request; NULL: blocking. */
static void call_in_place(struct job *j, int kind, MPI_Comm comm, int root, int me, MPI_Request *r)
{
	switch (kind) {
	case 17:
		CALL(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_INT, j->in, BLOCK, MPI_INT, comm);
		break;
	case 18:
		CALL(Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_INT, j->in, BLOCK, MPI_INT, comm);
		break;
	case 19:
		CALL(Alltoallv, Ialltoallv, MPI_IN_PLACE, NULL, NULL, MPI_INT, j->in, j->count,
		     j->at, MPI_INT, comm);
		break;
	case 20:
		CALL(Alltoallw, Ialltoallw, MPI_IN_PLACE, NULL, NULL, NULL, j->in, j->count,
		     j->there, j->types, comm);
		break;
	case 21:
		CALL(Allreduce, Iallreduce, MPI_IN_PLACE, j->in, BLOCK, MPI_INT, MPI_SUM, comm);
		break;
	case 22:
		CALL(Reduce, Ireduce, me == root ? MPI_IN_PLACE : j->out, j->in, BLOCK, MPI_INT,
		     MPI_MAX, root, comm);
		break;
	case 23:
		CALL(Gather, Igather, me == root ? MPI_IN_PLACE : j->out, BLOCK, MPI_INT, j->in,
		     BLOCK, MPI_INT, root, comm);
		break;
	case 24:
		CALL(Scatter, Iscatter, j->out, BLOCK, MPI_INT, me == root ? MPI_IN_PLACE : j->in,
		     BLOCK, MPI_INT, root, comm);
		break;
	case 25:
		CALL(Scan, Iscan, MPI_IN_PLACE, j->in, BLOCK, MPI_INT, MPI_SUM, comm);
		break;
	case 26:
		CALL(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, j->in, BLOCK,
		     MPI_INT, MPI_SUM, comm);
		break;
	default:
		CALL(Allgatherv, Iallgatherv, MPI_IN_PLACE, 0, MPI_INT, j->in, j->count, j->at,
		     MPI_INT, comm);
		break;
	}
}

static void call(struct job *j, int kind, MPI_Comm comm, MPI_Request *r)
{
	int me, size, root;
	MPI_Datatype own;

	prepare(j, kind, comm);
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &size);
	root = now.stage / STAGES % size;
	switch (kind) {
	case 0:
		CALL(Barrier, Ibarrier, comm);
		break;
	case 1:
		MPI_Type_dup(pair, &own); /* freed before the call is complete */
		CALL(Bcast, Ibcast, me == root ? j->out : j->in, BLOCK, own, root, comm);
		MPI_Type_free(&own);
		break;
	case 2:
		CALL(Gather, Igather, j->out, 2 * BLOCK, MPI_INT, j->in, BLOCK, pair, root, comm);
		break;
	case 3:
		CALL(Gatherv, Igatherv, j->out, me + 1, MPI_INT, j->in, j->count, j->at, MPI_INT,
		     root, comm);
		break;
	case 4:
		CALL(Scatter, Iscatter, j->out, BLOCK, pair, j->in, 2 * BLOCK, MPI_INT, root, comm);
		break;
	case 5:
		CALL(Scatterv, Iscatterv, j->out, j->given, j->from, MPI_INT, j->in, me + 1,
		     MPI_INT, root, comm);
		break;
	case 6:
		CALL(Allgather, Iallgather, j->out, 1, pair, j->in, 2, MPI_INT, comm);
		break;
	case 7:
		CALL(Allgatherv, Iallgatherv, j->out, me + 1, MPI_INT, j->in, j->count, j->at,
		     MPI_INT, comm);
		break;
	case 8:
		CALL(Alltoall, Ialltoall, j->out, BLOCK, MPI_INT, j->in, BLOCK, MPI_INT, comm);
		break;
	case 9:
		CALL(Alltoallv, Ialltoallv, j->out, j->given, j->from, MPI_INT, j->in, j->count,
		     j->at, MPI_INT, comm);
		break;
	case 10:
		CALL(Alltoallw, Ialltoallw, j->out, j->given, j->here, j->types, j->in, j->count,
		     j->there, j->types, comm);
		break;
	case 11:
		CALL(Reduce, Ireduce, j->out, j->in, BLOCK, MPI_INT, MPI_SUM, root, comm);
		break;
	case 12:
		CALL(Allreduce, Iallreduce, j->out, j->in, BLOCK, MPI_INT, MPI_MAX, comm);
		break;
	case 13:
		CALL(Scan, Iscan, j->out, j->in, BLOCK, MPI_INT, MPI_SUM, comm);
		break;
	case 14:
		CALL(Exscan, Iexscan, j->out, j->in, BLOCK, MPI_INT, MPI_SUM, comm);
		break;
	case 15:
		CALL(Reduce_scatter, Ireduce_scatter, j->out, j->in, j->given, MPI_INT, MPI_BXOR,
		     comm);
		break;
	case 16:
		CALL(Reduce_scatter_block, Ireduce_scatter_block, j->out, j->in, BLOCK, MPI_INT,
		     MPI_SUM, comm);
		break;
	default:
		call_in_place(j, kind, comm, root, me, r);
	}
}

/* What this rank has got. In an Exscan, rank 0 has got nothing, and what MPI has left there is not
 * told. */
static void got(const struct job *j, int kind, MPI_Comm comm)
{
	int me;

	MPI_Comm_rank(comm, &me);
	if (kind != 14 || me > 0)
		keep(j->in, ROOM);
}

/* Three at a time, on two communicators, waited for in each way, and one of them seen before
 * that. */
static void nonblocking(int round)
{
	const int kind[3] = { round % KINDS, (round + 5) % KINDS, (round + 11) % KINDS };
	MPI_Request r[3];
	int flag = 0, index;

	call(&job[0], kind[0], part, &r[0]);
	call(&job[1], kind[1], others, &r[1]);
	call(&job[2], kind[2], part, &r[2]);
	usleep((useconds_t)((rank * 131 + round * 17) % 400));
	switch (round % 5) {
	case 0:
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
		break;
	case 1:
		for (int i = 2; i >= 0; i--)
			MPI_Wait(&r[i], MPI_STATUS_IGNORE);
		break;
	case 2:
		while (!flag)
			MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE);
		break;
	case 3:
		for (int i = 0; i < 3; i++)
			MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
		break;
	default:
		while (!flag)
			MPI_Request_get_status(r[1], &flag, MPI_STATUS_IGNORE);
		got(&job[1], kind[1], others); /* it is the program's from here on */
		memset(job[1].in, 0, sizeof job[1].in);
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	}
	for (int i = 0; i < 3; i++)
		if (i != 1 || round % 5 < 4)
			got(&job[i], kind[i], i == 1 ? others : part);
}

/* The root does not wait for the others, which are late; so it is several broadcasts ahead, and
 * cuts there. */
static void ahead(int round)
{
	const int root = round % np;
	int value[2] = { (int)now.hash, now.stage };

	if (rank != root)
		usleep(400);
	MPI_Bcast(value, 2, MPI_INT, root, MPI_COMM_WORLD);
	keep(value, 2);
}

static void stage(void)
{
	const int round = now.stage / STAGES;

	switch (now.stage % STAGES) {
	case 0:
		call(&job[0], round % KINDS, others, NULL);
		got(&job[0], round % KINDS, others);
		break;
	case 1:
		nonblocking(round);
		break;
	default:
		ahead(round);
		break;
	}
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : KINDS;
	uint64_t all = 0;
	long line;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &others);
	MPI_Comm_dup(MPI_COMM_WORLD, &early);
	MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	now.hash = (uint64_t)rank + 1;
	elc_protect(1, &now, sizeof now);
	line = elc_restarted();
	for (; now.stage < rounds * STAGES; now.stage++) {
		if (now.stage % 17 == 3 * rank)
			elc_checkpoint();
		else if ((now.stage + rank) % 3 > 0)
			elc_safe_point();
		stage();
		if (now.stage ==
		    1) /* lines behind this must serve, too: a restarted program makes it again */
			MPI_Comm_free(&early);
	}
	MPI_Reduce(&now.hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("result %016llx from line %ld\n", (unsigned long long)all, line);
	MPI_Type_free(&pair);
	MPI_Comm_free(&part);
	MPI_Comm_free(&others);
	MPI_Finalize();
	return 0;
}
