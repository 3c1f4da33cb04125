/* How long the sets of all victims take (forecast/study). usage: study random|grid RANKS CAP.
 * random: each rank sends to 10 others, drawn by a fixed seed, 1 to 10^6 bytes. grid: four
 * neighbours, equal bytes, so that the sets are large parts of the grid and no two ranks have the
 * same. CAP: percent of the largest log, heaviest first. Prints: ranks, channels, seconds to build
 * the matrix, of the strategy, and of sets and chains; mean set in percent; peak of resident memory
 * in bytes. */
#include "base/clock.h"
#include "base/mix.h"
#include "base/status.h"
#include "base/text.h"
#include "forecast/study/effort.h"
#include "forecast/study/strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { RECEIVERS = 10, VICTIMS = 64 };

static size_t draw(struct exchange_entry *list, int np)
{
	uint64_t state = 1;

	for (size_t i = 0; i < (size_t)np * RECEIVERS; i++)
		list[i] = (struct exchange_entry){ (int32_t)(i / RECEIVERS),
						   (int32_t)(mix_draw(&state) % (uint64_t)np),
						   1 + (int64_t)(mix_draw(&state) % 1000000) };
	return (size_t)np * RECEIVERS;
}

static size_t neighbours(struct exchange_entry *list, int np)
{
	int side = 1;
	size_t count = 0;

	while ((side + 1) * (side + 1) <= np)
		side++;
	for (int r = 0; r < side * side; r++)
		for (int way = 0; way < 4; way++) {
			const int row = r / side + (way == 0 ? -1 : way == 1),
				  column = r % side + (way == 2 ? -1 : way == 3);

			if (row >= 0 && row < side && column >= 0 && column < side)
				list[count++] =
					(struct exchange_entry){ r, row * side + column, 1000 };
		}
	return count;
}

static int measure(struct exchange_entry *list, int np, size_t count, const char *cap)
{
	struct strategy heaviest;
	struct rb_error err;
	struct exchange e;
	struct effort found;
	struct rusage usage;
	int64_t log;
	bool *off = malloc(count * sizeof *off);
	double at[4] = { clock_monotonic() };

	if (!off)
		return RB_ENOMEM;
	RB_TRY(exchange_build(&e, np, list, count));
	at[1] = clock_monotonic();
	RB_TRY(strategy_parse(&heaviest, "heaviest", &err));
	RB_TRY(strategy_apply(&heaviest, &e, strtod(cap, NULL), NULL, off, &log));
	at[2] = clock_monotonic();
	RB_TRY(effort_find(&found, &e, off, NULL, VICTIMS, 1, NULL));
	at[3] = clock_monotonic();
	getrusage(RUSAGE_SELF, &usage);
	printf("%d %zu %.6f %.6f %.6f %.6f %ld\n", np, e.count, at[1] - at[0], at[2] - at[1],
	       at[3] - at[2], 100 * found.set / np, usage.ru_maxrss * 1024);
	exchange_free(&e);
	free(off);
	return RB_OK;
}

int main(int argc, char **argv)
{
	const bool grid = argc == 4 && strcmp(argv[1], "grid") == 0;
	struct exchange_entry *list;
	int64_t np = 0;
	int rc = RB_ENOMEM;

	if (argc != 4 || (!grid && strcmp(argv[1], "random") != 0) ||
	    !text_integer(argv[2], 4, 1 << 24, &np)) {
		fprintf(stderr, "usage: study random|grid RANKS CAP\n");
		return 2;
	}
	list = malloc((size_t)np * RECEIVERS * sizeof *list);
	if (list)
		rc = measure(list, (int)np, grid ? neighbours(list, (int)np) : draw(list, (int)np),
			     argv[3]);
	free(list);
	if (rc != RB_OK)
		fprintf(stderr, "study: failed with status %d\n", rc);
	return rc != RB_OK;
}
