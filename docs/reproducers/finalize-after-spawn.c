/* A dead rank is replaced by MPI_Comm_spawn, all is well: does MPI_Finalize return?
 *
 *   mpicc -o finalize-after-spawn finalize-after-spawn.c
 *   timeout 20 mpirun --with-ft ulfm --mca coll ^han --map-by :OVERSUBSCRIBE -np 3 \
 *           ./finalize-after-spawn
 *
 * Right: three lines "finalized" and exit status 0. 124 of timeout: MPI_Finalize waits for ever. */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	MPI_Comm parents, rest, between, whole;
	int rank, value, sum, one = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL) {
		MPI_Intercomm_merge(parents, 1, &whole);
	} else {
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		if (rank == 2)
			raise(SIGKILL);
		MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPIX_Comm_shrink(MPI_COMM_WORLD, &rest);
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, rest, &between,
			       MPI_ERRCODES_IGNORE);
		MPI_Intercomm_merge(between, 0, &whole);
	}
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, whole);
	MPI_Finalize();
	printf("%d processes, finalized\n", sum);
	return 0;
}
