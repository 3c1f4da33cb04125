#include "kernels/amr/amr.h"

#include "contract/arguments.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_BLOCKS, OPT_CELLS, OPT_LEVELS, OPT_STEPS, OPT_REGRID };
/* cells along the square: the ring is resolved; sums are exact */
enum { FINEST_LEAST = 64, FINEST_MOST = 16384 };

static const struct kernel_option options[] = {
	[OPT_BLOCKS] = { "blocks", "16", "blocks along a side of the square, a power of two" },
	[OPT_CELLS] = { "cells", "8",
			"cells along a side of a block that is not refined, an even number" },
	[OPT_LEVELS] = { "levels", "2", "how often a block can be refined" },
	[OPT_STEPS] = { "steps", "200", "time steps" },
	[OPT_REGRID] = { "regrid", "10", "time steps between changes of the mesh" },
	{ NULL, NULL, NULL },
};

static int parse(struct grid *g, int64_t *steps, const struct kernel_args *args,
		 struct rb_error *err)
{
	int64_t blocks, cells, levels;

	RB_TRY(argument_number(options, args, OPT_BLOCKS, 1, 1024, &blocks, err));
	RB_TRY(argument_number(options, args, OPT_CELLS, 2, 1024, &cells, err));
	RB_TRY(argument_number(options, args, OPT_LEVELS, 0, 6, &levels, err));
	RB_TRY(argument_number(options, args, OPT_STEPS, 1, 1000000000, steps, err));
	if (blocks & (blocks - 1))
		return rb_fail(err, RB_EINVAL, "--blocks %" PRId64 ": expected a power of two",
			       blocks);
	if (cells % 2)
		return rb_fail(err, RB_EINVAL, "--cells %" PRId64 ": expected an even number",
			       cells);
	*g = (struct grid){ (int)blocks, (int)cells, (int)levels, 0 };
	return argument_number(options, args, OPT_REGRID, 1, grid_width(g, g->levels), &g->regrid,
			       err);
}

static int amr_plan(const struct kernel_args *args, int np, struct kernel_plan *plan,
		    struct rb_error *err)
{
	struct grid g;
	int64_t finest;

	RB_TRY(parse(&g, &plan->iterations, args, err));
	finest = (int64_t)g.side * grid_width(&g, g.levels);
	if (finest < FINEST_LEAST || finest > FINEST_MOST)
		return rb_fail(err, RB_EINVAL,
			       "--blocks %d --cells %d --levels %d: %" PRId64
			       " of the finest cells along the square; expected %d to %d",
			       g.side, g.cells, g.levels, finest, FINEST_LEAST, FINEST_MOST);
	if (np > grid_blocks(&g))
		return rb_fail(err, RB_EINVAL,
			       "--np %d: there are only %d blocks; use more --blocks", np,
			       grid_blocks(&g));
	/* states, and what is sent: at most */
	plan->bytes_per_role = 5.0 * 8 * (double)finest * (double)finest / np;
	snprintf(plan->layout, sizeof plan->layout, "%dx%d blocks", g.side, g.side);
	return RB_OK;
}

int amr_room(struct cells *c, size_t count)
{
	if (!c->mass || count > c->room) { /* a role may have no block for a while */
		free(c->mass);
		c->mass = malloc((count + 1) * sizeof *c->mass);
		c->room = c->mass ? count : 0;
	}
	c->count = c->mass ? count : 0;
	return c->mass ? RB_OK : RB_ENOMEM;
}

const struct layout *amr_layout(struct kernel_state *s, int64_t epoch)
{
	struct layout *l = &s->layout[epoch % 2];

	if (l->epoch != epoch)
		layout_make(l, &s->grid, s->np, epoch);
	return l;
}

int64_t amr_epoch(const struct kernel_state *s)
{
	return s->clock.steps > 0 ? (s->clock.steps - 1) / s->grid.regrid : 0;
}

static void amr_destroy(struct kernel_state *s)
{
	if (!s)
		return;
	for (int i = 0; i < 2; i++)
		layout_free(&s->layout[i]);
	for (int i = 0; i < SIDES; i++)
		free(s->side[i]);
	items_free(&s->moves);
	items_free(&s->faces);
	free(s->now.mass);
	free(s->moved.mass);
	free(s->next.mass);
	free(s);
}

static void amr_reset(struct kernel_state *s)
{
	const struct layout *l = amr_layout(s, 0);

	s->now.count = l->size[s->role]; /* there is room for it, see allocate() */
	for (int b = 0; b < grid_blocks(&s->grid); b++)
		if (l->owner[b] == s->role)
			layout_exact(&s->grid, b, l->level[b], 0, s->now.mass + l->at[b]);
	memset(&s->clock, 0, sizeof s->clock);
}

