#include "kernels/bfs/bfs.h"

#include "base/text.h"
#include "contract/arguments.h"
#include "kernels/bfs/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_SCALE, OPT_EDGEFACTOR, OPT_SEARCHES, OPT_STEPS, OPT_OWNER, OPT_SEED };

static const int64_t STEPS_BOUND = 1000000; /* no run through all searches comes near it */

static const struct kernel_option options[] = {
	[OPT_SCALE] = { "scale", "16", "the graph has 2^SCALE vertices" },
	[OPT_EDGEFACTOR] = { "edgefactor", "16", "edges for each vertex" },
	[OPT_SEARCHES] = { "searches", "8", "searches, each from another root" },
	[OPT_STEPS] = { "steps", "0",
			"levels, with all searches in turn; 0: until each search is done once" },
	[OPT_OWNER] = { "owner", "hash", "which role owns a vertex: hash or cyclic" },
	[OPT_SEED] = { "seed", "1", "of the graph and the roots" },
	{ NULL, NULL, NULL },
};

/* What the options say, once plan() has checked them. */
struct meaning {
	struct graph graph;
	int64_t searches, steps;
};

static struct meaning meaning_of(const struct kernel_args *args)
{
	int64_t scale = 0, factor = 0, seed = 0;
	struct meaning o;

	text_integer(args->value[OPT_SCALE], 4, GRAPH_SCALE_MOST, &scale);
	text_integer(args->value[OPT_EDGEFACTOR], 1, 1000, &factor);
	text_integer(args->value[OPT_SEED], 0, INT64_MAX, &seed);
	text_integer(args->value[OPT_SEARCHES], 1, 1000, &o.searches);
	text_integer(args->value[OPT_STEPS], 0, STEPS_BOUND, &o.steps);
	o.graph = graph_of((int)scale, factor, (uint64_t)seed,
			   strcmp(args->value[OPT_OWNER], "hash") == 0);
	return o;
}

static int bfs_plan(const struct kernel_args *args, int np, struct kernel_plan *plan,
		    struct rb_error *err)
{
	struct meaning o;
	int64_t ignored;

	RB_TRY(argument_number(options, args, OPT_SCALE, 4, GRAPH_SCALE_MOST, &ignored, err));
	RB_TRY(argument_number(options, args, OPT_EDGEFACTOR, 1, 1000, &ignored, err));
	RB_TRY(argument_number(options, args, OPT_SEARCHES, 1, 1000, &ignored, err));
	RB_TRY(argument_number(options, args, OPT_STEPS, 0, STEPS_BOUND, &ignored, err));
	RB_TRY(argument_number(options, args, OPT_SEED, 0, INT64_MAX, &ignored, err));
	if (strcmp(args->value[OPT_OWNER], "hash") != 0 &&
	    strcmp(args->value[OPT_OWNER], "cyclic") != 0)
		return rb_fail(err, RB_EINVAL, "--owner %s: expected hash or cyclic",
			       args->value[OPT_OWNER]);
	o = meaning_of(args);
	if (np > o.graph.vertices)
		return rb_fail(err, RB_EINVAL,
			       "--scale %d: %" PRId64 " vertices are too few for --np %d",
			       o.graph.scale, o.graph.vertices, np);
	plan->iterations = o.steps ? o.steps : STEPS_BOUND;
	plan->open_ended = o.steps == 0;
	/* neighbours, and the hits of a level; making them takes three times 8 bytes */
	plan->bytes_per_role =
		(2.0 * (double)o.graph.edges * 24 + (double)o.graph.vertices * 24) / np +
		(double)o.graph.vertices / 8;
	snprintf(plan->layout, sizeof plan->layout, "%d roles", np);
	return RB_OK;
}

static void bfs_destroy(struct kernel_state *s)
{
	if (!s)
		return;
	if (s->part && shared_leave(&s->part->shared))
		part_free(s->part);
	free(s->parent);
	free(s->depth);
	free(s->best);
	free(s->found);
	free(s->inbox);
	free(s);
}

static void clear_tree(struct kernel_state *s)
{
	memset(s->parent, 0xff, s->part->vertices * sizeof *s->parent); /* NO_PARENT */
	memset(s->depth, 0xff, s->part->vertices * sizeof *s->depth);   /* NOT_REACHED */
}

static void bfs_reset(struct kernel_state *s)
{
	clear_tree(s);
	memset(&s->now, 0, sizeof s->now);
	s->now.over = 1;
}

static uint32_t room(void *ctx, int src)
{
	return part_between(((const struct kernel_state *)ctx)->part, src);
}

/* What is not shared, for a state whose part is there. */
static int allocate(struct kernel_state *s)
{
	const struct exchange x = { .ctx = s, .room = room };
	const size_t n = s->part->vertices;

	s->parent = malloc(n * sizeof *s->parent);
	s->depth = malloc(n * sizeof *s->depth);
	s->best = malloc(n * sizeof *s->best);
	s->found = malloc(n * sizeof *s->found);
	s->inbox = calloc(exchange_inbox(&x, s->part->role, s->part->np), sizeof *s->inbox);
	if (!s->parent || !s->depth || !s->best || !s->found || !s->inbox)
		return RB_ENOMEM;
	memset(s->best, 0xff, n * sizeof *s->best);
	bfs_reset(s);
	return RB_OK;
}

