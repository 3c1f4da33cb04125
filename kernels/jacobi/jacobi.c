#include "kernels/jacobi/jacobi.h"

#include "base/text.h"
#include "kernels/arguments.h"
#include "kernels/jacobi/sweep.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_NORTH = 0, TAG_SOUTH, TAG_WEST, TAG_EAST, TAG_SUM = 10, TAG_MAX = 12, NONE = -1 };

static const double PI = 3.14159265358979323846;

/* Several modes, so that no symmetry of the field can hide a wrong exchange. */
static const struct mode {
	int k, l;
	double amplitude;
} modes[] = { { 1, 1, 1 }, { 2, 3, 0.5 }, { 5, 4, 0.25 } };

enum { MODES = sizeof modes / sizeof *modes };

struct scalars {
	double residual; /* ||u' - u|| of the last iteration */
	int64_t steps;
};

struct kernel_state {
	int64_t n, steps;                /* points per side, iterations of the run */
	int64_t i0, j0;                  /* first row and column of this block, 0-based */
	int64_t h, w;
	struct msg_shape reduce;         /* of the sum over all roles */
	int north, south, west, east;    /* neighbouring roles or NONE */
	double *u, *v;                   /* committed; written by step() */
	double *halo_n, *halo_s, *halo_w, *halo_e; /* stay 0 where there is no neighbour */
	struct scalars now, next;
};

enum { OPT_GRID, OPT_STEPS, OPT_DECOMP, OPT_REDUCE };

static const struct kernel_option options[] = {
	[OPT_GRID] = { "grid", "256", "interior points per side of the square" },
	[OPT_STEPS] = { "steps", "100", "iterations" },
	[OPT_DECOMP] = { "decomp", "auto", "PxQ: rows x columns of roles; auto: most square" },
	[OPT_REDUCE] = { "reduce", "auto", ARGUMENT_SHAPE_HELP ", grid; auto: grid" },
	{ NULL, NULL, NULL },
};

/* "PxQ", each from 1 to most. */
static bool parse_shape(const char *text, int most, int *p, int *q)
{
	const char *x = strchr(text, 'x');
	char rows[16];
	int64_t n[2];

	if (!x || snprintf(rows, sizeof rows, "%.*s", (int)(x - text), text) >= (int)sizeof rows ||
	    !text_integer(rows, 1, most, &n[0]) || !text_integer(x + 1, 1, most, &n[1]))
		return false;
	*p = (int)n[0];
	*q = (int)n[1];
	return true;
}

/* p rows x q columns with p * q == np; p <= q and as near as possible for "auto". */
static int parse_decomp(const char *text, int np, int *p, int *q, struct rb_error *err)
{
	if (strcmp(text, "auto") == 0) {
		for (*p = (int)sqrt((double)np); np % *p != 0;)
			--*p;
		*q = np / *p;
		return RB_OK;
	}
	if (!parse_shape(text, INT32_MAX, p, q))
		return rb_fail(err, RB_EINVAL, "--decomp %s: expected auto or PxQ, for instance 2x3",
			       text);
	if ((int64_t)*p * *q != np)
		return rb_fail(err, RB_EINVAL, "--decomp %s: makes %" PRId64 " blocks for --np %d",
			       text, (int64_t)*p * *q, np);
	return RB_OK;
}

/* How the sum over p rows x q columns of roles is made. */
static int parse_reduce(const struct kernel_args *args, int p, int q, struct msg_shape *out, struct rb_error *err)
{
	return argument_shape(args, OPT_REDUCE, &(struct msg_shape){ MSG_GRID, 2, { p, q } }, out, err);
}

static int jacobi_plan(const struct kernel_args *args, int np, struct kernel_plan *plan,
		       struct rb_error *err)
{
	struct msg_shape reduce;
	int64_t n, steps;
	int p, q;

	RB_TRY(argument_number(options, args, OPT_GRID, 1, 1000000, &n, err));
	RB_TRY(argument_number(options, args, OPT_STEPS, 1, 1000000000, &steps, err));
	RB_TRY(parse_decomp(args->value[OPT_DECOMP], np, &p, &q, err));
	RB_TRY(parse_reduce(args, p, q, &reduce, err));
	if (p > n || q > n)
		return rb_fail(err, RB_EINVAL, "--grid %" PRId64 ": too few points for %dx%d blocks; "
			       "use a larger grid or fewer roles", n, p, q);
	plan->iterations = steps;
	plan->bears_old_data = true; /* a mean of any points is a number between them */
	plan->bytes_per_role = 2.0 * 8.0 * (double)n * (double)n / np;
	snprintf(plan->layout, sizeof plan->layout, "%dx%d roles", p, q);
	return RB_OK;
}

static void jacobi_destroy(struct kernel_state *s)
{
	if (!s)
		return;
	free(s->u);
	free(s->v);
	free(s->halo_n);
	free(s->halo_s);
	free(s->halo_w);
	free(s->halo_e);
	free(s);
}

