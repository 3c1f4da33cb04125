/* Short tests that this MPI survives a death; `rollbench doctor` starts them.
 *
 *   ulfm_probe         three ranks, one dies; prints "ulfm works", before that "network SECONDS
 *                      BYTES_PER_S" and perhaps "no shared memory"
 *                      (harness/machine/network.h)
 *   ulfm_probe spawn   the same, and MPI_Comm_spawn replaces the dead rank, twice. The second
 *                      time, the process that dies is the one that was started. Prints "spawn
 *                      works N" after the Nth replacement */
#include "base/end_with_parent.h"
#include "harness/machine/network.h"

#include <mpi.h>
#include <mpi-ext.h> /* needs mpi.h before it */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REPLACEMENTS = 2 };

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

/* The last rank dies; the others must learn of it and find themselves on a new communicator. */
static bool lose_last(MPI_Comm world, MPI_Comm *rest)
{
	int rank, size, left, flag = 1, value;

	MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	if (rank == size - 1)
		raise(SIGKILL);
	/* The dead rank never sends. A rank that waits for it must get an error and must not wait
	 * for ever. */
	if (MPI_Recv(&value, 1, MPI_INT, size - 1, 0, world, MPI_STATUS_IGNORE) == MPI_SUCCESS)
		return false;
	MPIX_Comm_revoke(world);
	if (MPIX_Comm_shrink(world, rest) != MPI_SUCCESS)
		return false;
	MPI_Comm_set_errhandler(*rest, MPI_ERRORS_RETURN);
	MPI_Comm_size(*rest, &left);
	return MPIX_Comm_agree(*rest, &flag) == MPI_SUCCESS && left == size - 1;
}

static bool merge(MPI_Comm between, int high, MPI_Comm *whole)
{
	int flag = 1;

	MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
	if (MPI_Intercomm_merge(between, high, whole) != MPI_SUCCESS)
		return false;
	MPI_Comm_set_errhandler(*whole, MPI_ERRORS_RETURN);
	return MPIX_Comm_agree(*whole, &flag) == MPI_SUCCESS;
}

static int replace_again_and_again(const char *self, MPI_Comm world)
{
	char *args[] = { "spawn", NULL };
	MPI_Comm rest, between;
	int rank, sum = 0, one = 1;

	for (int n = 1; n <= REPLACEMENTS; n++) {
		char line[32];

		if (!lose_last(world, &rest) ||
		    MPI_Comm_spawn(self, args, 1, MPI_INFO_NULL, 0, rest, &between,
				   MPI_ERRCODES_IGNORE) != MPI_SUCCESS ||
		    !merge(between, 0, &world) ||
		    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world) != MPI_SUCCESS ||
		    sum != 3)
			_exit(1);
		MPI_Comm_rank(world, &rank);
		snprintf(line, sizeof line, "spawn works %d", n);
		if (rank == 0)
			say(line);
	}
	_exit(0);
}

/* A process that was started takes part in one sum and then is the one to die. */
static void be_spawned(MPI_Comm parents)
{
	MPI_Comm world, rest;
	int one = 1, sum;

	if (merge(parents, 1, &world) &&
	    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world) == MPI_SUCCESS)
		lose_last(world, &rest);
	_exit(0);
}

static void measure(void)
{
	struct network n;
	char line[64];

	if (!network_measure(MPI_COMM_WORLD, 1, true, &n))
		return;
	snprintf(line, sizeof line, "network %.3g %.3g", n.small_s, n.bytes_per_s);
	say(line);
	if (!network_shares_memory())
		say("no shared memory");
}

int main(int argc, char **argv)
{
	MPI_Comm parents, world, rest;
	int rank, flag = 1;

	end_with_parent(getppid());
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		be_spawned(parents);
	MPI_Comm_dup(MPI_COMM_WORLD, &world);
	if (argc > 1 && strcmp(argv[1], "spawn") == 0)
		return replace_again_and_again(argv[0], world);
	measure();
	if (!lose_last(world, &rest))
		return 1;
	MPI_Comm_rank(rest, &rank);
	if (rank == 0)
		say("ulfm works");
	MPIX_Comm_agree(rest, &flag);
	_exit(0);
}