/* Each of the buffers always has room for the cells of the first epoch, so that reset() cannot
 * fail. */
static int allocate(struct kernel_state *s)
{
	const size_t width = (size_t)grid_width(&s->grid, s->grid.levels);
	size_t cells;

	if (layout_init(&s->layout[0], &s->grid, s->np) != RB_OK ||
	    layout_init(&s->layout[1], &s->grid, s->np) != RB_OK ||
	    items_init(&s->moves, s->np) != RB_OK || items_init(&s->faces, s->np) != RB_OK)
		return RB_ENOMEM;
	for (int i = 0; i < SIDES; i++)
		if (!(s->side[i] = malloc(width * sizeof **s->side)))
			return RB_ENOMEM;
	cells = amr_layout(s, 0)->size[s->role];
	s->faces_epoch = -1;
	RB_TRY(amr_room(&s->now, cells));
	return amr_room(&s->next, cells);
}

static struct kernel_state *state_of(const struct grid *g, int role, int np)
{
	struct kernel_state *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->grid = *g;
	s->role = role;
	s->np = np;
	if (allocate(s) == RB_OK) {
		amr_reset(s);
		return s;
	}
	amr_destroy(s);
	return NULL;
}

static int amr_create(struct kernel_state **out, const struct kernel_args *args, int role, int np,
		      const struct kernel_region *constants, struct rb_error *err)
{
	struct grid g;
	int64_t steps;

	(void)constants;
	RB_TRY(parse(&g, &steps, args, err));
	*out = state_of(&g, role, np);
	return *out ? RB_OK
		    : rb_fail(err, RB_ENOMEM, "role %d: out of memory for %d x %d blocks", role,
			      g.side, g.side);
}

/* Only a few numbers never change. */
static int amr_twin(struct kernel_state **out, const struct kernel_state *of)
{
	*out = state_of(&of->grid, of->role, of->np);
	return *out ? RB_OK : RB_ENOMEM;
}

/* Sums of whole numbers below 2^53 are exact in double, in any order. */
static int add_up(struct kernel_state *s, struct msg *m)
{
	int64_t sum = 0;
	double total;

	for (size_t i = 0; i < s->next.count; i++)
		sum += s->next.mass[i];
	total = (double)sum;
	RB_TRY(msg_sum_all(m, TAG_TOTAL, &total, 1));
	s->clock_next.total = (int64_t)total;
	return s->clock.steps > 0 && s->clock_next.total != s->clock.total ? RB_ENUMERIC : RB_OK;
}

static int amr_step(struct kernel_state *s, struct msg *m, int64_t iter)
{
	const struct layout *was = amr_layout(s, amr_epoch(s)),
			    *is = amr_layout(s, iter / s->grid.regrid);

	if (is != was)
		RB_TRY(amr_move(s, m, was, is));
	RB_TRY(amr_advance(s, m, is, is != was ? &s->moved : &s->now));
	s->clock_next.steps = iter + 1;
	return add_up(s, m);
}

static void amr_breakdown(const struct kernel_state *s, struct rb_error *err)
{
	rb_fail(err, RB_ENUMERIC, "the mass of all cells was %" PRId64 " and has become %" PRId64,
		s->clock.total, s->clock_next.total);
}

static void amr_commit(struct kernel_state *s, int64_t iter)
{
	const struct cells was = s->now;

	(void)iter;
	s->now = s->next;
	s->next = was;
	s->clock = s->clock_next;
}

struct pattern_case {
	struct grid grid;
	struct layout was, is;
	struct items items;
};

static int make_calls(struct pattern_case *c, int role, int np, int64_t iter, struct msg *m)
{
	const int64_t epoch = iter / c->grid.regrid;
	double total = 0;

	RB_TRY(layout_init(&c->was, &c->grid, np));
	RB_TRY(layout_init(&c->is, &c->grid, np));
	RB_TRY(items_init(&c->items, np));
	layout_make(&c->is, &c->grid, np, epoch);
	if (iter > 0 && iter % c->grid.regrid == 0) {
		layout_make(&c->was, &c->grid, np, epoch - 1);
		RB_TRY(amr_list_moves(&c->items, &c->grid, &c->was, &c->is, role));
		msg_part(m, MSG_WORK,
			 "who owns which block from now on; blocks that leave are coarsened");
		msg_part(m, MSG_EXCHANGE, "blocks to their new owners");
		RB_TRY(items_send(&c->items, m, TAG_BLOCKS, NULL, NULL));
		msg_part(m, MSG_WORK, "blocks that came are refined, or put in their place");
	}
	RB_TRY(amr_list_faces(&c->items, &c->grid, &c->is, role));
	msg_part(m, MSG_EXCHANGE, "flow through the sides of blocks");
	RB_TRY(items_send(&c->items, m, TAG_FLOW, NULL, NULL));
	msg_part(m, MSG_WORK, "mass' of the cells");
	msg_part(m, MSG_EXCHANGE, "sum of all mass over all roles");
	RB_TRY(msg_sum_all(m, TAG_TOTAL, &total, 1));
	msg_part(m, MSG_COMMIT, "mass' swapped with mass");
	return RB_OK;
}

