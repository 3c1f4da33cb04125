#include "kernels/cg/cg.h"

#include "contract/arguments.h"
#include "kernels/cg/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INNER = 25 };

enum { OPT_CLASS, OPT_STEPS, OPT_REDUCE };

static const struct kernel_option options[] = {
	[OPT_CLASS] = { "class", "S", "problem size: S, W, A, B, C, D or E" },
	[OPT_STEPS] = { "steps", "0",
			"iterations, of which 25 are an outer one; 0: as many as the class has" },
	[OPT_REDUCE] = { "reduce", "auto",
			 ARGUMENT_SHAPE_HELP "; over a row of roles; auto: doubling" },
	{ NULL, NULL, NULL },
};

static const struct matrix_class *class_find(const char *name)
{
	const struct matrix_class *c = matrix_classes;

	while (c->name && strcmp(c->name, name) != 0)
		c++;
	return c->name ? c : NULL;
}

/* An upper bound: the elements as generated and once more as stored, the layout, and the vectors.
 */
static double estimate_bytes(const struct matrix_class *c, int np, int nprows, int npcols)
{
	const double n = (double)c->n, elements = (c->nonzer + 1.0) * (c->nonzer + 1) * n / np;
	const double pieces = n / nprows * ceil(n / npcols / MATRIX_COLUMNS);

	return 22 * elements + 6 * fmin(elements, pieces) +
	       n * (8.0 * 9 / npcols + 8.0 * 4 / nprows);
}

/* How sums over a row of roles are made. */
static int parse_reduce(const struct kernel_args *args, struct msg_shape *out, struct rb_error *err)
{
	return argument_shape(args, OPT_REDUCE, &(struct msg_shape){ .kind = MSG_DOUBLING }, out,
			      err);
}

static int cg_plan(const struct kernel_args *args, int np, struct kernel_plan *plan,
		   struct rb_error *err)
{
	const struct matrix_class *c = class_find(args->value[OPT_CLASS]);
	struct msg_shape reduce;
	int nprows, npcols;
	int64_t steps;

	if (!c)
		return rb_fail(err, RB_EINVAL,
			       "--class %s: unknown; CG has the classes S, W, A, B, C, D and E",
			       args->value[OPT_CLASS]);
	if (!grid_shape(np, &nprows, &npcols))
		return rb_fail(err, RB_EINVAL, "--np %d: CG needs a power of two (1, 2, 4, 8, ...)",
			       np);
	if (npcols > c->n)
		return rb_fail(err, RB_EINVAL, "--np %d: class %s has only %" PRId64 " rows", np,
			       c->name, c->n);
	RB_TRY(argument_number(options, args, OPT_STEPS, 0, 1000000000, &steps, err));
	RB_TRY(parse_reduce(args, &reduce, err));
	plan->iterations = steps ? steps : (int64_t)c->outer * INNER;
	plan->bytes_per_role = estimate_bytes(c, np, nprows, npcols);
	snprintf(plan->layout, sizeof plan->layout, "%dx%d roles", nprows, npcols);
	return RB_OK;
}

static void cg_destroy(struct kernel_state *s)
{
	if (!s)
		return;
	if (s->constants && shared_leave(&s->constants->shared)) {
		if (!s->constants->shared.given)
			matrix_free(&s->constants->a);
		free(s->constants);
	}
	free(s->row_group);
	free(s->x);
	free(s->z);
	free(s->p);
	free(s->r);
	free(s->x_next);
	free(s->z_next);
	free(s->p_next);
	free(s->r_next);
	free(s->q);
	free(s->w);
	free(s->w_other);
	free(s);
}

/* One vector, zeroed; on failure, sets *ok to false and goes on. */
static double *vector(int64_t length, bool *ok)
{
	double *v = calloc((size_t)length, sizeof *v);

	*ok = *ok && v;
	return v;
}

