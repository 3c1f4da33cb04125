/* How long the closure takes, and how much memory: roles on a periodic 3D grid with 6 neighbours
 * each, none of whose messages is logged, so that a death takes everybody back, one shell of
 * neighbours a round. Prints: roles, channels, rounds, seconds to sort them, seconds of the
 * closure, and the peak of resident memory in bytes. */
#include "base/clock.h"
#include "base/status.h"
#include "base/text.h"
#include "ft/recovery/closure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { NEIGHBOURS = 6, LINE = 100, FRONT = 112 };

static int neighbour(int edge, int role, int way)
{
	int at[3] = { role / (edge * edge), role / edge % edge, role % edge };
	int *axis = &at[way / 2];

	*axis = (*axis + (way % 2 ? 1 : edge - 1)) % edge;
	return (at[0] * edge + at[1]) * edge + at[2];
}

/* Channel i: the (i / NEIGHBOURS)th role sends to its (i % NEIGHBOURS)th neighbour. */
static struct channel on_grid(const void *ctx, size_t i)
{
	const int *edge = ctx;
	int role = (int)(i / NEIGHBOURS);

	return (struct channel){ role, neighbour(*edge, role, (int)(i % NEIGHBOURS)), FRONT, 0 };
}

/* One death. RB_OK, or RB_ENOMEM, RB_EINVAL: the answer is wrong. */
static int close_once(const struct channels *c, int *chain, double *seconds)
{
	int64_t *line = malloc((size_t)c->np * sizeof *line),
		*front = malloc((size_t)c->np * sizeof *front);
	bool *rolled = calloc((size_t)c->np, sizeof *rolled);
	double begin;

	if (!line || !front || !rolled)
		return RB_ENOMEM;
	for (int r = 0; r < c->np; r++) {
		line[r] = LINE;
		front[r] = FRONT;
	}
	rolled[c->np / 2] = true;
	begin = clock_monotonic();
	RB_TRY(closure(c, line, front, front, rolled, chain));
	*seconds = clock_monotonic() - begin;
	for (int r = 0; r < c->np; r++) /* a torus without a log: everybody goes back */
		if (!rolled[r])
			return RB_EINVAL;
	free(line);
	free(front);
	free(rolled);
	return RB_OK;
}

int main(int argc, char **argv)
{
	int64_t edge = 0;
	struct channels c;
	struct rusage usage;
	double begin, sorted, closed;
	int chain = -1, e, rc;

	if (argc != 2 || !text_integer(argv[1], 3, 800, &edge)) {
		fprintf(stderr, "usage: closure EDGE (3 to 800: EDGE^3 roles)\n");
		return 2;
	}
	e = (int)edge;
	begin = clock_monotonic();
	rc = channels_build(&c, e * e * e, LINE, (size_t)(e * e * e) * NEIGHBOURS, on_grid, &e);
	sorted = clock_monotonic() - begin;
	if (rc == RB_OK)
		rc = close_once(&c, &chain, &closed);
	if (rc != RB_OK) {
		fprintf(stderr, "closure: failed with status %d\n", rc);
		return 1;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%d %u %d %.6f %.6f %ld\n", c.np, c.first[c.np], chain, sorted, closed,
	       usage.ru_maxrss * 1024);
	channels_free(&c);
	return 0;
}
