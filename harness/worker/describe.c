#include "harness/worker/describe.h"

#include "harness/machine/fact.h"
#include "harness/machine/network.h"

#include <stdio.h>
#include <stdlib.h>

void describe_mpi(const char *dir, const struct roster *roster, int partner)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	struct network network;
	int length, rank;

	/* Not again in the job that follows a death, because its start is a part of the recovery, and not where messages are counted. */
	const bool wanted = !fact_there(dir, "network") && !getenv("ROLLBENCH_NO_PING");

	if (partner > 0 && network_measure(MPI_COMM_WORLD, partner, wanted, &network)) {
		snprintf(text, sizeof text, "%d %.9g %.9g %s", network.partner, network.small_s, network.bytes_per_s,
			 roster->slot[network.partner].host);
		fact_write(dir, "network", text);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Get_library_version(text, &length);
		fact_write(dir, "mpi-version", text);
	}
}
