/* A rank dies, all others call MPIX_Comm_agree, having exchanged no message before: with several hosts they wait for
 * ever (Open MPI 5.0.7), since a dead rank that they have never looked up counts as alive.
 *
 *	mpicc -o agree agree-across-hosts.c
 *	scripts/vcluster run 3 sh -c 'scripts/vcluster hosts >/tmp/hosts; timeout 20 mpirun --allow-run-as-root \
 *		$ROLLBENCH_MPIRUN_ARGS --with-ft ulfm --mca coll ^han --hostfile /tmp/hosts \
 *		--map-by node:OVERSUBSCRIBE --bind-to none -np 9 ./agree'
 *
 * It ends with `--mca mpi_add_procs_cutoff 1000000`, which looks all ranks up in MPI_Init. */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, flag = 1, rc;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		kill(getpid(), SIGKILL);
	rc = MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
	if (rank == 0)
		printf("agreed, %s\n", rc == MPI_SUCCESS ? "nobody died" : "somebody died");
	fflush(stdout);
	_exit(0);
}
