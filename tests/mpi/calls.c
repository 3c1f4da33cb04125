/* A program with each kind of call that sends messages. What it sends is written down in
 * tests/program/test_profile.py. Four ranks. argv[1]: "abort": rank 2 calls MPI_Abort in the
 * middle; "exit", "_exit", "quick_exit": rank 2 exits so; "kill": it is killed; "atexit":
 * MPI_Finalize is called by a function of atexit(); "threads": two threads of each rank send at
 * the same time; "one-sided": with one-sided communication. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 5, N = 100 };

static int rank, right, left;
static double out[N], in[N];

/* Blocking sends to the right neighbour: 1 + 2 + 3 + 4 numbers. */
static void blocking(void)
{
	MPI_Request r[4];
	char *room;
	int size;

	for (int i = 0; i < 4; i++)
		MPI_Irecv(in + 10 * i, 10, MPI_DOUBLE, left, TAG + i, MPI_COMM_WORLD, &r[i]);
	MPI_Barrier(MPI_COMM_WORLD); /* a ready send needs the receive */
	room = malloc(1 << 16);
	MPI_Buffer_attach(room, 1 << 16);
	MPI_Send(out, 1, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD);
	MPI_Bsend(out, 2, MPI_DOUBLE, right, TAG + 1, MPI_COMM_WORLD);
	MPI_Rsend(out, 3, MPI_DOUBLE, right, TAG + 2, MPI_COMM_WORLD);
	if (rank % 2) {
		MPI_Ssend(out, 4, MPI_DOUBLE, right, TAG + 3, MPI_COMM_WORLD);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	} else {
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
		MPI_Ssend(out, 4, MPI_DOUBLE, right, TAG + 3, MPI_COMM_WORLD);
	}
	MPI_Buffer_detach(&room, &size);
	free(room);
}

/* Nonblocking: 1 + 2 + 3 + 4 integers, nothing to MPI_PROC_NULL, and 5 bytes to oneself. */
static void nonblocking(void)
{
	MPI_Request r[11];
	char room[4096];
	int *gone;

	MPI_Buffer_attach(room, sizeof room);
	for (int i = 0; i < 4; i++)
		MPI_Irecv(in + 10 * i, 10, MPI_INT, left, TAG + i, MPI_COMM_WORLD, &r[i]);
	MPI_Irecv(in + 50, 5, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &r[4]);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Isend(out, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &r[5]);
	MPI_Ibsend(out, 2, MPI_INT, right, TAG + 1, MPI_COMM_WORLD, &r[6]);
	MPI_Issend(out, 3, MPI_INT, right, TAG + 2, MPI_COMM_WORLD, &r[7]);
	MPI_Irsend(out, 4, MPI_INT, right, TAG + 3, MPI_COMM_WORLD, &r[8]);
	MPI_Isend(out, 9, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &r[9]);
	MPI_Isend(out, 5, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &r[10]);
	MPI_Waitall(11, r, MPI_STATUSES_IGNORE);
	MPI_Buffer_detach(&gone, &(int){ 0 });
}

