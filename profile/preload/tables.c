#include "profile/preload/tables.h"

#include <stdlib.h>

enum { FIRST_BITS = 6 };

/* The cell of a key, or the free one where it belongs. */
static struct cell *find(const struct table *t, uint64_t key)
{
	const size_t mask = ((size_t)1 << t->bits) - 1;
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - t->bits));

	while (t->cell[i].count > 0 && t->cell[i].key != key)
		i = (i + 1) & mask;
	return &t->cell[i];
}

static bool grow(struct table *t)
{
	struct table more = { .bits = t->bits ? t->bits + 1 : FIRST_BITS, .used = t->used };
	const size_t size = t->bits ? (size_t)1 << t->bits : 0;

	more.cell = calloc((size_t)1 << more.bits, sizeof *more.cell);
	if (!more.cell)
		return false;
	for (size_t i = 0; i < size; i++)
		if (t->cell[i].count > 0)
			*find(&more, t->cell[i].key) = t->cell[i];
	free(t->cell);
	*t = more;
	return true;
}

bool table_add(struct table *t, uint64_t key, int64_t bytes)
{
	struct cell *c;

	if (t->bits == 0 && !grow(t))
		return false;
	c = find(t, key);
	if (c->count == 0) {
		if (2 * (t->used + 1) > (size_t)1 << t->bits) {
			if (!grow(t))
				return false;
			c = find(t, key);
		}
		c->key = key;
		t->used++;
	}
	c->count++;
	c->bytes += bytes;
	return true;
}

/* Let the cell at i sink to its place in the heap of the first n cells. */
static void sink(struct cell *c, size_t i, size_t n)
{
	const struct cell moved = c[i];

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && c[child + 1].key > c[child].key)
			child++;
		if (c[child].key <= moved.key)
			break;
		c[i] = c[child];
	}
	c[i] = moved;
}

void table_finish(struct table *t)
{
	const size_t size = t->bits ? (size_t)1 << t->bits : 0;
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		if (t->cell[i].count > 0)
			t->cell[n++] = t->cell[i];
	for (size_t i = n; i < size; i++)
		t->cell[i].count = 0;
	t->used = n;
	for (size_t i = n / 2; i-- > 0;)
		sink(t->cell, i, n);
	while (n > 1) {
		const struct cell largest = t->cell[0];

		t->cell[0] = t->cell[--n];
		t->cell[n] = largest;
		sink(t->cell, 0, n);
	}
}
