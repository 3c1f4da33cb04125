#include "kernels/bfs/part.h"

#include "base/grow.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* An end of an edge that belongs to this role. */
struct end {
	uint32_t vertex; /* local number */
	uint32_t far;    /* label */
};

struct ends {
	struct end *list;
	size_t count, room;
};

void part_free(struct part *p)
{
	if (!p)
		return;
	if (!p->shared.given) {
		free(p->group);
		free(p->vertex);
		free(p->first);
		free(p->neighbour);
		free(p->root);
	}
	free(p);
}

static int add(struct ends *s, const struct part *p, uint32_t near, uint32_t far)
{
	struct end *list = s->list;

	if (near % (uint32_t)p->np != (uint32_t)p->role)
		return RB_OK;
	if (s->count == s->room && !(list = grow(s->list, s->count + 1, &s->room, sizeof *list)))
		return RB_ENOMEM;
	s->list = list;
	s->list[s->count++] = (struct end){ near / (uint32_t)p->np, far };
	return s->count < UINT32_MAX ? RB_OK : RB_EINVAL;
}

/* All ends of this role, in the order of the edges, and which vertices have an edge. */
static int collect(struct ends *s, struct touched *touched, const struct part *p,
		   const struct graph *g)
{
	uint32_t from[GRAPH_BLOCK], to[GRAPH_BLOCK];

	for (int64_t first = 0; first < g->edges; first += GRAPH_BLOCK) {
		int count = (int)(g->edges - first < GRAPH_BLOCK ? g->edges - first : GRAPH_BLOCK);

		graph_edges(g, first, count, from, to);
		for (int e = 0; e < count; e++) {
			if (from[e] == to[e])
				continue;
			touched_add(touched, from[e]);
			touched_add(touched, to[e]);
			RB_TRY(add(s, p, from[e], to[e]));
			RB_TRY(add(s, p, to[e], from[e]));
		}
	}
	return RB_OK;
}

/* Sort by vertex, or by the role of the far end; equal ones stay in order. keys: how many values
 * there are. */
static int sort(struct ends *s, size_t keys, bool by_role, uint32_t np)
{
	struct end *sorted = malloc((s->count + 1) * sizeof *sorted);
	size_t *at = calloc(keys + 1, sizeof *at);
	const bool ok = sorted && at;

	for (size_t i = 0; ok && i < s->count; i++)
		at[(by_role ? s->list[i].far % np : s->list[i].vertex) + 1]++;
	for (size_t k = 0; ok && k < keys; k++)
		at[k + 1] += at[k];
	for (size_t i = 0; ok && i < s->count; i++)
		sorted[at[by_role ? s->list[i].far % np : s->list[i].vertex]++] = s->list[i];
	if (ok) {
		free(s->list);
		s->list = sorted;
		s->room = s->count + 1;
	} else {
		free(sorted);
	}
	free(at);
	return ok ? RB_OK : RB_ENOMEM;
}

static bool begins_row(const struct ends *s, size_t i, uint32_t np)
{
	return i == 0 || s->list[i].vertex != s->list[i - 1].vertex ||
	       s->list[i].far % np != s->list[i - 1].far % np;
}

static int make_rows(struct part *p, const struct ends *s)
{
	const uint32_t np = (uint32_t)p->np;
	size_t rows = 0, row = 0;

	for (size_t i = 0; i < s->count; i++)
		rows += begins_row(s, i, np);
	p->group = calloc((size_t)np + 1, sizeof *p->group);
	p->vertex = malloc((rows + 1) * sizeof *p->vertex);
	p->first = malloc((rows + 1) * sizeof *p->first);
	p->neighbour = malloc((s->count + 1) * sizeof *p->neighbour);
	if (!p->group || !p->vertex || !p->first || !p->neighbour)
		return RB_ENOMEM;
	for (size_t i = 0; i < s->count; i++) {
		if (begins_row(s, i, np)) {
			p->vertex[row] = s->list[i].vertex;
			p->first[row++] = (uint32_t)i;
			p->group[s->list[i].far % np + 1]++;
		}
		p->neighbour[i] = s->list[i].far / np;
	}
	p->first[rows] = (uint32_t)s->count;
	for (uint32_t r = 0; r < np; r++)
		p->group[r + 1] += p->group[r];
	return RB_OK;
}

static int build(struct part *p, struct ends *s, struct touched *touched, const struct graph *g,
		 int searches)
{
	RB_TRY(touched_init(touched, g));
	RB_TRY(collect(s, touched, p, g));
	p->root = malloc((size_t)searches * sizeof *p->root);
	if (!p->root)
		return RB_ENOMEM;
	graph_roots(g, touched, searches, p->root);
	RB_TRY(sort(s, p->vertices, false, (uint32_t)p->np));
	RB_TRY(sort(s, (size_t)p->np, true, (uint32_t)p->np));
	return make_rows(p, s);
}

/* Without its arrays. */
static struct part *part_new(const struct graph *g, int role, int np)
{
	struct part *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	atomic_init(&p->shared.users, 1);
	p->np = np;
	p->role = role;
	p->vertices = part_size(g->vertices, role, np);
	return p;
}

size_t part_arrays(const struct part *p, int searches, struct kernel_region out[KERNEL_MAX_REGIONS])
{
	const size_t n = sizeof(uint32_t), rows = p->group[p->np];

	out[0] = (struct kernel_region){ "group", p->group, ((size_t)p->np + 1) * n };
	out[1] = (struct kernel_region){ "vertex", p->vertex, rows * n };
	out[2] = (struct kernel_region){ "first", p->first, (rows + 1) * n };
	out[3] = (struct kernel_region){ "neighbour", p->neighbour, p->first[rows] * n };
	out[4] = (struct kernel_region){ "root", p->root, (size_t)searches * n };
	return 5;
}

int part_of(struct part **out, const struct graph *g, int role, int np,
	    const struct kernel_region *arrays)
{
	struct part *p = *out = part_new(g, role, np);

	if (!p)
		return RB_ENOMEM;
	p->shared.given = true;
	p->group = arrays[0].data;
	p->vertex = arrays[1].data;
	p->first = arrays[2].data;
	p->neighbour = arrays[3].data;
	p->root = arrays[4].data;
	return RB_OK;
}

int part_make(struct part **out, const struct graph *g, int role, int np, int searches)
{
	struct part *p = part_new(g, role, np);
	struct touched touched = { NULL };
	struct ends s = { NULL, 0, 0 };
	int rc;

	if (!p)
		return RB_ENOMEM;
	rc = build(p, &s, &touched, g, searches);
	touched_free(&touched);
	free(s.list);
	if (rc != RB_OK) {
		part_free(p);
		p = NULL;
	}
	*out = p;
	return rc;
}
