#include "harness/worker/describe.h"

#include "harness/machine/fact.h"
#include "harness/machine/network.h"
#include "harness/spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_there(const char *dir, const char *name)
{
	char path[SPEC_PATH];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

void describe_mpi(const char *dir, const struct roster *roster, int partner)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	struct network network;
	int length, rank;

	/* Not again in the job that follows a death, because its start is a part of the recovery, and not where messages are counted. */
	const bool wanted = !is_there(dir, "network") && !getenv("ROLLBENCH_NO_PING");

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
