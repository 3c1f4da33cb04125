#include "harness/rank/describe.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/events/events.h"
#include "harness/machine/network.h"
#include "harness/transport/settings.h"
#include "harness/transport/transport.h"

#include <stdlib.h>
#include <string.h>

/* Rank 0 says what it has in force, and whether that is fit for failures. */
static int describe_settings(const char *dir, bool goes_on, struct rb_error *err)
{
	json_t *settings = settings_in_force();
	int rc = goes_on ? transport_judge(settings, err) : RB_OK;

	settings_tell(settings, dir);
	json_decref(settings);
	return rc;
}

static void describe_sharing(const char *dir, const struct roster *roster, int rank)
{
	const char *here = roster->slot[rank].host;
	bool alone = true, shared;

	for (int i = 0; i < roster->slots && alone; i++)
		alone = i == rank || strcmp(roster->slot[i].host, here) != 0;
	if (alone)
		return;
	shared = network_shares_memory();
	if (!shared || rank == 0)
		events_add(dir, "memory",
			   json_pack("{s:b, s:o}", "shared", shared, "host", text_json(here)));
}

static bool is_told(const char *dir, const char *event)
{
	json_t *events = events_read(dir);
	const bool told = events_last(events, event) != NULL;

	json_decref(events);
	return told;
}

int describe_mpi(const char *dir, const struct roster *roster, int partner, bool goes_on,
		 struct rb_error *err)
{
	struct network network;
	bool wanted;
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	/* Not again in the job that follows a death, because its start is a part of the recovery,
	 * and not where messages are counted. */
	wanted = rank == 0 && !getenv("ROLLBENCH_NO_PING") && !is_told(dir, "network");
	if (partner > 0 && network_measure(MPI_COMM_WORLD, partner, wanted, &network))
		events_add(dir, "network",
			   json_pack("{s:i, s:o, s:f, s:f}", "partner", network.partner, "host",
				     text_json(roster->slot[network.partner].host), "one_way_s",
				     network.small_s, "bytes_per_s", network.bytes_per_s));
	describe_sharing(dir, roster, rank);
	return rank == 0 ? describe_settings(dir, goes_on, err) : RB_OK;
}

void describe_detector(const char *dir, int slot, bool host, const char *why)
{
	if (slot == 0 || why[0])
		events_add(dir, "detector",
			   json_pack("{s:s, s:o*}", "how", host ? "host" : "runtime", "why",
				     why[0] ? text_json(why) : NULL));
}
