#include "harness/machine/network.h"

#include "base/clock.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 30, TAG = 1, LINE = 4096 };
enum { LAST, GO_ON, NOT_NOW }; /* the first byte of a message */

static const double LONGEST_S = 0.01; /* where roles share cores, a round may take long */

static bool send(MPI_Comm comm, int to, char *buf, int bytes)
{
	return MPI_Send(buf, bytes, MPI_BYTE, to, TAG, comm) == MPI_SUCCESS;
}

static bool receive(MPI_Comm comm, int from, char *buf, int bytes)
{
	return MPI_Recv(buf, bytes, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

/* *best: seconds of a round trip; the first round, which sets up
 * connections, does not count. */
static bool serve(MPI_Comm comm, int partner, char *buf, int bytes, double *best)
{
	const double begin = clock_monotonic();

	*best = DBL_MAX;
	for (int round = 0; round < ROUNDS; round++) {
		const double before = clock_monotonic();
		bool last = round + 1 == ROUNDS || (round > 1 && before - begin > LONGEST_S);

		buf[0] = last ? LAST : GO_ON;
		if (!send(comm, partner, buf, bytes) || !receive(comm, partner, buf, bytes))
			return false;
		if (round > 0 && clock_monotonic() - before < *best)
			*best = clock_monotonic() - before;
		if (last)
			break;
	}
	return true;
}

static bool answer(MPI_Comm comm, char *buf, int bytes)
{
	do {
		if (!receive(comm, 0, buf, bytes) || buf[0] == NOT_NOW ||
		    !send(comm, 0, buf, bytes))
			return false;
	} while (buf[0] == GO_ON);
	return true;
}

/* Only the players have the memory of the large messages. */
__attribute__((noinline)) static bool play(MPI_Comm comm, int partner, bool serves, bool wanted,
					   struct network *out)
{
	char buf[NETWORK_LARGE] = { 0 };
	double small, large;

	if (!serves) {
		if (answer(comm, buf, NETWORK_SMALL))
			answer(comm, buf, NETWORK_LARGE);
		return false;
	}
	if (!wanted) {
		buf[0] = NOT_NOW;
		send(comm, partner, buf, NETWORK_SMALL);
		return false;
	}
	if (!serve(comm, partner, buf, NETWORK_SMALL, &small) ||
	    !serve(comm, partner, buf, NETWORK_LARGE, &large))
		return false;
	*out = (struct network){ partner, small / 2, NETWORK_LARGE / (large / 2) };
	return true;
}

bool network_measure(MPI_Comm comm, int partner, bool wanted, struct network *out)
{
	int rank;

	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	return (rank == 0 || rank == partner) && play(comm, partner, rank == 0, wanted, out);
}

bool network_shares_memory(void)
{
	/* of the btl sm, with each way in which Open MPI makes such memory: mmap, posix, sysv */
	static const char *const names[] = { "/sm_segment.", "/vader_segment.",
					     "/dev/shm/open_mpi.", "/SYSV" };
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[LINE];
	bool found = false;

	while (maps && !found && fgets(line, sizeof line, maps))
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			found = found || strstr(line, names[i]);
	if (maps)
		fclose(maps);
	return found;
}
