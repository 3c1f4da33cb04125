#include "ft/arena.h"

#include <sys/mman.h>

enum { CHUNK_MIN = 1 << 20 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* bytes mapped, header included */
	_Alignas(ARENA_ALIGN) char data[];
};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static size_t room(const struct arena_chunk *c)
{
	return c->size - sizeof *c;
}

/* MAP_POPULATE faults the pages in now, where it costs no iteration anything. */
static struct arena_chunk *chunk_new(size_t bytes)
{
	size_t size = round_up(bytes + sizeof(struct arena_chunk), CHUNK_MIN);
	struct arena_chunk *c = mmap(NULL, size, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (c == MAP_FAILED)
		return NULL;
	c->next = NULL;
	c->size = size;
	return c;
}

/* Make `bytes` fit into the current chunk, moving on to the next or a new one. */
static int make_room(struct arena *a, size_t bytes)
{
	while (a->current && a->used + bytes > room(a->current) && a->current->next) {
		a->current = a->current->next;
		a->used = 0;
	}
	if (a->current && a->used + bytes <= room(a->current))
		return 0;

	struct arena_chunk *c = chunk_new(bytes);

	if (!c)
		return -1;
	if (a->current)
		a->current->next = c;
	else
		a->first = c;
	a->current = c;
	a->used = 0;
	return 0;
}

void *arena_take(struct arena *a, size_t bytes)
{
	char *block;

	bytes = round_up(bytes ? bytes : 1, ARENA_ALIGN);
	if ((!a->current || a->used + bytes > room(a->current)) && make_room(a, bytes) != 0)
		return NULL;
	block = a->current->data + a->used;
	a->used += bytes;
	return block;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){ a->current, a->used };
}

void arena_cut(struct arena *a, struct arena_mark mark)
{
	a->current = mark.chunk ? mark.chunk : a->first;
	a->used = mark.chunk ? mark.used : 0;
}

void arena_reset(struct arena *a)
{
	a->current = a->first;
	a->used = 0;
}

void arena_free(struct arena *a)
{
	while (a->first) {
		struct arena_chunk *next = a->first->next;

		munmap(a->first, a->first->size);
		a->first = next;
	}
	a->current = NULL;
	a->used = 0;
}
