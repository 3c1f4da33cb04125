/* Does each role get the block of each other role (ft/msg/dissemination.h), with all numbers of
 * roles, wherever their processes are, and with spares that take no part? It is compiled with that
 * file and those that it uses. */
#include "ft/msg/dissemination.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 9, BLOCK = 3, TAG = 7 };

static void fill(char *block, int role, int turn)
{
	for (int i = 0; i < BLOCK; i++)
		block[i] = (char)(100 * turn + 10 * role + i);
}

/* Waiting, or testing until it is done. */
static int go_through(struct dissemination *d, bool waits)
{
	bool done = false;

	if (waits)
		return dissemination_wait(d, NULL, NULL);
	while (!done)
		RB_TRY(dissemination_test(d, &done));
	return RB_OK;
}

/* One after the other without a pause, so that a fast role is already in the next one. */
static int exchange(struct dissemination *d, int turns)
{
	char all[SIZE][BLOCK], expected[BLOCK];
	int wrong = 0;

	for (int turn = 0; turn < turns; turn++) {
		memset(all, 0, sizeof all);
		fill(all[d->link->role], d->link->role, turn);
		wrong += dissemination_begin(d, all, BLOCK) != RB_OK;
		wrong += go_through(d, turn % 2 == 0) != RB_OK;
		for (int r = 0; r < d->link->np; r++) {
			fill(expected, r, turn);
			wrong += memcmp(all[r], expected, BLOCK) != 0;
		}
		wrong += dissemination_begin(d, NULL, 0) != RB_OK;
		wrong += go_through(d, turn % 2 != 0) != RB_OK;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	int rank, size, wrong = 0, taken = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int np = 1; np <= size; np++) {
		int place[SIZE];
		struct dissemination d;
		struct link link;

		for (int r = 0; r < np; r++)
			place[r] = (5 * r + np) % size;
		for (int r = 0; r < np; r++) {
			if (place[r] != rank)
				continue;
			link_init(&link, r, np);
			link_connect(&link, MPI_COMM_WORLD, place);
			dissemination_init(&d, &link, TAG);
			wrong += exchange(&d, 10);
			dissemination_free(&d);
			link_free(&link);
			taken++;
		}
	}
	printf("rank %d: %d roles, %d wrong\n", rank, taken, wrong);
	MPI_Finalize();
	return 0;
}
