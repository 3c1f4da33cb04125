#include "forecast/study/components.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* A rank whose senders are being looked at. */
struct visit {
	int32_t rank;
	uint32_t next; /* the next of its edges */
};

/* Tarjan's algorithm with a stack of its own, since chains can be as long as there are ranks. */
struct tarjan {
	const struct channels *c;
	struct components *x;
	int32_t *order;     /* np: the number at which a rank was found, from 1 on; 0: not yet */
	int32_t *low;       /* np: the least such number that it reaches */
	int32_t *open;      /* np: ranks found that are in no component yet */
	struct visit *path; /* np */
	int32_t found, opened;
};

static void enter(struct tarjan *t, int32_t rank, size_t depth)
{
	t->order[rank] = t->low[rank] = ++t->found;
	t->open[t->opened++] = rank;
	t->path[depth] = (struct visit){ rank, t->c->first[rank] };
}

/* All ranks above this one on the stack of open ranks are one component. */
static void close_component(struct tarjan *t, int32_t rank)
{
	struct components *x = t->x;
	int32_t member;

	x->size[x->count] = 0;
	do {
		member = t->open[--t->opened];
		x->of[member] = x->count;
		x->size[x->count]++;
	} while (member != rank);
	x->count++;
}

static void follow_from(struct tarjan *t, int32_t root)
{
	size_t depth = 0;

	enter(t, root, depth);
	for (;;) {
		struct visit *v = &t->path[depth];
		const int32_t d = v->rank;

		if (v->next < t->c->first[d + 1]) {
			const int32_t s = t->c->source[v->next++];

			if (t->order[s] == 0)
				enter(t, s, ++depth);
			else if (t->x->of[s] < 0 && t->order[s] < t->low[d])
				t->low[d] = t->order[s];
			continue;
		}
		if (t->low[d] == t->order[d])
			close_component(t, d);
		if (depth == 0)
			return;
		v = &t->path[--depth];
		if (t->low[d] < t->low[v->rank])
			t->low[v->rank] = t->low[d];
	}
}

static int find_all(struct components *x, const struct channels *c)
{
	const size_t n = (size_t)c->np;
	struct tarjan t = { .c = c,
			    .x = x,
			    .order = calloc(n, sizeof *t.order),
			    .low = malloc(n * sizeof *t.low),
			    .open = malloc(n * sizeof *t.open),
			    .path = malloc(n * sizeof *t.path) };
	const int rc = t.order && t.low && t.open && t.path ? RB_OK : RB_ENOMEM;

	for (int r = 0; rc == RB_OK && r < c->np; r++)
		if (t.order[r] == 0)
			follow_from(&t, r);
	free(t.order);
	free(t.low);
	free(t.open);
	free(t.path);
	return rc;
}

/* member: ranks by component, which begin at begin[]. */
static void list_edges(struct components *x, const struct channels *c, const int32_t *member,
		       int32_t *seen)
{
	const int32_t *rank = member;

	for (int i = 0; i < x->count; i++) {
		x->first[i + 1] = x->first[i];
		for (int k = 0; k < x->size[i]; k++, rank++)
			for (uint32_t e = c->first[*rank]; e < c->first[*rank + 1]; e++) {
				const int32_t j = x->of[c->source[e]];

				if (j == i || seen[j] == i + 1)
					continue;
				seen[j] = i + 1;
				x->to[x->first[i + 1]++] = j;
			}
	}
}

static int make_edges(struct components *x, const struct channels *c)
{
	const size_t n = (size_t)c->np, edges = c->first[c->np];
	int32_t *member = malloc(n * sizeof *member), *seen = calloc(n, sizeof *seen);
	size_t *begin = calloc(n + 1, sizeof *begin);
	int rc = RB_ENOMEM;

	x->first = calloc((size_t)x->count + 1, sizeof *x->first);
	x->to = malloc((edges > 0 ? edges : 1) * sizeof *x->to);
	if (member && seen && begin && x->first && x->to) {
		for (int i = 0; i < x->count; i++)
			begin[i + 1] = begin[i] + (size_t)x->size[i];
		for (int r = 0; r < x->np; r++)
			member[begin[x->of[r]]++] = r;
		list_edges(x, c, member, seen);
		rc = RB_OK;
	}
	free(member);
	free(seen);
	free(begin);
	return rc;
}

int components_make(struct components *x, const struct channels *c)
{
	const size_t n = (size_t)c->np;
	int rc;

	*x = (struct components){ .np = c->np,
				  .of = malloc(n * sizeof *x->of),
				  .size = malloc(n * sizeof *x->size) };
	rc = x->of && x->size ? RB_OK : RB_ENOMEM;
	if (rc == RB_OK) {
		memset(x->of, -1, n * sizeof *x->of);
		rc = find_all(x, c);
	}
	if (rc == RB_OK)
		rc = make_edges(x, c);
	if (rc != RB_OK)
		components_free(x);
	return rc;
}

void components_free(struct components *x)
{
	free(x->of);
	free(x->size);
	free(x->first);
	free(x->to);
	memset(x, 0, sizeof *x);
}
