#include "kernels/lulesh/lulesh.h"

#include "base/text.h"
#include "contract/arguments.h"
#include "kernels/lulesh/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_EDGE, OPT_STEPS, OPT_BUFFERS, OPT_EXCHANGE, OPT_REDUCE };

enum { TAG_TIME = 0, TAG_FORCE = 2, TAG_GRADIENT = 3, TAG_CHECK = 4 };

static const int64_t STEPS_BOUND = 1000000; /* no run to the stop time comes near it */

static const struct kernel_option options[] = {
	[OPT_EDGE] = { "edge", "10", "elements per side of each role's block" },
	[OPT_STEPS] = { "steps", "0", "time steps; 0: run to the stop time" },
	[OPT_BUFFERS] = { "buffers", "double",
			  "double, or single: update in place, to measure what transactions cost; kills then "
			  "need --transaction copy" },
	[OPT_EXCHANGE] = { "exchange", "faces",
			   "sums of forces: faces: along one axis after the other, with 6 "
			   "neighbours; all: at once with all 26; reference: so, too, and three "
			   "components of the gradients across a face, as the reference LULESH" },
	[OPT_REDUCE] = { "reduce", "auto", ARGUMENT_SHAPE_HELP ", grid; auto: grid" },
	{ NULL, NULL, NULL },
};

/* Energy at the origin when the stop time is reached, by elements per side of the whole cube: what
 * the public LULESH 2.0 prints for one region (-r 1). */
static const struct reference {
	int edge;
	int64_t steps;
	const char *energy; /* to the digits that LULESH prints */
} references[] = {
	{ 5, 72, "7.853665e+03" },   { 6, 102, "1.045418e+04" },   { 9, 196, "2.221045e+04" },
	{ 10, 231, "2.720531e+04" }, { 12, 297, "3.782734e+04" },  { 20, 575, "9.668856e+04" },
	{ 30, 932, "2.025075e+05" }, { 45, 1477, "4.234875e+05" },
};

static int cube_side(int np)
{
	int side = 1;

	while ((int64_t)side * side * side < np)
		side++;
	return side * side * side == np ? side : 0;
}

/* How the maximum over a cube of roles is made. */
static int parse_reduce(const struct kernel_args *args, int side, struct msg_shape *out,
			struct rb_error *err)
{
	return argument_shape(args, OPT_REDUCE,
			      &(struct msg_shape){ MSG_GRID, 3, { side, side, side } }, out, err);
}

/* A kernel that was given no value takes the default. RB_OK or RB_EINVAL. */
static int parse_exchange(const struct kernel_args *args, enum exchange *out, struct rb_error *err)
{
	static const char *const words[EXCHANGES] = { "faces", "all", "reference" };
	const int which = argument_word(args, OPT_EXCHANGE, words, EXCHANGES);

	*out = which > 0 ? (enum exchange)which : EXCHANGE_FACES;
	if (which >= 0)
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "--exchange %s: expected faces, all or reference",
		       args->value[OPT_EXCHANGE]);
}

static bool in_place(const struct kernel_args *args)
{
	return strcmp(args->value[OPT_BUFFERS], "single") == 0;
}

static int lulesh_plan(const struct kernel_args *args, int np, struct kernel_plan *plan,
		       struct rb_error *err)
{
	int side = cube_side(np);
	struct msg_shape reduce;
	enum exchange exchange;
	int64_t edge, steps;