static size_t bfs_constants(const struct kernel_state *s,
			    struct kernel_region out[KERNEL_MAX_REGIONS])
{
	return part_arrays(s->part, (int)s->searches, out);
}

static int get_part(struct part **out, const struct meaning *o, int role, int np,
		    const struct kernel_region *constants)
{
	return constants ? part_of(out, &o->graph, role, np, constants)
			 : part_make(out, &o->graph, role, np, (int)o->searches);
}

static int bfs_create(struct kernel_state **out, const struct kernel_args *args, int role, int np,
		      const struct kernel_region *constants, struct rb_error *err)
{
	const struct meaning o = meaning_of(args);
	struct kernel_state *s = calloc(1, sizeof *s);
	int rc = s ? get_part(&s->part, &o, role, np, constants) : RB_ENOMEM;

	if (rc == RB_EINVAL)
		rc = rb_fail(err, rc,
			     "role %d: more than 2^32 edges at one role; use a larger --np", role);
	else if (rc != RB_OK || (rc = allocate(s)) != RB_OK)
		rc = rb_fail(err, rc, "role %d: out of memory for --scale %s --edgefactor %s", role,
			     args->value[OPT_SCALE], args->value[OPT_EDGEFACTOR]);
	if (rc != RB_OK) {
		bfs_destroy(s);
		return rc;
	}
	s->vertices = o.graph.vertices;
	s->searches = o.searches;
	s->steps = o.steps;
	*out = s;
	return RB_OK;
}

static int bfs_twin(struct kernel_state **out, const struct kernel_state *of)
{
	struct kernel_state *s = calloc(1, sizeof *s);

	if (!s)
		return RB_ENOMEM;
	s->part = of->part;
	shared_join(&s->part->shared);
	s->vertices = of->vertices;
	s->searches = of->searches;
	s->steps = of->steps;
	if (allocate(s) != RB_OK) {
		bfs_destroy(s);
		return RB_ENOMEM;
	}
	*out = s;
	return RB_OK;
}

/* The local number of the root of the search, at the role that owns it; else NO_PARENT, which is no
 * vertex. */
static uint32_t root_here(const struct kernel_state *s)
{
	const uint32_t root = s->part->root[s->now.searches % s->searches],
		       np = (uint32_t)s->part->np;

	return root % np == (uint32_t)s->part->role ? root / np : NO_PARENT;
}

/* Is the vertex in the frontier? When a search begins, the tree is still that of the search before
 * it. */
static bool in_frontier(const struct kernel_state *s, uint32_t vertex, uint32_t root)
{
	return s->now.over ? vertex == root : s->depth[vertex] == s->now.depth;
}

/* A vertex of this role has an edge to one of the frontier. */
static void reach(struct kernel_state *s, uint32_t vertex, uint32_t parent, uint32_t root)
{
	if (s->now.over ? vertex == root : s->depth[vertex] >= 0)
		return;
	if (s->best[vertex] == NO_PARENT)
		s->found[s->count++] = vertex;
	if (parent < s->best[vertex])
		s->best[vertex] = parent;
}

static uint32_t label_of(const struct part *p, uint32_t vertex)
{
	return vertex * (uint32_t)p->np + (uint32_t)p->role;
}

/* Edges from the frontier to vertices of this role. */
static void reach_own(struct kernel_state *s, uint32_t root)
{
	const struct part *p = s->part;

	for (uint32_t r = p->group[p->role]; r < p->group[p->role + 1]; r++)
		for (uint32_t k = p->first[r];
		     in_frontier(s, p->vertex[r], root) && k < p->first[r + 1]; k++)
			reach(s, p->neighbour[k], label_of(p, p->vertex[r]), root);
}

static size_t count_hits(const struct kernel_state *s, int dst, uint32_t root)
{
	const struct part *p = s->part;
	size_t hits = 0;

	for (uint32_t r = p->group[dst]; r < p->group[dst + 1]; r++)
		if (in_frontier(s, p->vertex[r], root))
			hits += p->first[r + 1] - p->first[r];
	return hits;
}

static int send_hits(void *ctx, struct msg *m, int dst)
{
	const struct kernel_state *s = ctx;
	const struct part *p = s->part;
	const uint32_t root = root_here(s);
	const size_t hits = count_hits(s, dst, root);
	struct hit *out = msg_reserve(m, dst, TAG_HITS, hits * sizeof *out), *at = out;

	for (uint32_t r = p->group[dst]; hits > 0 && r < p->group[dst + 1]; r++)
		if (in_frontier(s, p->vertex[r], root))
			for (uint32_t k = p->first[r]; k < p->first[r + 1]; k++)
				*at++ = (struct hit){ p->neighbour[k], label_of(p, p->vertex[r]) };
	if (hits > 0)
		at[-1].vertex |= HIT_LAST;
	return msg_push(m);
}

