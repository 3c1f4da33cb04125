/* The kernel bfs: its graph has the published parameters, its trees are those of a plain search,
 * its check finds wrong trees, and its load differs from role to role as the
 * memory-constrained-logging paper says. */
#include "kernels/bfs/bfs.h"
#include "kernels/bfs/traffic.h"
#include "tests/played_kernel.h"

#include <inttypes.h>
#include <math.h>

enum { SCALE = 7, VERTICES = 1 << SCALE, EDGES = 6 * VERTICES, SEARCHES = 5 };

static const struct kernel_args args = { { "7", "6", "5", "0", "hash", "3" } };

static bool near(double is, double expected, double relative)
{
	return fabs(is - expected) <= relative * expected;
}

/* With 4 levels the most frequent ends are the vertex 0 before it was scrambled, with probability
 * (a + b)^4, and there are (a + d)^4 loops and a^4 of them at this vertex. */
static void edges_have_the_published_probabilities(void **state)
{
	const struct graph g = graph_of(4, 1000000, 7, true);
	uint32_t from[GRAPH_BLOCK], to[GRAPH_BLOCK];
	double out[16] = { 0 }, in[16] = { 0 }, loops[16] = { 0 }, most[3] = { 0, 0, 0 }, sum = 0;

	(void)state;
	for (int64_t first = 0; first < g.edges; first += GRAPH_BLOCK) {
		const int64_t left = g.edges - first;
		const int count = left < GRAPH_BLOCK ? (int)left : GRAPH_BLOCK;

		graph_edges(&g, first, count, from, to);
		for (int e = 0; e < count; e++) {
			assert_true(from[e] < 16 && to[e] < 16);
			out[from[e]]++;
			in[to[e]]++;
			loops[from[e]] += from[e] == to[e];
		}
	}
	for (int v = 0; v < 16; v++) {
		most[0] = fmax(most[0], out[v]);
		most[1] = fmax(most[1], in[v]);
		most[2] = fmax(most[2], loops[v]);
		sum += loops[v];
	}
	assert_true(near(most[0], pow(0.76, 4) * (double)g.edges, 2e-3));
	assert_true(near(most[1], pow(0.76, 4) * (double)g.edges, 2e-3));
	assert_true(near(most[2], pow(0.57, 4) * (double)g.edges, 4e-3));
	assert_true(near(sum, pow(0.62, 4) * (double)g.edges, 4e-3));
}

/* The same edges in any block, others with another seed; each vertex is a root once. */
static void edges_are_functions_of_their_numbers(void **state)
{
	const struct graph g = graph_of(10, 4, 1, false), other = graph_of(10, 4, 2, false);
	uint32_t from[GRAPH_BLOCK], to[GRAPH_BLOCK], one[2], root[1025];
	struct touched all;
	bool seen[1024] = { false };
	int same = 0;

	(void)state;
	graph_edges(&g, 1000, GRAPH_BLOCK, from, to);
	for (int e = 0; e < GRAPH_BLOCK; e++) {
		graph_edges(&g, 1000 + e, 1, &one[0], &one[1]);
		assert_true(one[0] == from[e] && one[1] == to[e]);
		graph_edges(&other, 1000 + e, 1, &one[0], &one[1]);
		same += one[0] == from[e] && one[1] == to[e];
	}
	assert_in_range(same, 0, 5);
	assert_int_equal(touched_init(&all, &g), RB_OK);
	for (uint32_t v = 0; v < 1024; v++)
		touched_add(&all, v);
	graph_roots(&g, &all, 1025, root);
	for (int k = 0; k < 1024; k++) {
		assert_false(seen[root[k]]);
		seen[root[k]] = true;
	}
	assert_int_equal(root[1024], root[0]);
	touched_free(&all);
}

/* A plain search on the list of edges. */
struct tree {
	int depth[VERTICES];
	uint32_t parent[VERTICES];
};

static void look_along(struct tree *t, uint32_t from, uint32_t to, int depth)
{
	if (t->depth[from] != depth || (t->depth[to] >= 0 && t->depth[to] != depth + 1))
		return;
	if (t->depth[to] < 0 || from < t->parent[to])
		t->parent[to] = from;
	t->depth[to] = depth + 1;
}

static void plain_search(struct tree *t, uint32_t root, int depths)
{
	const struct graph g = graph_of(SCALE, EDGES / VERTICES, 3, true);
	uint32_t from, to;

	memset(t, 0xff, sizeof *t);
	t->depth[root] = 0;
	t->parent[root] = root;
	for (int depth = 0; depth < depths; depth++)
		for (int64_t e = 0; e < EDGES; e++) {
			graph_edges(&g, e, 1, &from, &to);
			look_along(t, from, to, depth);
			look_along(t, to, from, depth);
		}
}