	if (!side)
		return rb_fail(err, RB_EINVAL, "--np %d: LULESH needs a cube (1, 8, 27, 64, ...)",
			       np);
	RB_TRY(argument_number(options, args, OPT_EDGE, 1, 1000, &edge, err));
	RB_TRY(argument_number(options, args, OPT_STEPS, 0, STEPS_BOUND, &steps, err));
	RB_TRY(parse_reduce(args, side, &reduce, err));
	plan->in_place = in_place(args);
	if (!plan->in_place && strcmp(args->value[OPT_BUFFERS], "double") != 0)
		return rb_fail(err, RB_EINVAL, "--buffers %s: expected double or single",
			       args->value[OPT_BUFFERS]);
	RB_TRY(parse_exchange(args, &exchange, err));
	plan->iterations = steps ? steps : STEPS_BOUND;
	plan->open_ended = steps == 0;
	/* positions and velocities have second buffers */
	plan->bytes_per_role = 8.0 * (plan->in_place ? 26 : 32) * pow((double)edge + 1, 3);
	snprintf(plan->layout, sizeof plan->layout, "%dx%dx%d roles", side, side, side);
	return RB_OK;
}

static void lulesh_destroy(struct kernel_state *s)
{
	if (!s)
		return;
	mesh_free(s);
	free(s);
}

static int lulesh_create(struct kernel_state **out, const struct kernel_args *args, int role,
			 int np, const struct kernel_region *constants, struct rb_error *err)
{
	struct kernel_state *s = calloc(1, sizeof *s);
	int64_t edge;

	(void)constants;
	if (!s)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory", role);
	text_integer(args->value[OPT_EDGE], 1, INT32_MAX, &edge);
	text_integer(args->value[OPT_STEPS], 0, INT64_MAX, &s->steps_max);
	s->in_place = in_place(args);
	parse_exchange(args, &s->exchange, err); /* plan() has checked it */
	s->edge = (int)edge;
	s->side = cube_side(np);
	parse_reduce(args, s->side, &s->reduce, err); /* plan() has checked it */
	s->at[0] = role % s->side;
	s->at[1] = role / s->side % s->side;
	s->at[2] = role / (s->side * s->side);
	s->elements = edge * edge * edge;
	s->nodes = (edge + 1) * (edge + 1) * (edge + 1);
	if (mesh_allocate(s) != RB_OK || mesh_make_constants(s) != RB_OK) {
		lulesh_destroy(s);
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for --edge %s", role,
			       args->value[OPT_EDGE]);
	}
	mesh_reset(s);
	*out = s;
	return RB_OK;
}

static int lulesh_twin(struct kernel_state **out, const struct kernel_state *of)
{
	struct kernel_state *s = calloc(1, sizeof *s);

	if (!s)
		return RB_ENOMEM;
	s->edge = of->edge;
	s->side = of->side;
	memcpy(s->at, of->at, sizeof s->at);
	s->steps_max = of->steps_max;
	s->elements = of->elements;
	s->nodes = of->nodes;
	s->in_place = of->in_place;
	s->reduce = of->reduce;
	s->exchange = of->exchange;
	if (mesh_allocate(s) != RB_OK) {
		lulesh_destroy(s);
		return RB_ENOMEM;
	}
	mesh_use_constants(s, of->constants);
	*out = s;
	return RB_OK;
}

/* The smallest limits over all roles, as maxima of their negatives. */
static int next_clock(struct kernel_state *s, struct msg *m)
{
	double most[2] = { -s->now.dt_courant, -s->now.dt_hydro };

	RB_TRY(msg_max_shape(m, &s->reduce, TAG_TIME, most, 2));
	s->next = s->now;
	advance_clock(&s->next, -most[0], -most[1]);
	if (clock_collapsed(&s->next))
		return in_trouble(s, "time step", -1, s->next.dt);
	return RB_OK;
}

/* Until the last message no committed data change: positions and velocities go into their second
 * buffers, all else is scratch. */
static int lulesh_step(struct kernel_state *s, struct msg *m, int64_t iter)
{
	double *const delv[AXES] = { s->gradient[0].delv, s->gradient[1].delv,
				     s->gradient[2].delv };
	double *const below[AXES] = { s->gradient[0].below, s->gradient[1].below,
				      s->gradient[2].below };
	double *const above[AXES] = { s->gradient[0].above, s->gradient[1].above,
				      s->gradient[2].above };

	(void)iter;
	RB_TRY(check_viscosity(s));
	RB_TRY(next_clock(s, m));
	RB_TRY(calc_forces(s));
	RB_TRY(halo_sum(&s->halo, m, TAG_FORCE, s->force));
	calc_motion(s);
	RB_TRY(calc_kinematics(s));
	return halo_faces(&s->halo, m, TAG_GRADIENT, delv, below, above);
}

