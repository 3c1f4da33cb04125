#include "ft/log.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MIN = 1024 };

int log_init(struct log *l, int np)
{
	memset(l, 0, sizeof *l);
	l->np = np;
	l->hole = calloc((size_t)np, sizeof *l->hole);
	l->hole_prev = calloc((size_t)np, sizeof *l->hole_prev);
	l->entry = malloc(ENTRIES_MIN * sizeof *l->entry);
	l->capacity = ENTRIES_MIN;
	if (!l->hole || !l->hole_prev || !l->entry) {
		log_free(l);
		return RB_ENOMEM;
	}
	log_restart(l, 0);
	return RB_OK;
}

void log_free(struct log *l)
{
	arena_free(&l->arena);
	free(l->entry);
	free(l->hole);
	free(l->hole_prev);
	memset(l, 0, sizeof *l);
}

void log_restart(struct log *l, int64_t c)
{
	l->count = 0;
	l->bytes = 0;
	arena_reset(&l->arena);
	for (int d = 0; d < l->np; d++)
		l->hole[d] = l->hole_prev[d] = c - 1;
	log_begin(l, c);
}

void log_begin(struct log *l, int64_t iter)
{
	l->begin.iter = iter;
	l->begin.count = l->count;
	l->begin.arena = arena_mark(&l->arena);
	l->begin.bytes = l->bytes;
}

void log_commit(struct log *l)
{
	l->bytes_total += l->bytes - l->begin.bytes;
	if (l->bytes > l->bytes_peak)
		l->bytes_peak = l->bytes;
	log_begin(l, l->begin.iter + 1); /* an abort from here on takes nothing back */
}

void log_abort(struct log *l)
{
	l->count = l->begin.count;
	l->bytes = l->begin.bytes;
	arena_cut(&l->arena, l->begin.arena);
	for (int d = 0; d < l->np; d++)
		if (l->hole[d] == l->begin.iter)
			l->hole[d] = l->hole_prev[d];
}

void *log_append(struct log *l, int dst, int tag, size_t bytes)
{
	void *payload;

	if (l->count == l->capacity) {
		size_t more = l->capacity * 2;
		struct log_entry *grown = realloc(l->entry, more * sizeof *grown);

		if (!grown)
			return NULL;
		l->entry = grown;
		l->capacity = more;
	}
	payload = arena_take(&l->arena, bytes);
	if (!payload)
		return NULL;
	l->entry[l->count++] = (struct log_entry){ l->begin.iter, dst, tag, bytes, payload };
	l->bytes += (int64_t)bytes;
	return payload;
}

void log_skip(struct log *l, int dst)
{
	if (l->hole[dst] == l->begin.iter)
		return;
	l->hole_prev[dst] = l->hole[dst];
	l->hole[dst] = l->begin.iter;
}