static void take_hits(void *ctx, const struct hit *hit)
{
	struct kernel_state *s = ctx;
	const uint32_t root = root_here(s);

	if (hit->vertex == HIT_NONE)
		return;
	for (; !(hit->vertex & HIT_LAST); hit++)
		reach(s, hit->vertex, hit->parent, root);
	reach(s, hit->vertex & ~HIT_LAST, hit->parent, root);
}

/* found: of all roles. */
static struct progress advance(const struct progress *now, int64_t iter, int64_t found)
{
	struct progress next = *now;

	next.steps = iter + 1;
	if (now->over) {
		next.depth = 0;
		next.here = 1; /* the root */
		next.reached++;
	}
	next.depth++;
	next.here += found;
	next.reached += found;
	next.depths += found * next.depth;
	next.over = found == 0;
	next.searches += next.over;
	return next;
}

static int bfs_step(struct kernel_state *s, struct msg *m, int64_t iter)
{
	const struct exchange x = { s, room, send_hits, take_hits };
	double found;

	for (; s->count > 0; s->count--) /* of the step before, perhaps of one that was given up */
		s->best[s->found[s->count - 1]] = NO_PARENT;
	reach_own(s, root_here(s));
	RB_TRY(exchange_level(&x, m, s->inbox));
	found = (double)s->count;
	RB_TRY(msg_sum_all(m, TAG_FOUND, &found, 1));
	s->next = advance(&s->now, iter, (int64_t)found);
	return RB_OK;
}

/* The tree grows in place: which vertices are reached is known only behind the last message. */
static void bfs_commit(struct kernel_state *s, int64_t iter)
{
	const uint32_t root = root_here(s);

	(void)iter;
	if (s->now.over) {
		clear_tree(s);
		if (root != NO_PARENT) {
			s->parent[root] = label_of(s->part, root);
			s->depth[root] = 0;
		}
	}
	for (size_t i = 0; i < s->count; i++) {
		s->parent[s->found[i]] = s->best[s->found[i]];
		s->depth[s->found[i]] = s->next.depth;
	}
	s->now = s->next;
}

static bool bfs_finished(const struct kernel_state *s)
{
	return s->steps == 0 && s->now.searches >= s->searches;
}

/* The traffic of one role in one iteration. */
struct counts {
	uint32_t *between, *hits; /* np */
};

static uint32_t room_counted(void *ctx, int src)
{
	return ((const struct counts *)ctx)->between[src];
}

static int send_counted(void *ctx, struct msg *m, int dst)
{
	msg_reserve(m, dst, TAG_HITS, ((const struct counts *)ctx)->hits[dst] * sizeof(struct hit));
	return msg_push(m);
}

static int bfs_pattern(const struct kernel_args *args, int role, int np, int64_t iter,
		       struct msg *m)
{
	const struct meaning o = meaning_of(args);
	const struct traffic *t = traffic_of(&o.graph, np, (int)o.searches);
	struct counts c = { calloc((size_t)np, sizeof *c.between),
			    calloc((size_t)np, sizeof *c.hits) };
	const struct exchange x = { &c, room_counted, send_counted, NULL };
	double found = 0;
	int rc = t && c.between && c.hits ? RB_OK : RB_ENOMEM;

	if (rc == RB_OK) {
		matrix_row(&t->between, role, c.between);
		matrix_row(&t->level[iter % (int64_t)t->levels], role, c.hits);
		msg_part(m, MSG_WORK,
			 "neighbours of this level's vertices that are this role's own");
		msg_part(m, MSG_EXCHANGE, "the other neighbours, to their owners, who take them");
		rc = exchange_level(&x, m, NULL);
	}
	msg_part(m, MSG_EXCHANGE, "sum of the vertices that were found over all roles");
	if (rc == RB_OK)
		rc = msg_sum_all(m, TAG_FOUND, &found, 1);
	msg_part(
		m, MSG_COMMIT,
		"a tree cleared if a search begins; parents and depths of these vertices, in place");
	free(c.between);
	free(c.hits);
	return rc;
}

static size_t bfs_regions(struct kernel_state *s, struct kernel_region out[KERNEL_MAX_REGIONS])
{
	const size_t n = s->part->vertices;

	out[0] = (struct kernel_region){ "parent", s->parent, n * sizeof *s->parent };
	out[1] = (struct kernel_region){ "depth", s->depth, n * sizeof *s->depth };
	out[2] = (struct kernel_region){ "progress", &s->now, sizeof s->now };
	return 3;
}

const struct kernel_ops kernel_bfs = {
	.name = "bfs",
	.summary = "Graph500 breadth-first search: messages to all roles, whose sizes depend on "
		   "the graph",
	.options = options,
	.plan = bfs_plan,
	.create = bfs_create,
	.constants = bfs_constants,
	.twin = bfs_twin,
	.destroy = bfs_destroy,
	.reset = bfs_reset,
	.step = bfs_step,
	.pattern = bfs_pattern,
	.pattern_is_costly = true,
	.commit = bfs_commit,
	.finished = bfs_finished,
	.verify = bfs_verify,
	.regions = bfs_regions,
};
