#include "forecast/study/dendrogram.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct pair {
	int64_t bytes; /* both directions */
	int32_t a, b;
};

static int64_t bytes_of(const struct exchange *e, int source, int receiver)
{
	const size_t i = exchange_find(e, source, receiver);

	return i < e->count ? e->bytes[i] : 0;
}

/* Each pair once: from its smaller rank, or from the larger one if only that one sends. */
static size_t list_pairs(const struct exchange *e, struct pair *list)
{
	size_t count = 0;

	for (size_t i = 0; i < e->count; i++) {
		const int32_t s = e->source[i], d = e->receiver[i];
		const int64_t back = s == d ? 0 : bytes_of(e, d, s);

		if (s != d && e->bytes[i] > 0 && (s < d || back == 0))
			list[count++] = (struct pair){ e->bytes[i] + back, s, d };
	}
	return count;
}

static int heaviest_first(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;

	if (p->bytes != q->bytes)
		return p->bytes > q->bytes ? -1 : 1;
	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

static int32_t root_of(const struct dendrogram *d, int32_t r)
{
	while (d->parent[r] != r)
		r = d->parent[r];
	return r;
}

/* The smaller tree goes below the root of the larger one, so no path has more than log2(np) steps.
 * Paths are not compressed, since the heights along them are needed. */
static void join(struct dendrogram *d, const struct pair *p)
{
	int32_t a = root_of(d, p->a), b = root_of(d, p->b);

	if (a == b)
		return;
	if (d->size[a] < d->size[b]) {
		const int32_t other = a;

		a = b;
		b = other;
	}
	d->parent[b] = a;
	d->size[a] += d->size[b];
	d->height[b] = p->bytes;
}

int dendrogram_make(struct dendrogram *d, const struct exchange *e)
{
	const size_t n = (size_t)e->np;
	struct pair *list = malloc((e->count + 1) * sizeof *list);
	size_t count;

	*d = (struct dendrogram){ malloc(n * sizeof *d->parent), malloc(n * sizeof *d->size),
				  calloc(n, sizeof *d->height) };
	if (!list || !d->parent || !d->size || !d->height) {
		free(list);
		dendrogram_free(d);
		return RB_ENOMEM;
	}
	for (int r = 0; r < e->np; r++) {
		d->parent[r] = r;
		d->size[r] = 1;
	}
	count = list_pairs(e, list);
	qsort(list, count, sizeof *list, heaviest_first);
	for (size_t i = 0; i < count; i++)
		join(d, &list[i]);
	free(list);
	return RB_OK;
}

void dendrogram_free(struct dendrogram *d)
{
	free(d->parent);
	free(d->size);
	free(d->height);
	memset(d, 0, sizeof *d);
}

/* Trees are joined in descending order of the heights, so heights fall along a path to the root.
 * The rank whose link was made first moves up, until both have met; the last link is the one that
 * joined their clusters. */
int64_t dendrogram_height(const struct dendrogram *d, int a, int b)
{
	int64_t height = INT64_MAX;

	while (a != b) {
		const bool a_ends = d->parent[a] == a, b_ends = d->parent[b] == b;

		if (a_ends && b_ends)
			return 0;
		if (b_ends || (!a_ends && d->size[a] <= d->size[b])) {
			height = d->height[a] < height ? d->height[a] : height;
			a = d->parent[a];
		} else {
			height = d->height[b] < height ? d->height[b] : height;
			b = d->parent[b];
		}
	}
	return height;
}