static int lulesh_pattern(const struct kernel_args *args, int role, int np, int64_t iter,
			  struct msg *m)
{
	int side = cube_side(np);
	int at[] = { role % side, role / side % side, role / (side * side) };
	double most[2] = { 0, 0 };
	struct msg_shape reduce;
	enum exchange exchange;
	struct rb_error ignored;
	struct halo halo;
	int64_t edge;
	int rc;

	(void)iter;
	text_integer(args->value[OPT_EDGE], 1, INT32_MAX, &edge);
	parse_reduce(args, side, &reduce, &ignored);
	parse_exchange(args, &exchange, &ignored);
	rc = halo_init(&halo, exchange, (int)edge, side, at);
	msg_part(m, MSG_EXCHANGE, "smallest Courant and hydro limits of all roles");
	if (rc == RB_OK)
		rc = msg_max_shape(m, &reduce, TAG_TIME, most, 2);
	msg_part(m, MSG_WORK, "time step; stresses and hourglass forces of the elements");
	msg_part(m, MSG_EXCHANGE, "sum of forces on the nodes that roles share");
	if (rc == RB_OK)
		rc = halo_sum(&halo, m, TAG_FORCE, NULL);
	msg_part(m, MSG_WORK,
		 in_place(args) ? "accelerations; velocities and positions in place; volumes and "
				  "their rates; gradients of velocity"
				: "accelerations, velocities', positions'; volumes and their "
				  "rates; gradients of velocity");
	msg_part(m, MSG_EXCHANGE, "gradients of the elements at the faces");
	if (rc == RB_OK)
		rc = halo_faces(&halo, m, TAG_GRADIENT, NULL, NULL, NULL);
	halo_free(&halo);
	msg_part(m, MSG_COMMIT,
		 in_place(args)
			 ? "artificial viscosity, equation of state, both in place; limits"
			 : "artificial viscosity, equation of state, both in place; velocities' "
			   "and positions' swapped with the old ones; limits");
	return rc;
}

static void swap(double **a, double **b)
{
	double *t = *a;

	*a = *b;
	*b = t;
}

/* What follows the last message needs no second buffer: it is done here, in place. */
static void lulesh_commit(struct kernel_state *s, int64_t iter)
{
	(void)iter;
	no_limits(&s->next);
	for (int64_t k = 0; k < s->edge; k++)
		for (int64_t j = 0; j < s->edge; j++) {
			calc_viscosity(s, j, k);
			calc_state(s, j, k);
			calc_limits(s, j, k, &s->next);
		}
	for (int a = 0; a < AXES; a++) {
		swap(&s->pos[a], &s->pos_next[a]);
		swap(&s->vel[a], &s->vel_next[a]);
	}
	s->now = s->next;
}

static void lulesh_breakdown(const struct kernel_state *s, struct rb_error *err)
{
	const struct trouble *t = &s->trouble;

	if (t->element < 0)
		rb_fail(err, RB_ENUMERIC, "the %s has become %g", t->what, t->value);
	else
		rb_fail(err, RB_ENUMERIC,
			"the %s of element %" PRId64 " (%" PRId64 ", %" PRId64 ", %" PRId64
			") has become %g",
			t->what, t->element, t->element % s->edge, t->element / s->edge % s->edge,
			t->element / s->edge / s->edge, t->value);
}

/* The clock is the same on all roles. */
static bool lulesh_finished(const struct kernel_state *s)
{
	return clock_stopped(&s->now) || (s->steps_max && s->now.steps >= s->steps_max);
}

