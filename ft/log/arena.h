/* ft/log/arena.h - memory that never moves and is given back all at once.
 *
 * Messages are sent from the arena itself, so a block does not move until arena_reset() or
 * arena_cut(). Chunks are pre-faulted when first needed and reused from then on: an arena that has
 * seen one checkpoint interval allocates nothing in the next.
 *
 * Large blocks lie in huge pages (2 MiB), where the system gives any: the receiver's MPI reads a
 * large message from its sender's memory (process_vm_readv), and the kernel pins this memory page
 * by page. CG of class B with 8 roles took 5 % longer with pages of 4 KiB. So all payloads, logged
 * or not, are in an arena, or runs with and without a log could not be compared. */
#ifndef FT_LOG_ARENA_H
#define FT_LOG_ARENA_H

#include <stddef.h>

enum { ARENA_ALIGN = 64 };

struct arena_chunk;

struct arena {
	struct arena_chunk *first, *current;
	size_t used; /* bytes of the current chunk */
};

struct arena_mark {
	struct arena_chunk *chunk;
	size_t used;
};

/* Aligned to 64 bytes, blocks below 64 bytes to 8; NULL if out of memory. */
void *arena_take(struct arena *a, size_t bytes);
/* How far an arena of one chunk is filled when a block is taken after `used` bytes. */
size_t arena_after(size_t used, size_t bytes);
/* Map and fault in `bytes` now, if nothing is mapped yet. 0, or -1: out of memory. */
int arena_reserve(struct arena *a, size_t bytes);
struct arena_mark arena_mark(const struct arena *a);
void arena_cut(struct arena *a, struct arena_mark mark); /* give back all taken since mark */
void arena_reset(struct arena *a);                       /* give back everything */
size_t arena_mapped(const struct arena *a);              /* bytes */
void arena_free(struct arena *a);                        /* and return it to the system */

#endif
