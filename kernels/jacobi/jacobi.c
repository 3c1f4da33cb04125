#include "kernels/jacobi/jacobi.h"

#include "base/text.h"
#include "contract/arguments.h"
#include "kernels/field.h"
#include "kernels/jacobi/answer.h"
#include "kernels/jacobi/sweep.h"
#include "kernels/stores.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_NORTH = 0, TAG_SOUTH, TAG_WEST, TAG_EAST, TAG_SUM = 10, TAG_MAX = 12, NONE = -1 };

struct scalars {
	double residual; /* ||u' - u|| of the last iteration */
	int64_t steps;
};

struct kernel_state {
	int64_t n, steps; /* points per side, iterations of the run */
	int64_t i0, j0;   /* first row and column of this block, 0-based */
	int64_t h, w;
	struct msg_shape reduce;                   /* of the sum over all roles */
	int north, south, west, east;              /* neighbouring roles or NONE */
	bool streaming;                            /* v is written by non-temporal stores */
	double *u, *v;                             /* committed; written by step() */
	double *halo_n, *halo_s, *halo_w, *halo_e; /* stay 0 where there is no neighbour */
	struct scalars now, next;
};

enum { OPT_GRID, OPT_STEPS, OPT_DECOMP, OPT_REDUCE, OPT_STORES };

static const struct kernel_option options[] = {
	[OPT_GRID] = { "grid", "256", "interior points per side of the square" },
	[OPT_STEPS] = { "steps", "100", "iterations" },
	[OPT_DECOMP] = { "decomp", "auto", "PxQ: rows x columns of roles; auto: most square" },
	[OPT_REDUCE] = { "reduce", "auto", ARGUMENT_SHAPE_HELP ", grid; auto: grid" },
	[OPT_STORES] = { "stores", "auto", STORES_HELP },
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
		return rb_fail(err, RB_EINVAL,
			       "--decomp %s: expected auto or PxQ, for instance 2x3", text);
	if ((int64_t)*p * *q != np)
		return rb_fail(err, RB_EINVAL, "--decomp %s: makes %" PRId64 " blocks for --np %d",
			       text, (int64_t)*p * *q, np);
	return RB_OK;
}

/* How the sum over p rows x q columns of roles is made. */
static int parse_reduce(const struct kernel_args *args, int p, int q, struct msg_shape *out,
			struct rb_error *err)
{
	return argument_shape(args, OPT_REDUCE, &(struct msg_shape){ MSG_GRID, 2, { p, q } }, out,
			      err);
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
	RB_TRY(stores_argument(args, OPT_STORES, NULL, err));
	if (p > n || q > n)
		return rb_fail(
			err, RB_EINVAL,
			"--grid %" PRId64
			": too few points for %dx%d blocks; use a larger grid or fewer roles",
			n, p, q);
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
	field_free(s->u);
	field_free(s->v);
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

static struct answer_block block_of(const struct kernel_state *s)
{
	return (struct answer_block){ s->i0, s->j0, s->h, s->w };
}

static void jacobi_reset(struct kernel_state *s)
{
	const struct answer a = answer_after(s->n, 0);
	const struct answer_block b = block_of(s);

	answer_fill(&a, &b, s->u);
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
	s->u = field_new(s->h * s->w);
	s->v = field_new(s->h * s->w);
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
			 int np, const struct kernel_region *constants, struct rb_error *err)
{
	struct kernel_state s = { .u = NULL };

	(void)constants;
	describe(&s, args, role, np);
	RB_TRY(stores_choose(args, OPT_STORES, 2 * (size_t)(s.h * s.w) * sizeof *s.u, &s.streaming,
			     err));
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

/* Send `count` points of u from `first` on, `stride` apart, to a neighbour, if there is one. u
 * NULL: the message calls only. */
static int send_line(struct msg *m, int dst, int tag, const double *u, int64_t first, int64_t count,
		     int64_t stride)
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
	msg_part(m, MSG_EXCHANGE, "lines at the edges, sent");
	RB_TRY(start_exchange(&s, m));
	msg_part(m, MSG_WORK, "points that need none of the neighbours'");
	msg_part(m, MSG_EXCHANGE, "lines of the neighbours, awaited");
	RB_TRY(msg_wait(m));
	msg_part(m, MSG_WORK, "points at the edges");
	msg_part(m, MSG_EXCHANGE, "sum of squares of the changes over all roles");
	RB_TRY(msg_sum_shape(m, &s.reduce, TAG_SUM, &sum, 1));
	msg_part(m, MSG_COMMIT, "u' swapped with u");
	return RB_OK;
}

static int jacobi_step(struct kernel_state *s, struct msg *m, int64_t iter)
{
	const struct block b = { s->h,      s->w,      s->u,      s->v,        s->halo_n,
				 s->halo_s, s->halo_w, s->halo_e, s->streaming };
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

static double sum_of_squares(const struct kernel_state *s)
{
	double sum = 0;

	for (int64_t k = 0; k < s->h * s->w; k++)
		sum += s->u[k] * s->u[k];
	return sum;
}

static int jacobi_verify(struct kernel_state *s, struct msg *m, struct kernel_verdict *v)
{
	const struct answer a = answer_after(s->n, s->now.steps);
	const struct answer_block b = block_of(s);
	const double most = 1e-11, side = 0.5 * (double)(s->n + 1);
	/* what is left of a field that has decayed below rounding errors */
	const double floor = DBL_EPSILON * DBL_EPSILON * side * side;
	double sum = sum_of_squares(s), error = answer_largest_error(&a, &b, s->u);

	RB_TRY(msg_sum_all(m, TAG_SUM, &sum, 1));
	RB_TRY(msg_max_all(m, TAG_MAX, &error, 1));
	v->what = "sum of squares";
	v->reference = answer_sum_of_squares(&a);
	v->value = sum;
	v->tolerance = 1e-10;
	v->ok = fabs(v->value - v->reference) <= v->tolerance * v->reference + floor &&
		error <= most;
	snprintf(v->note, sizeof v->note,
		 "largest error %.2e (at most %.0e), residual %.3e, %s stores", error, most,
		 s->now.residual, s->streaming ? "streaming" : "cached");
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
	.tacit = (const char *const[]){ "reduce", "stores", NULL },
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