/* 0: nothing. The root, the only vertex of depth 0, stays as it is. */
static void damage(struct kernel_state *s, int wrong)
{
	const uint32_t np = (uint32_t)s->part->np;
	uint32_t v = 0;

	while (v < s->part->vertices && s->depth[v] < 1)
		v++;
	if (v == s->part->vertices || s->part->role != 1)
		return;
	s->parent[v] = wrong == 1   ? v * np + 1
		       : wrong == 2 ? NO_PARENT
		       : wrong == 3 ? s->parent[v] + 1
				    : s->parent[v];
	s->depth[v] += wrong == 4   ? 1
		       : wrong == 5 ? -s->depth[v]
		       : wrong == 6 ? -s->depth[v] - 1
				    : 0;
	s->now.here += wrong == 7;
}

static struct role *begin(struct local_world *w, int np, int64_t steps, int wrong)
{
	return play_begin(w, np, &(struct play){ &kernel_bfs, &args, steps, true, damage, wrong });
}

static void compare(const struct role *role, int np)
{
	const struct kernel_state *s = role[0].s;
	const int64_t search = s->now.over ? s->now.searches - 1 : s->now.searches;
	struct tree tree;

	plain_search(&tree, s->part->root[search], s->now.depth);
	for (uint32_t v = 0; v < VERTICES; v++) {
		const struct kernel_state *at = role[v % (uint32_t)np].s;

		assert_int_equal(at->depth[v / (uint32_t)np], tree.depth[v]);
		assert_int_equal(at->parent[v / (uint32_t)np], tree.parent[v]);
	}
}

/* Behind every level of every search, on several numbers of roles. */
static void trees_are_those_of_a_plain_search(void **state)
{
	static const int nps[] = { 1, 2, 5, 8 };
	struct local_world w;

	(void)state;
	for (size_t k = 0; k < sizeof nps / sizeof *nps; k++) {
		bool ended = false;

		for (int64_t steps = 1; !ended; steps++) {
			struct role *role = begin(&w, nps[k], steps, 0);

			for (int r = 0; r < nps[k]; r++)
				assert_true(role[r].verdict.ok);
			compare(role, nps[k]);
			ended = role[0].s->now.searches == SEARCHES;
			play_end(&w, role);
		}
	}
}

static void a_wrong_tree_is_found(void **state)
{
	struct local_world w;

	(void)state;
	for (int wrong = 0; wrong <= 7; wrong++)
		/* 3: in the middle of the first search, or behind it */
		for (int64_t steps = 0; steps <= 3; steps += 3) {
			struct role *role = begin(&w, 3, steps, wrong);

			for (int r = 0; r < 3 && wrong < 7; r++)
				assert_int_equal(role[r].verdict.ok, wrong == 0);
			assert_int_equal(role[1].verdict.ok, wrong == 0);
			play_end(&w, role);
		}
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* 0 if all loads are equal. load is sorted. */
static double gini(double *load, int np)
{
	double sum = 0, weighted = 0;

	qsort(load, (size_t)np, sizeof *load, ascending);
	for (int k = 0; k < np; k++) {
		sum += load[k];
		weighted += (k + 1) * load[k];
	}
	return 2 * weighted / (np * sum) - (np + 1.0) / np;
}

static double gini_of(const char *scale, int np)
{
	const struct graph g = graph_of(atoi(scale), 16, 1, true);
	const struct traffic *t = traffic_of(&g, np, 1);
	double *load = calloc((size_t)np, sizeof *load), result;

	assert_non_null(t);
	for (size_t level = 0; level < t->levels; level++)
		for (int r = 0; r < np; r++)
			for (size_t i = t->level[level].row[r]; i < t->level[level].row[r + 1]; i++)
				load[r] += t->level[level].cell[i].count;
	result = gini(load, np);
	free(load);
	return result;
}

/* Memory-constrained-logging paper, Table IV: Graph500 with scale 16 and edge factor 16. The
 * paper's runs had another generator and other seeds, so this asks for its numbers to 0.04 and not
 * to the last digit. */
static void load_is_as_uneven_as_in_the_paper(void **state)
{
	static const struct {
		int np;
		double printed;
	} cases[] = { { 512, 0.27 }, { 1024, 0.34 }, { 2048, 0.42 }, { 4096, 0.51 } };
	double before = 0;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const double is = gini_of("16", cases[i].np);

		printf("note: bfs, scale 16, edge factor 16, %d roles: Gini %.3f; Table IV: %.2f\n",
		       cases[i].np, is, cases[i].printed);
		assert_true(fabs(is - cases[i].printed) < 0.04);
		assert_true(is > before);
		before = is;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_have_the_published_probabilities),
		cmocka_unit_test(edges_are_functions_of_their_numbers),
		cmocka_unit_test(trees_are_those_of_a_plain_search),
		cmocka_unit_test(a_wrong_tree_is_found),
		cmocka_unit_test(load_is_as_uneven_as_in_the_paper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
