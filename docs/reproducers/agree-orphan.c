/* A rank dies after it has contributed to an agreement. Do the ranks below it in the tree of the
 * agreement get the result?
 *
 *   mpicc -o agree-orphan agree-orphan.c
 *   timeout 20 mpirun --with-ft ulfm --map-by :OVERSUBSCRIBE -np 5 ./agree-orphan
 *
 * In the binary tree of 5 ranks, 1 and 2 are children of 0, and 3 and 4 are children of 1. Rank 1
 * sends its contribution (with those of 3 and 4) to 0 and dies. Ranks 3 and 4 learn this and send
 * their contributions again, to 0. Rank 2 contributes after that. Rank 0 does not call MPI until
 * all of this has arrived, so it learns of the death last. Right: 0, 2, 3 and 4 print "has the
 * result". Seen: 3 and 4 print "still waits". With
 * `--mca coll_ftagree_era_topology 3` (a star, in which only rank 0 has children) all have the
 * result. */
#define _DEFAULT_SOURCE /* what is not of C11, with -std=c11 */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const unsigned wait_ms[] = { 2000, 0, 1200, 0, 0 }; /* before a rank contributes */
	int rank, size, value = 1, done = 0;
	MPI_Request request;
	double begin;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Barrier(MPI_COMM_WORLD);
	usleep(wait_ms[rank] * 1000);
	MPIX_Comm_iagree(MPI_COMM_WORLD, &value, &request);
	begin = MPI_Wtime();
	while (!done && MPI_Wtime() < begin + 6) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		if (rank == 1 && MPI_Wtime() > begin + 0.4)
			raise(SIGKILL);
	}
	printf("rank %d %s\n", rank, done ? "has the result" : "still waits");
	fflush(stdout);
	sleep(7); /* a rank that ends counts as dead, and its death would help the others */
	_exit(0);
}