/* Asymmetry of the energy in the lowest plane of the block at the origin: the blast is the same
 * along x and y, so only round-off may differ. most[]: absolute, summed absolute, relative. */
static void asymmetry(const struct kernel_state *s, double most[3])
{
	for (int64_t j = 0; j < s->edge; j++) {
		for (int64_t i = j + 1; i < s->edge; i++) {
			double a = s->energy[j * s->edge + i], b = s->energy[i * s->edge + j];
			double d = fabs(a - b);

			most[0] = greater(most[0], d);
			most[1] += d;
			if (d > 0)
				most[2] = greater(most[2], d / fabs(b));
		}
	}
}

/* NULL unless the run went to the stop time on a size with a published answer. */
static const struct reference *find_reference(const struct kernel_state *s)
{
	for (size_t i = 0; i < sizeof references / sizeof *references; i++)
		if (references[i].edge == s->edge * s->side && clock_stopped(&s->now))
			return &references[i];
	return NULL;
}

static int lulesh_verify(struct kernel_state *s, struct msg *m, struct kernel_verdict *v)
{
	const struct reference *ref = find_reference(s);
	double sum[4] = { 0, 0, 0, 0 };
	char printed[32];

	if (msg_role(m) == 0) {
		sum[0] = s->energy[0];
		asymmetry(s, sum + 1);
	}
	RB_TRY(msg_sum_all(m, TAG_CHECK, sum, 4));
	snprintf(printed, sizeof printed, "%.6e", sum[0]);
	v->what = "origin energy";
	v->value = sum[0];
	v->reference = ref ? strtod(ref->energy, NULL) : NAN;
	v->tolerance = 5e-7;
	v->ok = isfinite(sum[0]) && sum[1] < 1e-8 &&
		(!ref || (strcmp(printed, ref->energy) == 0 && s->now.steps == ref->steps));
	snprintf(v->note, sizeof v->note,
		 "%" PRId64 " steps; symmetry max abs %.2e, total abs %.2e, max rel %.2e",
		 s->now.steps, sum[1], sum[2], sum[3]);
	return RB_OK;
}

static size_t lulesh_regions(struct kernel_state *s, struct kernel_region out[KERNEL_MAX_REGIONS])
{
	static const char *const pos[] = { "x", "y", "z" }, *const vel[] = { "xd", "yd", "zd" };
	size_t nodes = (size_t)s->nodes * sizeof(double), n = 0;
	size_t elements = (size_t)s->elements * sizeof(double);

	for (int a = 0; a < AXES; a++)
		out[n++] = (struct kernel_region){ pos[a], s->pos[a], nodes };
	for (int a = 0; a < AXES; a++)
		out[n++] = (struct kernel_region){ vel[a], s->vel[a], nodes };
	out[n++] = (struct kernel_region){ "energy", s->energy, elements };
	out[n++] = (struct kernel_region){ "pressure", s->pressure, elements };
	out[n++] = (struct kernel_region){ "q", s->q, elements };
	out[n++] = (struct kernel_region){ "volume", s->volume, elements };
	out[n++] = (struct kernel_region){ "sound", s->sound, elements };
	out[n++] = (struct kernel_region){ "clock", &s->now, sizeof s->now };
	return n;
}

const struct kernel_ops kernel_lulesh = {
	.name = "lulesh",
	.summary = "LULESH 1.0 Sedov blast: neighbour exchanges along three axes and a global "
		   "time step",
	.options = options,
	.tacit = (const char *const[]){ "exchange", "reduce", NULL },
	.plan = lulesh_plan,
	.create = lulesh_create,
	.twin = lulesh_twin,
	.destroy = lulesh_destroy,
	.reset = mesh_reset,
	.step = lulesh_step,
	.pattern = lulesh_pattern,
	.breakdown = lulesh_breakdown,
	.commit = lulesh_commit,
	.finished = lulesh_finished,
	.verify = lulesh_verify,
	.regions = lulesh_regions,
};
