#include "ft/log/kept.h"

#include "base/grow.h"

#include <string.h>

void kept_free(struct kept *k)
{
	for (int i = 0; i < 2; i++) {
		arena_free(&k->of[i].arena);
		free(k->of[i].message);
	}
	memset(k, 0, sizeof *k);
}

static struct kept_iteration *slot(struct kept *k, int64_t iter)
{
	return &k->of[iter % 2];
}

void kept_begin(struct kept *k, int64_t iter)
{
	struct kept_iteration *s = slot(k, iter);

	arena_reset(&s->arena);
	s->iter = iter;
	s->count = 0;
	s->bytes = 0;
}

void *kept_append(struct kept *k, struct place place, int dst, int tag, size_t bytes)
{
	struct kept_iteration *s = slot(k, place.iter);
	struct kept_message *list = grow(s->message, s->count + 1, &s->room, sizeof *list);
	void *payload;

	if (!list)
		return NULL;
	s->message = list;
	payload = arena_take(&s->arena, bytes);
	if (!payload)
		return NULL;
	list[s->count++] = (struct kept_message){ payload, bytes, dst, tag, place };
	s->bytes += bytes;
	k->bytes_peak = s->bytes > k->bytes_peak ? s->bytes : k->bytes_peak;
	return payload;
}

const struct kept_iteration *kept_of(const struct kept *k, int64_t iter)
{
	const struct kept_iteration *s = iter < 0 ? NULL : &k->of[iter % 2];

	return s && s->iter == iter ? s : NULL;
}
