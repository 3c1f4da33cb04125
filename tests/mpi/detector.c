/* Do survivors learn of a death from each other (harness/rank/detector.h)? The daemon of the host
 * is stopped while rank 1 dies, so that it cannot tell them. It is linked with that file.
 *
 * usage: detector FOLDER */
#include "base/end_with_parent.h"
#include "harness/rank/detector.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <mpi-ext.h>

enum { VICTIM = 1 };

/* Until it no longer runs. */
static void stop(pid_t pid)
{
	char path[64], state = '\0';

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	kill(pid, SIGSTOP);
	while (state != 'T') {
		FILE *f = fopen(path, "r");

		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			abort();
		fclose(f);
	}
}

int main(int argc, char **argv)
{
	struct rb_error err = { "" };
	struct detector *d;
	int rank, size, left, code, class = MPI_SUCCESS, one = 1, all_have_it;
	MPI_Comm all, rest;

	end_with_parent(getppid());
	alarm(50);
	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &all);
	MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
	MPI_Comm_rank(all, &rank);
	MPI_Comm_size(all, &size);
	d = detector_start(argv[1], 0, size, &err);
	all_have_it = d != NULL;
	MPI_Allreduce(MPI_IN_PLACE, &all_have_it, 1, MPI_INT, MPI_LAND, all);
	if (!all_have_it) {
		if (rank == 0)
			printf("no detector: %s\n", err.text);
		MPI_Finalize();
		return 0;
	}
	if (rank == 0)
		stop(getppid());
	MPI_Barrier(all);
	if (rank == VICTIM)
		raise(SIGKILL);
	code = MPI_Recv(&one, 1, MPI_INT, VICTIM, 0, all, MPI_STATUS_IGNORE);
	MPI_Error_class(code, &class);
	code = MPIX_Comm_shrink(all, &rest);
	MPI_Comm_size(rest, &left);
	printf("rank %d: %s, %d left\n", rank, class == MPIX_ERR_PROC_FAILED ? "told" : "not told",
	       left);
	fflush(stdout);
	MPI_Barrier(rest);
	if (rank == 0)
		kill(getppid(), SIGCONT);
	detector_stop(d);
	MPI_Barrier(rest);
	_exit(code != MPI_SUCCESS);
}