/* Where this role is and whom it sends to; all that the pattern needs. */
static bool place(struct kernel_state *s)
{
	s->length = s->grid.col1 - s->grid.col0;
	s->row_group = calloc((size_t)s->grid.npcols, sizeof *s->row_group);
	for (int j = 0; s->row_group && j < s->grid.npcols; j++)
		s->row_group[j] = s->grid.row * s->grid.npcols + j;
	return s->row_group;
}

static bool allocate(struct kernel_state *s)
{
	double **segment[] = { &s->x,      &s->z,      &s->p,      &s->r, &s->x_next,
			       &s->z_next, &s->p_next, &s->r_next, &s->q };
	int64_t rows = s->grid.row1 - s->grid.row0;
	bool ok = place(s);

	for (size_t i = 0; i < sizeof segment / sizeof *segment; i++)
		*segment[i] = vector(s->length, &ok);
	s->w = vector(rows, &ok);
	s->w_other = vector(rows, &ok);
	return ok;
}

/* given: the matrix as cg_constants() has it; NULL: it is generated. */
static bool build_matrix(struct kernel_state *s, const struct kernel_region *given)
{
	const struct grid *g = &s->grid;
	struct matrix *a;

	s->constants = calloc(1, sizeof *s->constants);
	if (!s->constants)
		return false;
	shared_join(&s->constants->shared);
	s->constants->shared.given = given != NULL;
	a = &s->constants->a;
	if (!given)
		return matrix_build(a, s->class,
				    &(struct block){ g->row0, g->row1, g->col0, g->col1 }) == 0;
	matrix_shape(a, g->row1 - g->row0, g->col1 - g->col0);
	a->layout = given[0].data;
	a->numbers = (int64_t)(given[0].bytes / sizeof *a->layout);
	a->column = given[1].data;
	a->elements = (int64_t)(given[1].bytes / sizeof *a->column);
	a->value = given[2].data;
	return true;
}

static size_t cg_constants(const struct kernel_state *s,
			   struct kernel_region out[KERNEL_MAX_REGIONS])
{
	const struct matrix *a = &s->constants->a;
	const size_t numbers = (size_t)a->numbers, elements = (size_t)a->elements;

	out[0] = (struct kernel_region){ "layout", a->layout, numbers * sizeof *a->layout };
	out[1] = (struct kernel_region){ "column", a->column, elements * sizeof *a->column };
	out[2] = (struct kernel_region){ "value", a->value, elements * sizeof *a->value };
	return 3;
}

static void cg_reset(struct kernel_state *s)
{
	for (int64_t k = 0; k < s->length; k++) {
		s->x[k] = 1;
		s->z[k] = s->p[k] = s->r[k] = 0;
	}
	memset(&s->now, 0, sizeof s->now);
}

static int cg_create(struct kernel_state **out, const struct kernel_args *args, int role, int np,
		     const struct kernel_region *constants, struct rb_error *err)
{
	struct kernel_state *s = calloc(1, sizeof *s);

	if (!s)
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory", role);
	s->class = class_find(args->value[OPT_CLASS]);
	parse_reduce(args, &s->reduce, err); /* plan() has checked it */
	grid_place(&s->grid, s->class->n, role, np);
	if (!allocate(s) || !build_matrix(s, constants)) {
		cg_destroy(s);
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for CG class %s", role,
			       args->value[OPT_CLASS]);
	}
	cg_reset(s);
	*out = s;
	return RB_OK;
}

static int cg_twin(struct kernel_state **out, const struct kernel_state *of)
{
	struct kernel_state *s = calloc(1, sizeof *s);

	if (!s)
		return RB_ENOMEM;
	s->class = of->class;
	s->grid = of->grid;
	s->reduce = of->reduce;
	s->constants = of->constants;
	shared_join(&s->constants->shared);
	if (!allocate(s)) {
		cg_destroy(s);
		return RB_ENOMEM;
	}
	*out = s;
	return RB_OK;
}

