#include "ft/log/arena.h"

#include "base/huge_page.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CHUNK_MIN = 64 << 10,
	CHUNK_MAX = 64 << 20,
	SMALL_ALIGN = 8,
	LARGE_BLOCK = 64 << 10,
};

struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* bytes mapped, header included */
	_Alignas(ARENA_ALIGN) char data[];
};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static size_t page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t room(const struct arena_chunk *c)
{
	return c->size - sizeof *c;
}

static void fault_in(char *data, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	if (madvise(data, size, MADV_POPULATE_WRITE) == 0)
		return;
#endif
	for (size_t at = 0, step = page(); at < size; at += step)
		((volatile char *)data)[at] = 0;
}

/* From HUGE_PAGE on, at a multiple of it: only there the system can give a huge page. */
static void *map(size_t size)
{
	const size_t more = size < HUGE_PAGE ? 0 : HUGE_PAGE - page();
	char *data =
		mmap(NULL, size + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (data == MAP_FAILED)
		return NULL;
	if (more == 0)
		return data;
	before = round_up((uintptr_t)data, HUGE_PAGE) - (uintptr_t)data;
	if (before > 0)
		munmap(data, before);
	if (before < more)
		munmap(data + before + size, more - before);
	return data + before;
}

/* Pages (huge ones where allowed) are faulted in now, so that no later iteration pays for it. */
static struct arena_chunk *chunk_new(size_t size)
{
	struct arena_chunk *c = map(size);

	if (!c)
		return NULL;
	madvise(c, size, MADV_HUGEPAGE); /* a hint */
	fault_in((char *)c, size);
	c->next = NULL;
	c->size = size;
	return c;
}

/* Small blocks get less padding. */
static size_t start_after(size_t used, size_t bytes)
{
	return round_up(used, bytes < ARENA_ALIGN ? SMALL_ALIGN : ARENA_ALIGN);
}

size_t arena_after(size_t used, size_t bytes)
{
	bytes = round_up(bytes ? bytes : 1, SMALL_ALIGN);
	return start_after(used, bytes) + bytes;
}

static bool fits(const struct arena *a, size_t bytes)
{
	return a->current && start_after(a->used, bytes) + bytes <= room(a->current);
}

/* Of a new chunk. Chunks grow with the arena, so that there are few. For a large block, or if it is
 * that large anyway, a chunk is whole huge pages. */
static size_t size_for(const struct arena *a, size_t bytes)
{
	const size_t need = bytes + sizeof(struct arena_chunk), mapped = arena_mapped(a),
		     least = mapped < CHUNK_MIN   ? CHUNK_MIN
			     : mapped > CHUNK_MAX ? CHUNK_MAX
						  : mapped,
		     size = need > least ? need : least;

	return round_up(size, bytes >= LARGE_BLOCK || size >= HUGE_PAGE ? HUGE_PAGE : page());
}

/* Make `bytes` fit into the current chunk, moving on to the next or a new one. */
static int make_room(struct arena *a, size_t bytes)
{
	struct arena_chunk *c;

	while (a->current && !fits(a, bytes) && a->current->next) {
		a->current = a->current->next;
		a->used = 0;
	}
	if (fits(a, bytes))
		return 0;
	c = chunk_new(size_for(a, bytes));
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
	size_t start;

	bytes = round_up(bytes ? bytes : 1, SMALL_ALIGN);
	if (!fits(a, bytes) && make_room(a, bytes) != 0)
		return NULL;
	start = start_after(a->used, bytes);
	a->used = start + bytes;
	return a->current->data + start;
}

int arena_reserve(struct arena *a, size_t bytes)
{
	if (a->first || bytes == 0)
		return 0;
	a->first = a->current = chunk_new(round_up(bytes + sizeof *a->first, page()));
	a->used = 0;
	return a->first ? 0 : -1;
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

size_t arena_mapped(const struct arena *a)
{
	size_t bytes = 0;

	for (const struct arena_chunk *c = a->first; c; c = c->next)
		bytes += c->size;
	return bytes;
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
