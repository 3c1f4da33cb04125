/* Every function that event-logging checkpoints cover, in turn, with lines between all of them.
 * Each round makes one kind of calls; its result is checked, and goes into a hash that must be the
 * same without the library, with it, and after restarts.
 *
 * usage: every ROUNDS */
#include "elc/elc.h"

#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX = 16, TAG = 4, LATE = 8, READY, NEVER, BEHIND = 3 };

static struct {
	int round;
	uint64_t hash;
} now;
static int rank, np, in[MAX * MAX], out[MAX * MAX];
static MPI_Comm part;     /* even or odd ranks */
static MPI_Datatype pair; /* two integers with a gap */

/* Persistent requests. Messages with tag LATE are received so many rounds after they were sent
 * (BEHIND); the others in their round. Both have communicators of their own, since there are
 * receives with any tag. */
static struct {
	MPI_Request late[3]; /* send, buffered send, receive from any source */
	MPI_Request ring[3]; /* receive, synchronous send, ready send */
	int late_out, late_in, out[3], freed[3], in[3];
	MPI_Comm comm, late_comm;
} persistent;

static void keep(const int *value, int n)
{
	for (int i = 0; i < n; i++)
		now.hash = (now.hash ^ (uint64_t)value[i]) * UINT64_C(0x9e3779b97f4a7c15) +
			   now.hash / 7;
}