/* End of an outer iteration: residual of A z = x, zeta, and the next, normalised x. */
static int close_outer(struct kernel_state *s, struct msg *m)
{
	double sum[3] = { 0, 0, 0 }, scale;

	RB_TRY(cg_multiply(s, m, s->z_next));
	for (int64_t k = 0; k < s->length; k++) {
		double d = s->x[k] - s->q[k];

		sum[0] += d * d;
	}
	sum[1] = cg_dot(s->x, s->z_next, s->length);
	sum[2] = cg_dot(s->z_next, s->z_next, s->length);
	RB_TRY(cg_row_sum(s, m, sum, 3));
	s->next.rnorm = sqrt(sum[0]);
	s->next.zeta = s->class->shift + 1 / sum[1];
	scale = 1 / sqrt(sum[2]);
	for (int64_t k = 0; k < s->length; k++)
		s->x_next[k] = scale * s->z_next[k];
	return RB_OK;
}

/* z' = z + alpha p and r' = r - alpha q; z == NULL stands for the zero vector. */
static void advance(struct kernel_state *s, double alpha, const double *restrict z,
		    const double *restrict p, const double *restrict r)
{
	double *restrict z_next = s->z_next, *restrict r_next = s->r_next;
	const double *restrict q = s->q;

	for (int64_t k = 0; k < s->length; k++) {
		z_next[k] = (z ? z[k] : 0) + alpha * p[k];
		r_next[k] = r[k] - alpha * q[k];
	}
}

static int cg_step(struct kernel_state *s, struct msg *m, int64_t iter)
{
	bool opens = iter % INNER == 0; /* starts from z = 0, r = p = x, without storing it */
	const double *z = opens ? NULL : s->z, *p = opens ? s->x : s->p, *r = opens ? s->x : s->r;
	double rho = s->now.rho, d, rho_next, beta;

	s->next = s->now;
	s->next.steps = iter + 1;
	s->closes = iter % INNER == INNER - 1;
	if (opens) {
		rho = cg_dot(s->x, s->x, s->length);
		RB_TRY(cg_row_sum(s, m, &rho, 1));
	}
	RB_TRY(cg_multiply(s, m, p));
	d = cg_dot(p, s->q, s->length);
	RB_TRY(cg_row_sum(s, m, &d, 1));
	advance(s, rho / d, z, p, r);
	rho_next = cg_dot(s->r_next, s->r_next, s->length);
	RB_TRY(cg_row_sum(s, m, &rho_next, 1));
	beta = rho_next / rho;
	for (int64_t k = 0; k < s->length; k++)
		s->p_next[k] = s->r_next[k] + beta * p[k];
	s->next.rho = rho_next;
	return s->closes ? close_outer(s, m) : RB_OK;
}

/* The sum of a part's n numbers over the row. */
static int sum_pattern(struct kernel_state *s, struct msg *m, const char *work, const char *sum,
		       size_t n)
{
	double v[3] = { 0, 0, 0 };

	msg_part(m, MSG_WORK, work);
	msg_part(m, MSG_EXCHANGE, sum);
	return cg_row_sum(s, m, v, n);
}

/* The message calls of cg_step(). */
static int step_pattern(struct kernel_state *s, struct msg *m, int64_t iter)
{
	const bool opens = iter % INNER == 0, closes = iter % INNER == INNER - 1;

	if (opens)
		RB_TRY(sum_pattern(s, m, "p = r = x; x.x", "sum of x.x over the row", 1));
	msg_part(m, MSG_WORK, "w = A p, of this role's block of A");
	RB_TRY(cg_gather_product(s, m));
	RB_TRY(sum_pattern(s, m, "p.q", "sum of p.q over the row", 1));
	RB_TRY(sum_pattern(s, m, "z', r', r'.r'", "sum of r'.r' over the row", 1));
	msg_part(m, MSG_WORK, "p'");
	if (closes) {
		msg_part(m, MSG_WORK, "w = A z', of this role's block of A");
		RB_TRY(cg_gather_product(s, m));
		RB_TRY(sum_pattern(s, m, "(x - q).(x - q), x.z', z'.z'",
				   "sum of the three over the row", 3));
		msg_part(m, MSG_WORK, "zeta; x' = z' normalised");
	}
	msg_part(m, MSG_COMMIT,
		 closes ? "z', p', r', x' swapped with z, p, r, x"
			: "z', p', r' swapped with z, p, r");
	return RB_OK;
}

