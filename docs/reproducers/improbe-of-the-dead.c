/* A rank polls with MPI_Improbe for a message of a rank that has died: is it told?
 *
 *   mpicc -o improbe-of-the-dead improbe-of-the-dead.c
 *   timeout 20 mpirun --with-ft ulfm --mca coll ^han --map-by :OVERSUBSCRIBE -np 3 \
 *           ./improbe-of-the-dead [iprobe|irecv|late]
 *
 * Rank 1 dies at once; rank 0 asks for its message. Right: "told: ..." soon. Exit status 124 of
 * timeout: it asks for ever. With "iprobe" MPI_Iprobe is used, with "irecv" a posted receive and
 * MPI_Test, with "late" MPI_Improbe again, but not before rank 0 has learned of the death from an
 * agreement. */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "improbe";
	int rank, value, rc = MPI_SUCCESS, flag = 0, length;
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Message message;
	char text[MPI_MAX_ERROR_STRING];

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		raise(SIGKILL);
	if (strcmp(how, "irecv") == 0)
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
	if (strcmp(how, "late") == 0) {
		sleep(2);
		flag = 1;
		MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
		flag = 0;
	}
	while (rank == 0 && rc == MPI_SUCCESS && !flag) {
		if (strcmp(how, "iprobe") == 0)
			rc = MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		else if (strcmp(how, "irecv") == 0)
			rc = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		else
			rc = MPI_Improbe(1, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
	}
	if (rank == 0) {
		MPI_Error_string(rc, text, &length);
		printf("told: %s\n", text);
		fflush(stdout);
	}
	sleep(1);
	_exit(0);
}