static void place(struct kernel_state *s, int role, int p, int q)
{
	int row = role / q, col = role % q;

	s->i0 = s->n * row / p;
	s->h = s->n * (row + 1) / p - s->i0;
	s->j0 = s->n * col / q;
	s->w = s->n * (col + 1) / q - s->j0;
	s->north = row > 0 ? role - q : NONE;
	s->south = row < p - 1 ? role + q : NONE;
	s->west = col > 0 ? role - 1 : NONE;
	s->east = col < q - 1 ? role + 1 : NONE;
}

static double sine(const struct kernel_state *s, int k, int64_t at)
{
	return sin(k * PI * (double)(at + 1) / (double)(s->n + 1));
}

/* Is the grid large enough for the mode? */
static bool fits(const struct kernel_state *s, const struct mode *mode)
{
	return mode->k <= s->n && mode->l <= s->n;
}

static double decay(const struct kernel_state *s, const struct mode *mode, int64_t steps)
{
	double h = 1.0 / (double)(s->n + 1);

	return pow(0.5 * (cos(mode->k * PI * h) + cos(mode->l * PI * h)), (double)steps);
}

/* Value of the exact answer, given the modes' amplitudes at that time. */
static double exact(const struct kernel_state *s, const double *amplitude, int64_t i, int64_t j)
{
	double sum = 0;

	for (int m = 0; m < MODES; m++)
		if (fits(s, &modes[m]))
			sum += amplitude[m] * sine(s, modes[m].k, s->i0 + i) *
			       sine(s, modes[m].l, s->j0 + j);
	return sum;
}

static void jacobi_reset(struct kernel_state *s)
{
	double amplitude[MODES];

	for (int m = 0; m < MODES; m++)
		amplitude[m] = modes[m].amplitude;
	for (int64_t i = 0; i < s->h; i++)
		for (int64_t j = 0; j < s->w; j++)
			s->u[i * s->w + j] = exact(s, amplitude, i, j);
	memset(&s->now, 0, sizeof s->now);
}

/* Set what follows from the arguments; no memory. */
static void describe(struct kernel_state *s, const struct kernel_args *args, int role, int np)
{
	struct rb_error ignored; /* plan() has checked them */
	int p, q;

	text_integer(args->value[OPT_GRID], 1, INT64_MAX, &s->n);
	text_integer(args->value[OPT_STEPS], 1, INT64_MAX, &s->steps);
	parse_decomp(args->value[OPT_DECOMP], np, &p, &q, &ignored);
	parse_reduce(args, p, q, &s->reduce, &ignored);
	place(s, role, p, q);
}

/* A state of the block of `of`, with its own memory. NULL: out of memory. */
static struct kernel_state *with_memory(const struct kernel_state *of)
{
	struct kernel_state *s = malloc(sizeof *s);

	if (!s)
		return NULL;
	*s = *of;
	s->u = calloc((size_t)(s->h * s->w), sizeof *s->u);
	s->v = calloc((size_t)(s->h * s->w), sizeof *s->v);
	s->halo_n = calloc((size_t)s->w, sizeof *s->halo_n);
	s->halo_s = calloc((size_t)s->w, sizeof *s->halo_s);
	s->halo_w = calloc((size_t)s->h, sizeof *s->halo_w);
	s->halo_e = calloc((size_t)s->h, sizeof *s->halo_e);
	if (s->u && s->v && s->halo_n && s->halo_s && s->halo_w && s->halo_e)
		return s;
	jacobi_destroy(s);
	return NULL;
}

static int jacobi_create(struct kernel_state **out, const struct kernel_args *args, int role,
			 int np, struct rb_error *err)
{
	struct kernel_state s = { .u = NULL };

	describe(&s, args, role, np);
	*out = with_memory(&s);
	if (!*out)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for a %s-point grid", role,
			       args->value[OPT_GRID]);
	jacobi_reset(*out);
	return RB_OK;
}

/* Only a few numbers never change. */
static int jacobi_twin(struct kernel_state **out, const struct kernel_state *of)
{
	*out = with_memory(of);
	return *out ? RB_OK : RB_ENOMEM;
}

/* Send `count` points of u from `first` on, `stride` apart, to a neighbour, if there is one. u NULL: the
 * message calls only. */
static int send_line(struct msg *m, int dst, int tag, const double *u, int64_t first,
		     int64_t count, int64_t stride)
{
	double *out;

	if (dst == NONE)
		return RB_OK;
	out = msg_reserve(m, dst, tag, (size_t)count * sizeof *out);
	for (int64_t k = 0; u && k < count; k++)
		out[k] = u[first + k * stride];
	return msg_push(m);
}

static void expect_line(struct msg *m, int src, int tag, double *halo, int64_t count)
{
	if (src != NONE)
		msg_post(m, src, tag, halo, (size_t)count * sizeof *halo);
}