static int cg_pattern(const struct kernel_args *args, int role, int np, int64_t iter, struct msg *m)
{
	struct kernel_state s = { .class = class_find(args->value[OPT_CLASS]) };
	struct rb_error ignored;
	int rc;

	parse_reduce(args, &s.reduce, &ignored);
	grid_place(&s.grid, s.class->n, role, np);
	rc = place(&s) ? step_pattern(&s, m, iter) : RB_ENOMEM;
	free(s.row_group);
	return rc;
}

static void swap(double **a, double **b)
{
	double *t = *a;

	*a = *b;
	*b = t;
}

static void cg_commit(struct kernel_state *s, int64_t iter)
{
	(void)iter;
	swap(&s->z, &s->z_next);
	swap(&s->p, &s->p_next);
	swap(&s->r, &s->r_next);
	if (s->closes)
		swap(&s->x, &s->x_next);
	s->now = s->next;
}

/* Within an outer iteration there is no new zeta. But the residual that the conjugate gradient
 * method carries along must be that of its solution, as far as rounding allows. */
static int verify_inner(struct kernel_state *s, struct msg *m, struct kernel_verdict *v)
{
	double sum[2] = { 0, cg_dot(s->x, s->x, s->length) }, carried = sqrt(s->now.rho);

	RB_TRY(cg_multiply(s, m, s->z));
	for (int64_t k = 0; k < s->length; k++) {
		double d = s->x[k] - s->q[k];

		sum[0] += d * d;
	}
	RB_TRY(cg_row_sum(s, m, sum, 2));
	v->what = "residual norm";
	v->value = sqrt(sum[0]);
	v->reference = NAN;
	v->ok = fabs(v->value - carried) <= 1e-10 * sqrt(sum[1]);
	snprintf(v->note, sizeof v->note, "%.3e as the method carries it along", carried);
	return RB_OK;
}

static int cg_verify(struct kernel_state *s, struct msg *m, struct kernel_verdict *v)
{
	const bool whole = s->now.steps == (int64_t)s->class->outer * INNER;

	if (s->now.steps % INNER != 0)
		return verify_inner(s, m, v);
	v->what = "zeta"; /* the same on all roles */
	v->value = s->now.zeta;
	v->reference = whole ? s->class->zeta : NAN;
	v->tolerance = 1e-10;
	v->ok = whole ? fabs(v->value - v->reference) <= v->tolerance * fabs(v->reference)
		      : isfinite(v->value) && s->now.rnorm <= 1e-8;
	snprintf(v->note, sizeof v->note, "residual norm %.3e", s->now.rnorm);
	return RB_OK;
}

static size_t cg_regions(struct kernel_state *s, struct kernel_region out[KERNEL_MAX_REGIONS])
{
	size_t bytes = (size_t)s->length * sizeof(double);

	out[0] = (struct kernel_region){ "x", s->x, bytes };
	out[1] = (struct kernel_region){ "z", s->z, bytes };
	out[2] = (struct kernel_region){ "p", s->p, bytes };
	out[3] = (struct kernel_region){ "r", s->r, bytes };
	out[4] = (struct kernel_region){ "scalars", &s->now, sizeof s->now };
	return 5;
}

const struct kernel_ops kernel_cg = {
	.name = "cg",
	.summary = "NAS CG: conjugate gradient, irregular global exchange (NPB classes S to E)",
	.options = options,
	.tacit = (const char *const[]){ "steps", "reduce", NULL },
	.plan = cg_plan,
	.create = cg_create,
	.constants = cg_constants,
	.twin = cg_twin,
	.destroy = cg_destroy,
	.reset = cg_reset,
	.step = cg_step,
	.pattern = cg_pattern,
	.commit = cg_commit,
	.verify = cg_verify,
	.regions = cg_regions,
};
