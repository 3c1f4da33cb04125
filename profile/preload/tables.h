/* profile/preload/tables.h - sums by key, in memory that grows with the number of keys. It has no
 * MPI. */
#ifndef PROFILE_PRELOAD_TABLES_H
#define PROFILE_PRELOAD_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell {
	uint64_t key;
	int64_t count, bytes; /* count 0: the cell is free */
};

/* A hash table with open addressing, at most half full. */
struct table {
	struct cell *cell;
	size_t used;
	unsigned bits; /* it has 1 << bits cells; 0: none */
};

/* Add one event of so many bytes. It takes constant time, apart from growing. false: out of memory,
 * and it was not added. */
bool table_add(struct table *t, uint64_t key, int64_t bytes);

/* Bring the used cells to the front, in ascending order of their keys. Nothing can be added
 * afterwards. It allocates nothing and calls no library, so that a signal handler can use it. */
void table_finish(struct table *t);

#endif