/* Tags name the direction in which a line travels. */
static int start_exchange(struct kernel_state *s, struct msg *m)
{
	expect_line(m, s->north, TAG_SOUTH, s->halo_n, s->w);
	expect_line(m, s->south, TAG_NORTH, s->halo_s, s->w);
	expect_line(m, s->west, TAG_EAST, s->halo_w, s->h);
	expect_line(m, s->east, TAG_WEST, s->halo_e, s->h);
	RB_TRY(send_line(m, s->north, TAG_NORTH, s->u, 0, s->w, 1));
	RB_TRY(send_line(m, s->south, TAG_SOUTH, s->u, (s->h - 1) * s->w, s->w, 1));
	RB_TRY(send_line(m, s->west, TAG_WEST, s->u, 0, s->h, s->w));
	return send_line(m, s->east, TAG_EAST, s->u, s->w - 1, s->h, s->w);
}

static int jacobi_pattern(const struct kernel_args *args, int role, int np, int64_t iter,
			  struct msg *m)
{
	struct kernel_state s = { .u = NULL };
	double sum = 0;

	(void)iter;
	describe(&s, args, role, np);
	RB_TRY(start_exchange(&s, m));
	RB_TRY(msg_wait(m));
	return msg_sum_shape(m, &s.reduce, TAG_SUM, &sum, 1);
}

static int jacobi_step(struct kernel_state *s, struct msg *m, int64_t iter)
{
	const struct block b = { s->h, s->w, s->u, s->v, s->halo_n, s->halo_s,
				 s->halo_w, s->halo_e };
	double sum;

	RB_TRY(start_exchange(s, m));
	sum = sweep_inner(&b); /* while the halo is on its way */
	RB_TRY(msg_wait(m));
	sum += sweep_edge(&b);
	RB_TRY(msg_sum_shape(m, &s->reduce, TAG_SUM, &sum, 1));
	s->next.residual = sqrt(sum);
	s->next.steps = iter + 1;
	return RB_OK;
}

static void jacobi_commit(struct kernel_state *s, int64_t iter)
{
	double *t = s->u;

	(void)iter;
	s->u = s->v;
	s->v = t;
	s->now = s->next;
}

/* sum[0]: squares of the field; sum[1]: largest error at a point. */
static void measure(const struct kernel_state *s, const double *amplitude, double sum[2])
{
	sum[0] = sum[1] = 0;
	for (int64_t i = 0; i < s->h; i++) {
		for (int64_t j = 0; j < s->w; j++) {
			double u = s->u[i * s->w + j];

			sum[0] += u * u;
			sum[1] = fmax(sum[1], fabs(u - exact(s, amplitude, i, j)));
		}
	}
}

static int jacobi_verify(struct kernel_state *s, struct msg *m, struct kernel_verdict *v)
{
	const double most = 1e-11;
	double floor; /* what is left of a field that has decayed below rounding errors */
	double amplitude[MODES], sum[2], side = 0.5 * (double)(s->n + 1);

	v->what = "sum of squares";
	v->reference = 0;
	for (int k = 0; k < MODES; k++) {
		amplitude[k] = modes[k].amplitude * decay(s, &modes[k], s->now.steps);
		if (fits(s, &modes[k])) /* the modes are orthogonal on the grid */
			v->reference += amplitude[k] * amplitude[k] * side * side;
	}
	floor = DBL_EPSILON * DBL_EPSILON * side * side;
	measure(s, amplitude, sum);
	RB_TRY(msg_sum_all(m, TAG_SUM, &sum[0], 1));
	RB_TRY(msg_max_all(m, TAG_MAX, &sum[1], 1));
	v->value = sum[0];
	v->tolerance = 1e-10;
	v->ok = fabs(v->value - v->reference) <= v->tolerance * v->reference + floor &&
		sum[1] <= most;
	snprintf(v->note, sizeof v->note, "largest error %.2e (at most %.0e), residual %.3e",
		 sum[1], most, s->now.residual);
	return RB_OK;
}

static size_t jacobi_regions(struct kernel_state *s, struct kernel_region out[KERNEL_MAX_REGIONS])
{
	out[0] = (struct kernel_region){ "u", s->u, (size_t)(s->h * s->w) * sizeof *s->u };
	out[1] = (struct kernel_region){ "scalars", &s->now, sizeof s->now };
	return 2;
}

const struct kernel_ops kernel_jacobi = {
	.name = "jacobi",
	.summary = "2D five-point heat solver: neighbour exchange and one reduction a step",
	.options = options,
	.tacit = (const char *const[]){ "reduce", NULL },
	.plan = jacobi_plan,
	.create = jacobi_create,
	.twin = jacobi_twin,
	.destroy = jacobi_destroy,
	.reset = jacobi_reset,
	.step = jacobi_step,
	.pattern = jacobi_pattern,
	.commit = jacobi_commit,
	.verify = jacobi_verify,
	.regions = jacobi_regions,
};
