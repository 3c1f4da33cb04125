#include "harness/rank/describe.h"

#include "base/status.h"
#include "harness/machine/fact.h"
#include "harness/machine/network.h"
#include "harness/transport/settings.h"
#include "harness/transport/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rank 0 says what it has in force, and whether that is fit for failures. */
static int describe_settings(const char *dir, bool goes_on, struct rb_error *err)
{
	json_t *settings = settings_in_force();
	int rc = goes_on ? transport_judge(settings, err) : RB_OK;

	settings_save(settings, dir);
	json_decref(settings);
	return rc;
}

static void describe_sharing(const char *dir, const struct roster *roster, int rank)
{
	const char *here = roster->slot[rank].host;
	bool alone = true;

	for (int i = 0; i < roster->slots && alone; i++)
		alone = i == rank || strcmp(roster->slot[i].host, here) != 0;
	if (alone)
		return;
	if (!network_shares_memory())
		fact_write(dir, FACT_SHARES_NOT, here);
	else if (rank == 0)
		fact_write(dir, FACT_SHARES, here);
}

int describe_mpi(const char *dir, const struct roster *roster, int partner, bool goes_on,
		 struct rb_error *err)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	struct network network;
	int length, rank;

	/* Not again in the job that follows a death, because its start is a part of the recovery,
	 * and not where messages are counted. */
	const bool wanted = !fact_there(dir, "network") && !getenv("ROLLBENCH_NO_PING");

	if (partner > 0 && network_measure(MPI_COMM_WORLD, partner, wanted, &network)) {
		snprintf(text, sizeof text, "%d %.9g %.9g %s", network.partner, network.small_s,
			 network.bytes_per_s, roster->slot[network.partner].host);
		fact_write(dir, "network", text);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	describe_sharing(dir, roster, rank);
	if (rank == 0) {
		MPI_Get_library_version(text, &length);
		fact_write(dir, "mpi-version", text);
	}
	return rank == 0 ? describe_settings(dir, goes_on, err) : RB_OK;
}
