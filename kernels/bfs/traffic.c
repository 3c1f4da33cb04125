#include "kernels/bfs/traffic.h"

#include "base/grow.h"
#include "base/status.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The whole graph and a search in it. */
struct whole {
	const struct graph *graph;
	int np;
	size_t *first; /* vertices + 1: the neighbours of each label */
	uint32_t *neighbour;
	uint32_t *root;   /* of each search */
	uint32_t *queue;  /* labels in the order in which they are reached */
	uint8_t *reached; /* by label */
	uint32_t *sorted; /* the labels of a level, by role */
	size_t *at;       /* np + 1 */
	uint32_t *count;  /* np: hits of one role so far, all 0 between two roles */
	int32_t *hit;     /* np: the roles that have some */
};

/* Nothing in it changes once it is in the list. */
static struct traffic *known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void matrix_row(const struct matrix *m, int role, uint32_t *count)
{
	for (size_t i = m->row[role]; i < m->row[role + 1]; i++)
		count[m->cell[i].role] += m->cell[i].count;
}

static void matrix_free(struct matrix *m)
{
	free(m->row);
	free(m->cell);
}

static void traffic_free(struct traffic *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->levels; i++)
		matrix_free(&t->level[i]);
	matrix_free(&t->between);
	free(t->level);
	free(t);
}

static void whole_free(struct whole *w)
{
	free(w->first);
	free(w->neighbour);
	free(w->root);
	free(w->queue);
	free(w->reached);
	free(w->sorted);
	free(w->at);
	free(w->count);
	free(w->hit);
}

static int whole_room(struct whole *w, int searches)
{
	const size_t n = (size_t)w->graph->vertices, np = (size_t)w->np;

	w->first = calloc(n + 2, sizeof *w->first);
	w->neighbour = malloc(2 * (size_t)w->graph->edges * sizeof *w->neighbour);
	w->root = malloc((size_t)searches * sizeof *w->root);
	w->queue = malloc(n * sizeof *w->queue);
	w->reached = malloc(n);
	w->sorted = malloc(n * sizeof *w->sorted);
	w->at = malloc((np + 1) * sizeof *w->at);
	w->count = calloc(np, sizeof *w->count);
	w->hit = malloc(np * sizeof *w->hit);
	return w->first && w->neighbour && w->root && w->queue && w->reached && w->sorted &&
			       w->at && w->count && w->hit
		       ? RB_OK
		       : RB_ENOMEM;
}

/* Call for both directions of all edges; the first pass counts into first[v + 2], the second one
 * places at first[v + 1], which then is where v ends and v + 1 begins. */
static void pass(struct whole *w, struct touched *touched, bool place)
{
	uint32_t end[2][GRAPH_BLOCK];
	const struct graph *g = w->graph;

	for (int64_t from = 0; from < g->edges; from += GRAPH_BLOCK) {
		int count = (int)(g->edges - from < GRAPH_BLOCK ? g->edges - from : GRAPH_BLOCK);

		graph_edges(g, from, count, end[0], end[1]);
		for (int e = 0; e < count; e++)
			for (int side = 0; side < 2 && end[0][e] != end[1][e]; side++)
				if (place)
					w->neighbour[w->first[end[side][e] + (size_t)1]++] =
						end[1 - side][e];
				else {
					w->first[end[side][e] + (size_t)2]++;
					touched_add(touched, end[side][e]);
				}
	}
}

static int whole_make(struct whole *w, int searches)
{
	struct touched touched;

	RB_TRY(whole_room(w, searches));
	RB_TRY(touched_init(&touched, w->graph));
	pass(w, &touched, false);
	for (size_t v = 1; v <= (size_t)w->graph->vertices; v++)
		w->first[v + 1] += w->first[v];
	pass(w, NULL, true);
	graph_roots(w->graph, &touched, searches, w->root);
	touched_free(&touched);
	return RB_OK;
}