static int amr_pattern(const struct kernel_args *args, int role, int np, int64_t iter,
		       struct msg *m)
{
	struct pattern_case c = { .grid = { .side = 0 } };
	struct rb_error ignored; /* plan() has checked them */
	int64_t steps;
	int rc;

	parse(&c.grid, &steps, args, &ignored);
	rc = make_calls(&c, role, np, iter, m);
	layout_free(&c.was);
	layout_free(&c.is);
	items_free(&c.items);
	return rc;
}

/* The mass now, and the distance from the exact one: of the blocks of this role. */
static void measure_now(struct kernel_state *s, int64_t *exact, double *mass, double *distance)
{
	const struct layout *l = amr_layout(s, amr_epoch(s));

	for (int b = 0; b < grid_blocks(&s->grid); b++) {
		const size_t width = (size_t)grid_width(&s->grid, l->level[b]);
		const int64_t *is = s->now.mass + l->at[b];

		if (l->owner[b] != s->role)
			continue;
		layout_exact(&s->grid, b, l->level[b], s->clock.steps, exact);
		for (size_t i = 0; i < width * width; i++) {
			*mass += (double)is[i];
			*distance += fabs((double)(is[i] - exact[i]));
		}
	}
}

/* The mass at first, of the blocks that this role had then. */
static void measure_first(struct kernel_state *s, int64_t *exact, double *mass)
{
	const struct layout *l = amr_layout(s, 0);

	for (int b = 0; b < grid_blocks(&s->grid); b++) {
		const size_t width = (size_t)grid_width(&s->grid, l->level[b]);

		if (l->owner[b] != s->role)
			continue;
		layout_exact(&s->grid, b, l->level[b], 0, exact);
		for (size_t i = 0; i < width * width; i++)
			*mass += (double)exact[i];
	}
}

static int amr_verify(struct kernel_state *s, struct msg *m, struct kernel_verdict *v)
{
	const double finest = (double)s->grid.side * grid_width(&s->grid, s->grid.levels);
	const double bound = layout_bound(&s->grid, s->clock.steps);
	const size_t width = (size_t)grid_width(&s->grid, s->grid.levels);
	int64_t *exact = malloc(width * width * sizeof *exact);
	double sum[4] = { 0, 0, 0, (double)s->now.count }, error;

	if (!exact)
		return RB_ENOMEM;
	measure_first(s, exact, &sum[0]);
	measure_now(s, exact, &sum[1], &sum[2]);
	free(exact);
	RB_TRY(msg_sum_all(m, TAG_CHECK, sum, 4));
	error = sum[2] / ((double)AMR_UNIT * finest * finest);
	v->what = "mass";
	v->value = sum[1];
	v->reference = sum[0];
	v->tolerance = 0;
	v->ok = sum[1] == sum[0] && (double)s->clock.total == sum[0] && error <= bound;
	snprintf(v->note, sizeof v->note,
		 "distance from the exact field %.3e (at most %.3e), %.0f cells", error, bound,
		 sum[3]);
	return RB_OK;
}

static size_t amr_regions(struct kernel_state *s, struct kernel_region out[KERNEL_MAX_REGIONS])
{
	out[0] = (struct kernel_region){ "mass", s->now.mass, s->now.count * sizeof *s->now.mass };
	out[1] = (struct kernel_region){ "clock", &s->clock, sizeof s->clock };
	return 2;
}

static int amr_fit(struct kernel_state *s, const size_t *bytes, size_t count)
{
	if (count != 2 || bytes[0] % sizeof *s->now.mass || bytes[1] != sizeof s->clock)
		return RB_EINVAL;
	return amr_room(&s->now, bytes[0] / sizeof *s->now.mass);
}

const struct kernel_ops kernel_amr = {
	.name = "amr",
	.summary = "advection on a mesh that is refined around a moving ring: blocks change size "
		   "and owner",
	.options = options,
	.plan = amr_plan,
	.create = amr_create,
	.twin = amr_twin,
	.destroy = amr_destroy,
	.reset = amr_reset,
	.step = amr_step,
	.pattern = amr_pattern,
	.breakdown = amr_breakdown,
	.commit = amr_commit,
	.verify = amr_verify,
	.regions = amr_regions,
	.fit = amr_fit,
};