static void must(int right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "rank %d, round %d: %s is wrong\n", rank, now.round, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static int right_of(int r)
{
	return (r + 1) % np;
}

static int left_of(int r)
{
	return (r + np - 1) % np;
}

/* The value that rank r sends in this round. */
static int value_of(int r)
{
	return 1000 * now.round + r;
}

/* Each mode of sending: what is sent is received at the left one's next turn, by another kind of
 * receive. */
static void modes(int kind)
{
	static char buffer[1 << 16];
	int v = value_of(rank), got = -1, bytes;
	void *attached = buffer;
	MPI_Request r = MPI_REQUEST_NULL, s = MPI_REQUEST_NULL;

	MPI_Irecv(&got, 1, MPI_INT, kind % 2 ? MPI_ANY_SOURCE : left_of(rank),
		  kind % 2 ? TAG : MPI_ANY_TAG, MPI_COMM_WORLD, &r);
	if (kind == 1 || kind == 5)
		MPI_Buffer_attach(buffer, sizeof buffer);
	switch (kind) {
	case 0:
		MPI_Ssend(&v, 1, MPI_INT, right_of(rank), TAG, MPI_COMM_WORLD);
		break;
	case 1:
		MPI_Bsend(&v, 1, MPI_INT, right_of(rank), TAG, MPI_COMM_WORLD);
		break;
	case 2:
		MPI_Isend(&v, 1, MPI_INT, right_of(rank), TAG, MPI_COMM_WORLD, &s);
		break;
	case 3:
		MPI_Issend(&v, 1, MPI_INT, right_of(rank), TAG, MPI_COMM_WORLD, &s);
		break;
	case 4:
		MPI_Send(&v, 1, MPI_INT, right_of(rank), TAG, MPI_COMM_WORLD);
		break;
	default:
		MPI_Ibsend(&v, 1, MPI_INT, right_of(rank), TAG, MPI_COMM_WORLD, &s);
		break;
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Wait(&s, MPI_STATUS_IGNORE);
	if (kind == 1 || kind == 5)
		MPI_Buffer_detach(&attached, &bytes);
	must(got == value_of(left_of(rank)), "a message");
	keep(&got, 1);
}

/* Rank 0 gets a message from all, in each way of waiting; the ranks go on at once, so the next
 * rounds' messages are under way. */
static void waiting(int kind)
{
	MPI_Request r[MAX];
	MPI_Status status[MAX];
	int v = value_of(rank), got[MAX] = { 0 }, index[MAX], done = 0, flag = 0, n;

	if (rank > 0) {
		MPI_Send(&v, 1, MPI_INT, 0, 100 + now.round, MPI_COMM_WORLD);
		return;
	}
	r[0] = MPI_REQUEST_NULL;
	for (int i = 1; i < np; i++)
		MPI_Irecv(&got[i], 1, MPI_INT, i, 100 + now.round, MPI_COMM_WORLD, &r[i]);
	while (done < np - 1 && !flag) {
		n = 0;
		switch (kind) {
		case 0:
			MPI_Waitany(np, r, &index[0], status);
			n = 1;
			break;
		case 1:
			MPI_Waitsome(np, r, &n, index, status);
			break;
		case 2:
			MPI_Testany(np, r, &index[0], &n, status);
			break;
		case 3:
			MPI_Testsome(np, r, &n, index, status);
			break;
		case 4:
			MPI_Testall(np, r, &flag, MPI_STATUSES_IGNORE);
			break;
		case 5:
			MPI_Waitall(np, r, MPI_STATUSES_IGNORE);
			flag = 1;
			break;
		default:
			MPI_Test(&r[done + 1], &n, status);
			index[0] = done + 1;
			break;
		}
		for (int i = 0; i < n; i++)
			must(status[i].MPI_SOURCE == index[i] &&
				     status[i].MPI_TAG == 100 + now.round,
			     "a status");
		done += n;
	}
	for (int i = 1; i < np; i++)
		must(got[i] == value_of(i), "a message by index");
	keep(got + 1, np - 1);
}

/* From any source, after a probe; a datatype with gaps; an exchange in place. */
static void others(int kind)
{
	MPI_Status status;
	int v[4] = { value_of(rank), 7, value_of(rank) + 1, 7 }, got[4] = { 0, 5, 0, 5 }, flag = 0,
	    n;

	if (kind == 0) {
		MPI_Sendrecv_replace(v, 1, pair, right_of(rank), TAG, left_of(rank), TAG,
				     MPI_COMM_WORLD, &status);
		must(v[0] == value_of(left_of(rank)) && v[1] == 7 &&
			     v[2] == value_of(left_of(rank)) + 1,
		     "MPI_Sendrecv_replace");
		keep(v, 3);
		return;
	}
	MPI_Send(v, 1, pair, right_of(rank), TAG + kind, MPI_COMM_WORLD);
	while (kind == 1 && !flag)
		MPI_Iprobe(MPI_ANY_SOURCE, TAG + 1, MPI_COMM_WORLD, &flag, &status);
	if (kind == 2)
		MPI_Probe(left_of(rank), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &n);
	must(n == 2 && status.MPI_SOURCE == left_of(rank) && status.MPI_TAG == TAG + kind,
	     "a probe");
	MPI_Recv(got, 1, pair, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
	must(got[0] == value_of(left_of(rank)) && got[1] == 5 && got[2] == got[0] + 1,
	     "a message with gaps");
	keep(got, 3);
}

static void make_persistent(void)
{
	MPI_Datatype own;

	MPI_Comm_dup(MPI_COMM_WORLD, &persistent.comm);
	MPI_Comm_dup(MPI_COMM_WORLD, &persistent.late_comm);
	MPI_Send_init(&persistent.late_out, 1, MPI_INT, right_of(rank), LATE, persistent.late_comm,
		      &persistent.late[0]);
	MPI_Bsend_init(&persistent.late_out, 1, MPI_INT, right_of(rank), LATE, persistent.late_comm,
		       &persistent.late[1]);
	MPI_Recv_init(&persistent.late_in, 1, MPI_INT, MPI_ANY_SOURCE, LATE, persistent.late_comm,
		      &persistent.late[2]);
	MPI_Type_dup(pair, &own); /* freed before the requests are used */
	MPI_Recv_init(persistent.in, 1, own, left_of(rank), MPI_ANY_TAG, persistent.comm,
		      &persistent.ring[0]);
	MPI_Ssend_init(persistent.out, 1, own, right_of(rank), TAG, persistent.comm,
		       &persistent.ring[1]);
	MPI_Rsend_init(persistent.out, 1, own, right_of(rank), TAG + 1, persistent.comm,
		       &persistent.ring[2]);
	MPI_Type_free(&own);
}

static void free_persistent(void)
{
	for (int i = 0; i < 3; i++) {
		MPI_Request_free(&persistent.late[i]);
		MPI_Request_free(&persistent.ring[i]);
		must(persistent.late[i] == MPI_REQUEST_NULL &&
			     persistent.ring[i] == MPI_REQUEST_NULL,
		     "a freed request");
	}
	MPI_Comm_free(&persistent.comm);
	MPI_Comm_free(&persistent.late_comm);
}

static void receive_late(int round)
{
	MPI_Status status;

	persistent.late_in = -1;
	MPI_Start(&persistent.late[2]);
	MPI_Wait(&persistent.late[2], &status);
	must(persistent.late_in == 1000 * round + left_of(rank) &&
		     status.MPI_SOURCE == left_of(rank) && status.MPI_TAG == LATE,
	     "a late message");
	keep(&persistent.late_in, 1);
}

static void late_messages(void)
{
	static char buffer[1 << 16];
	void *attached = buffer;
	int bytes, flag = 0;
	MPI_Status status;

	persistent.late_out = value_of(rank);
	MPI_Buffer_attach(buffer, sizeof buffer);
	MPI_Start(&persistent.late[now.round % 2]);
	while (!flag)
		MPI_Test(&persistent.late[now.round % 2], &flag, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&attached, &bytes);
	/* What is not active is complete, and has an empty status. */
	MPI_Test(&persistent.late[now.round % 2], &flag, &status);
	must(flag && status.MPI_SOURCE == MPI_ANY_SOURCE && persistent.late[0] != MPI_REQUEST_NULL,
	     "an inactive request");
	if (now.round >= BEHIND)
		receive_late(now.round - BEHIND);
}

/* Start the receive, and when that of the right one is started, the ready send. */
static void start_ready(void)
{
	MPI_Start(&persistent.ring[0]);
	MPI_Sendrecv(NULL, 0, MPI_INT, left_of(rank), READY, NULL, 0, MPI_INT, right_of(rank),
		     READY, persistent.late_comm, MPI_STATUS_IGNORE);
	MPI_Start(&persistent.ring[2]);
}

/* A receive that nothing matches can be cancelled; the end of a send need not be waited for. */
static void cancel_and_free(void)
{
	MPI_Request r;
	MPI_Status status;
	int never, cancelled = 0;

	MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, NEVER, persistent.late_comm, &r);
	MPI_Cancel(&r);
	MPI_Wait(&r, &status);
	MPI_Test_cancelled(&status, &cancelled);
	must(cancelled, "MPI_Cancel");
	for (int i = 0; i < 3; i++)
		persistent.freed[i] = persistent.out[i];
	MPI_Isend(persistent.freed, 1, pair, right_of(rank), TAG, persistent.comm, &r);
	MPI_Request_free(&r);
}

static void started(int kind)
{
	MPI_Request none[2] = { MPI_REQUEST_NULL, persistent.late[2] };
	MPI_Status status[3], any;
	int index[3], n = 0, flag = 0;

	late_messages();
	persistent.out[0] = value_of(rank);
	persistent.out[1] = persistent.in[1] = 5; /* in the gap */
	persistent.out[2] = value_of(rank) + 1;
	switch (kind) {
	case 0:
		MPI_Startall(2, persistent.ring);
		MPI_Waitall(3, persistent.ring, status);
		break;
	case 1:
		start_ready();
		for (int i = 0; i < 2; i++)
			MPI_Waitany(3, persistent.ring, &index[i], &status[i]);
		status[0] = status[index[1] == 0];
		must((index[0] == 0 && index[1] == 2) || (index[0] == 2 && index[1] == 0),
		     "MPI_Waitany");
		MPI_Waitany(3, persistent.ring, &index[0], &any);
		must(index[0] == MPI_UNDEFINED, "MPI_Waitany of inactive requests");
		break;
	case 2:
		MPI_Startall(2, persistent.ring);
		while (n < 2) {
			MPI_Waitsome(3, persistent.ring, &flag, index, status);
			for (int i = 0; i < flag; i++)
				any = index[i] == 0 ? status[i] : any;
			n += flag;
		}
		status[0] = any;
		break;
	case 3:
		cancel_and_free();
		MPI_Start(&persistent.ring[0]);
		while (!flag)
			MPI_Request_get_status(persistent.ring[0], &flag, &status[0]);
		for (int i = 0; i < 3; i++) { /* what is received is the program's from here on */
			index[i] = persistent.in[i];
			persistent.in[i] = -1;
		}
		/* MPICH has an empty status here */
		MPI_Wait(&persistent.ring[0], MPI_STATUS_IGNORE);
		for (int i = 0; i < 3; i++)
			persistent.in[i] = index[i];
		break;
	default:
		start_ready();
		while (!flag)
			MPI_Testall(3, persistent.ring, &flag, status);
		break;
	}
	must(status[0].MPI_SOURCE == left_of(rank) && persistent.in[0] == value_of(left_of(rank)) &&
		     persistent.in[2] == persistent.in[0] + 1,
	     "a message of persistent requests");
	keep(persistent.in, 3);
	MPI_Waitall(2, none, status);
	must(none[1] == persistent.late[2], "MPI_Waitall of inactive requests");
}

/* On a communicator of some ranks; blocks of i + 1 elements from or for rank i. */
static void collectives(int kind)
{
	int me, size, count[MAX], at[MAX], mine, n, root;

	MPI_Comm_rank(part, &me);
	MPI_Comm_size(part, &size);
	root = now.round % size;
	for (int i = 0; i < size; i++) {
		count[i] = i + 1;
		at[i] = i * (i + 1) / 2;
	}
	n = at[size - 1] + size;
	mine = me + 1;
	for (int i = 0; i < MAX * MAX; i++) {
		out[i] = value_of(rank) + i;
		in[i] = -1;
	}
	switch (kind) {
	case 0:
		MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, part);
		break;
	case 1:
		MPI_Gatherv(out, mine, MPI_INT, in, count, at, MPI_INT, root, part);
		break;
	case 2:
		MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, root, part);
		break;
	case 3:
		MPI_Scatterv(out, count, at, MPI_INT, in, mine, MPI_INT, root, part);
		break;
	case 4:
		MPI_Allgatherv(out, mine, MPI_INT, in, count, at, MPI_INT, part);
		break;
	case 5:
		MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, part);
		break;
	case 6: /* rank r sends r + 1 elements to each */
		for (int i = 0; i < size; i++)
			at[i] = i * (i + 1) / 2;
		MPI_Alltoallv(out,
			      (const int[MAX]){ mine, mine, mine, mine, mine, mine, mine, mine },
			      (const int[MAX]){ 0 }, MPI_INT, in, count, at, MPI_INT, part);
		break;
	case 7:
		MPI_Scan(out, in, 4, MPI_INT, MPI_SUM, part);
		break;
	case 8:
		MPI_Exscan(out, in, 4, MPI_INT, MPI_SUM, part);
		break;
	case 9:
		MPI_Reduce(out, in, 4, MPI_INT, MPI_SUM, root, part);
		break;
	case 10:
		MPI_Allreduce(out, in, 4, MPI_INT, MPI_MAX, part);
		break;
	case 11:
		in[me] = value_of(rank);
		MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 1, MPI_INT, part);
		break;
	case 12:
		in[0] = me == root ? value_of(rank) : 0;
		MPI_Bcast(in, 1, MPI_INT, root, part);
		MPI_Barrier(part);
		break;
	default:
		in[0] = value_of(rank);
		MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, part);
		break;
	}
	keep(in, n > 16 ? n : 16);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 30;
	uint64_t all = 0;
	long line;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
	MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	make_persistent();
	elc_protect(1, &now, sizeof now);
	line = elc_restarted();
	for (; now.round < rounds; now.round++) {
		if (now.round % 4 == rank)
			elc_checkpoint();
		else if ((now.round + rank) % 3 > 0)
			elc_safe_point();
		usleep((useconds_t)((rank * 71 + now.round * 31) % 300));
		collectives(now.round % 14);
		modes(now.round % 6);
		waiting(now.round % 7);
		others(now.round % 3);
		started(now.round % 5);
	}
	for (int round = rounds > BEHIND ? rounds - BEHIND : 0; round < rounds; round++)
		receive_late(round);
	free_persistent();
	MPI_Reduce(&now.hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("result %016llx from line %ld\n", (unsigned long long)all, line);
	MPI_Type_free(&pair);
	MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