/* The row of one role: all edges of its labels, which are listed, by the role at the other end. */
static int make_row(struct whole *w, struct matrix *m, int role, const uint32_t *label,
		    size_t labels)
{
	const uint32_t np = (uint32_t)w->np;
	size_t hits = 0;
	struct cell *cell;

	for (size_t i = 0; i < labels; i++)
		for (size_t k = w->first[label[i]]; k < w->first[label[i] + (size_t)1]; k++) {
			const uint32_t to = w->neighbour[k] % np;

			if (w->count[to]++ == 0)
				w->hit[hits++] = (int32_t)to;
		}
	cell = grow(m->cell, m->row[role] + hits, &m->room, sizeof *cell);
	if (!cell)
		return RB_ENOMEM;
	m->cell = cell;
	m->row[role + 1] = m->row[role];
	for (size_t i = 0; i < hits; i++) {
		if (w->hit[i] != role)
			cell[m->row[role + 1]++] = (struct cell){ w->hit[i], w->count[w->hit[i]] };
		w->count[w->hit[i]] = 0;
	}
	return RB_OK;
}

/* Of all edges of these labels, from one role to another. */
static int make_matrix(struct whole *w, struct matrix *m, const uint32_t *label, size_t labels)
{
	const size_t np = (size_t)w->np;

	m->row = calloc(np + 1, sizeof *m->row);
	if (!m->row)
		return RB_ENOMEM;
	memset(w->at, 0, (np + 1) * sizeof *w->at);
	for (size_t i = 0; i < labels; i++)
		w->at[label[i] % np + 1]++;
	for (size_t r = 0; r < np; r++)
		w->at[r + 1] += w->at[r];
	for (size_t i = 0; i < labels; i++)
		w->sorted[w->at[label[i] % np]++] = label[i];
	for (size_t r = 0; r < np; r++) { /* at[r] is the end of r now */
		const size_t begin = r > 0 ? w->at[r - 1] : 0;

		RB_TRY(make_row(w, m, (int)r, w->sorted + begin, w->at[r] - begin));
	}
	return RB_OK;
}

static int add_level(struct traffic *t, struct whole *w, const uint32_t *label, size_t labels)
{
	struct matrix *level = grow(t->level, t->levels + 1, &t->room, sizeof *level);

	if (!level)
		return RB_ENOMEM;
	t->level = level;
	level[t->levels] = (struct matrix){ NULL, NULL, 0 };
	return make_matrix(w, &level[t->levels++], label, labels);
}

/* One iteration for each level, also for the last one, which reaches nobody. */
static int search(struct traffic *t, struct whole *w, uint32_t root)
{
	size_t begin = 0, end = 1;

	memset(w->reached, 0, (size_t)w->graph->vertices);
	w->queue[0] = root;
	w->reached[root] = 1;
	while (begin < end) {
		size_t last = end;

		RB_TRY(add_level(t, w, w->queue + begin, end - begin));
		for (size_t i = begin; i < end; i++)
			for (size_t k = w->first[w->queue[i]];
			     k < w->first[w->queue[i] + (size_t)1]; k++)
				if (!w->reached[w->neighbour[k]]) {
					w->reached[w->neighbour[k]] = 1;
					w->queue[last++] = w->neighbour[k];
				}
		begin = end;
		end = last;
	}
	return RB_OK;
}

static int fill(struct traffic *t, struct whole *w)
{
	RB_TRY(whole_make(w, t->searches));
	for (size_t v = 0; v < (size_t)w->graph->vertices; v++)
		w->queue[v] = (uint32_t)v;
	RB_TRY(make_matrix(w, &t->between, w->queue, (size_t)w->graph->vertices));
	for (int k = 0; k < t->searches; k++)
		RB_TRY(search(t, w, w->root[k]));
	return RB_OK;
}

static struct traffic *make(const struct graph *g, int np, int searches)
{
	struct traffic *t = calloc(1, sizeof *t);
	struct whole w = { .graph = g, .np = np };

	if (!t)
		return NULL;
	t->graph = *g;
	t->np = np;
	t->searches = searches;
	if (fill(t, &w) != RB_OK) {
		traffic_free(t);
		t = NULL;
	}
	whole_free(&w);
	return t;
}

static bool is_of(const struct traffic *t, const struct graph *g, int np, int searches)
{
	return t->graph.scale == g->scale && t->graph.edges == g->edges &&
	       t->graph.seed == g->seed && t->graph.hashed == g->hashed && t->np == np &&
	       t->searches == searches;
}

const struct traffic *traffic_of(const struct graph *g, int np, int searches)
{
	struct traffic *t;

	pthread_mutex_lock(&lock);
	for (t = known; t && !is_of(t, g, np, searches);)
		t = t->next;
	if (!t && (t = make(g, np, searches))) {
		t->next = known;
		known = t;
	}
	pthread_mutex_unlock(&lock);
	return t;
}
