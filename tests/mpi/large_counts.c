/* Functions of MPI 4 with large counts (names that end in _c), on two ranks. What each contributes
 * is written down in tests/program/test_profile.py. */
#include <mpi.h>

#if MPI_VERSION >= 4

int main(int argc, char **argv)
{
	double out[8] = { 0 }, in[8];
	MPI_Count counts[2] = { 2, 3 }, one[2] = { 1, 1 };
	MPI_Aint at[2] = { 0, 2 };
	MPI_Datatype types[2] = { MPI_DOUBLE, MPI_INT };
	MPI_Request request;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send_c(out, 5, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Recv_c(in, 5, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Bcast_c(out, 7, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Allgatherv_c(out, counts[rank], MPI_DOUBLE, in, counts, at, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Allgatherv_c(MPI_IN_PLACE, 0, MPI_DOUBLE, in, counts, at, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Alltoallw_c(out, one, at, types, in, one, at,
			(MPI_Datatype[]){ types[rank], types[rank] }, MPI_COMM_WORLD);
	MPI_Iallreduce_c(out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Reduce_scatter_init_c(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
				  &request);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}

#else

int main(void)
{
	return 0;
}

#endif