/* Both ways at once, to the left: 6, 7, and where there are such calls 8 and 9 numbers. */
static void both(void)
{
	MPI_Sendrecv(out, 6, MPI_DOUBLE, left, TAG, in, 6, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv_replace(out, 7, MPI_DOUBLE, left, TAG, right, TAG, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
	MPI_Request r;

	MPI_Isendrecv(out, 8, MPI_DOUBLE, left, TAG, in, 8, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD,
		      &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Isendrecv_replace(out, 9, MPI_DOUBLE, left, TAG, right, TAG, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
#endif
}

/* Four persistent sends of 2 numbers each, started three times; one that is never started; 2
 * partitions of 3 numbers, started twice. */
static void persistent(void)
{
	MPI_Request s[4], r[4], never;

	MPI_Send_init(out, 2, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &s[0]);
	MPI_Ssend_init(out, 2, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &s[1]);
	MPI_Send_init(out, 2, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &s[2]);
	MPI_Rsend_init(out, 2, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &s[3]);
	MPI_Send_init(out, 50, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, &never);
	for (int i = 0; i < 4; i++)
		MPI_Recv_init(in + 10 * i, 2, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, &r[i]);
	for (int n = 0; n < 3; n++) {
		MPI_Startall(4, r);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Start(&s[0]);
		MPI_Startall(3, s + 1);
		MPI_Waitall(4, s, MPI_STATUSES_IGNORE);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&never);
	for (int i = 0; i < 4; i++) {
		MPI_Request_free(&s[i]);
		MPI_Request_free(&r[i]);
	}
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
	MPI_Psend_init(out, 2, 3, MPI_DOUBLE, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &s[0]);
	MPI_Precv_init(in, 2, 3, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	for (int n = 0; n < 2; n++) {
		MPI_Start(&r[0]);
		MPI_Start(&s[0]);
		MPI_Pready(0, s[0]);
		MPI_Pready(1, s[0]);
		MPI_Wait(&s[0], MPI_STATUS_IGNORE);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&s[0]);
	MPI_Request_free(&r[0]);
#endif
}

/* Ranks in reverse order: rank 0 of it, which is rank 3, sends 1 number to its rank 1, which is
 * rank 2. Then a new communicator, perhaps with the same handle, of the odd ranks: rank 1 sends 2
 * numbers to rank 3. Then an inter-communicator between the even and the odd ranks: rank 0 sends 3
 * numbers to the second odd one, rank 3. */
static void communicators(void)
{
	MPI_Comm reverse, half, inter;
	int me;

	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
	MPI_Comm_rank(reverse, &me);
	if (me == 0)
		MPI_Send(out, 1, MPI_DOUBLE, 1, TAG, reverse);
	if (me == 1)
		MPI_Recv(in, 1, MPI_DOUBLE, 0, TAG, reverse, MPI_STATUS_IGNORE);
	MPI_Allreduce(out, in, 3, MPI_DOUBLE, MPI_SUM, reverse);
	MPI_Comm_free(&reverse);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	if (rank == 1)
		MPI_Send(out, 2, MPI_DOUBLE, 1, TAG, half);
	if (rank == 3)
		MPI_Recv(in, 2, MPI_DOUBLE, 0, TAG, half, MPI_STATUS_IGNORE);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, TAG, &inter);
	if (rank == 0)
		MPI_Send(out, 3, MPI_DOUBLE, 1, TAG, inter);
	if (rank == 3)
		MPI_Recv(in, 3, MPI_DOUBLE, 0, TAG, inter, MPI_STATUS_IGNORE);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

/* Each rank contributes: bcast 10 numbers of rank 1, gather 2 integers, scatter 3 integers to each
 * from rank 0, alltoall 1 integer to each, reduce 4 numbers, ibarrier. On a line of ranks, whose
 * ends have one neighbour: 1 integer to each, then 2 integers to the left and 3 to the right. */
static void collectives(void)
{
	int a[16] = { 0 }, b[16], counts[2] = { 2, 3 }, back[2] = { 3, 2 }, at[2] = { 0, 4 };
	MPI_Request r;
	MPI_Comm line;

	MPI_Bcast(in, 10, MPI_DOUBLE, 1, MPI_COMM_WORLD);
	MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Scatter(a, 3, MPI_INT, b, 3, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Reduce(out, in, 4, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD);
	MPI_Ibarrier(MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){ 4 }, (int[]){ 0 }, 0, &line);
	MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, line);
	MPI_Neighbor_alltoallv(a, counts, at, MPI_INT, b, back, at, MPI_INT, line);
	MPI_Comm_free(&line);
}

/* A vector of 4 blocks of 2 numbers, with gaps, is 64 bytes. */
static void derived(void)
{
	MPI_Datatype vector;

	MPI_Type_vector(4, 2, 5, MPI_DOUBLE, &vector);
	MPI_Type_commit(&vector);
	MPI_Sendrecv(out, 1, vector, right, TAG, in, 1, vector, left, TAG, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Type_free(&vector);
}

/* Each thread sends 1000 messages of one number to the right, by turns in two phases of the
 * program's time. */
static void *send_many(void *tag)
{
	double x = 0, y;

	for (int i = 0; i < 1000; i++)
		MPI_Sendrecv(&x, 1, MPI_DOUBLE, right, *(int *)tag, &y, 1, MPI_DOUBLE, left,
			     *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void threads(void)
{
	int tags[2] = { 1, 2 };
	pthread_t other;

	pthread_create(&other, NULL, send_many, &tags[0]);
	send_many(&tags[1]);
	pthread_join(other, NULL);
}

/* Rank 0 puts 2, gets 3 and accumulates 4 integers of rank 1, and adds 1 to one of rank 2. */
static void one_sided(void)
{
	int shared[16] = { 0 }, mine[16] = { 1 }, old;
	MPI_Win win;

	MPI_Win_create(shared, sizeof shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0) {
		MPI_Put(mine, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
		MPI_Get(mine + 8, 3, MPI_INT, 1, 4, 3, MPI_INT, win);
		MPI_Accumulate(mine, 4, MPI_INT, 1, 8, 4, MPI_INT, MPI_SUM, win);
		MPI_Fetch_and_op(mine, &old, MPI_INT, 2, 0, MPI_SUM, win);
		MPI_Put(mine, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, win);
	}
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

static void end_early(const char *how)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank != 2)
		return;
	if (strcmp(how, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 7);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "_exit") == 0)
		_exit(3);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(3);
}

static void finalize(void)
{
	MPI_Finalize();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int provided, np;

	if (strcmp(how, "atexit") == 0)
		atexit(finalize);
	MPI_Init_thread(&argc, &argv,
			strcmp(how, "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
			&provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	right = (rank + 1) % np;
	left = (rank + np - 1) % np;
	if (strcmp(how, "threads") == 0) {
		threads();
		MPI_Finalize();
		return provided == MPI_THREAD_MULTIPLE ? 0 : 1;
	}
	blocking();
	end_early(how);
	MPI_Pcontrol(1);
	nonblocking();
	MPI_Pcontrol(2);
	both();
	MPI_Pcontrol(3);
	persistent();
	MPI_Pcontrol(4);
	communicators();
	MPI_Pcontrol(-1);
	collectives();
	derived();
	if (strcmp(how, "one-sided") == 0)
		one_sided();
	if (strcmp(how, "atexit") != 0)
		MPI_Finalize();
	return 0;
}
