#include "kernels/triad/triad.h"

#include "base/text.h"
#include "contract/arguments.h"
#include "kernels/field.h"
#include "kernels/shared.h"
#include "kernels/stores.h"
#include "kernels/vector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_ELEMENTS, OPT_STEPS, OPT_STORES };

static const double SCALAR = 3;

/* What never changes. */
struct constants {
	struct shared shared;
	double *b, *c;
};

struct kernel_state {
	int64_t n;
	bool streaming;     /* a is written by non-temporal stores */
	double *a, *a_next; /* committed; written by step() */
	struct constants *constants;
	int64_t steps, steps_next;
};

static const struct kernel_option options[] = {
	[OPT_ELEMENTS] = { "elements", "4000000", "length of each role's three vectors" },
	[OPT_STEPS] = { "steps", "50", "iterations" },
	[OPT_STORES] = { "stores", "auto", STORES_HELP },
	{ NULL, NULL, NULL },
};

static int triad_plan(const struct kernel_args *args, int np, struct kernel_plan *plan,
		      struct rb_error *err)
{
	int64_t n, steps;

	RB_TRY(argument_number(options, args, OPT_ELEMENTS, 1, 1000000000, &n, err));
	RB_TRY(argument_number(options, args, OPT_STEPS, 1, 1000000000, &steps, err));
	RB_TRY(stores_argument(args, OPT_STORES, NULL, err));
	plan->iterations = steps;
	plan->uncoupled = true;
	plan->bytes_per_role = 4.0 * 8.0 * (double)n;
	snprintf(plan->layout, sizeof plan->layout, "%d roles", np);
	return RB_OK;
}

static void triad_destroy(struct kernel_state *s)
{
	if (!s)
		return;
	if (s->constants && shared_leave(&s->constants->shared)) {
		field_free(s->constants->b);
		field_free(s->constants->c);
		free(s->constants);
	}
	field_free(s->a);
	field_free(s->a_next);
	free(s);
}

static void triad_reset(struct kernel_state *s)
{
	s->steps = 0;
	for (int64_t i = 0; i < s->n; i++)
		s->a[i] = s->a_next[i] = 0;
}

static bool allocate(struct kernel_state *s)
{
	s->a = field_new(s->n);
	s->a_next = field_new(s->n);
	return s->a && s->a_next;
}

static bool make_constants(struct kernel_state *s)
{
	struct constants *k = s->constants = calloc(1, sizeof *k);

	if (!k)
		return false;
	shared_join(&k->shared);
	k->b = field_new(s->n);
	k->c = field_new(s->n);
	for (int64_t i = 0; k->b && k->c && i < s->n; i++) {
		k->b[i] = (double)(i % 1000);
		k->c[i] = 2;
	}
	return k->b && k->c;
}

static int triad_create(struct kernel_state **out, const struct kernel_args *args, int role, int np,
			const struct kernel_region *constants, struct rb_error *err)
{
	struct kernel_state *s;
	bool streaming;
	int64_t n = 0;

	(void)np;
	(void)constants; /* to read b and c takes as long as to make them */
	text_integer(args->value[OPT_ELEMENTS], 1, INT64_MAX, &n); /* checked by plan() */
	RB_TRY(stores_choose(args, OPT_STORES, 3 * (size_t)n * sizeof *s->a, &streaming, err));
	s = calloc(1, sizeof *s);
	if (s) {
		s->n = n;
		s->streaming = streaming;
	}
	if (!s || !allocate(s) || !make_constants(s)) {
		triad_destroy(s);
		return rb_fail(err, RB_ENOMEM, "role %d: out of memory for --elements %s", role,
			       args->value[OPT_ELEMENTS]);
	}
	triad_reset(s);
	*out = s;
	return RB_OK;
}

static int triad_twin(struct kernel_state **out, const struct kernel_state *of)
{
	struct kernel_state *s = calloc(1, sizeof *s);

	if (!s)
		return RB_ENOMEM;
	s->n = of->n;
	s->streaming = of->streaming;
	s->constants = of->constants;
	shared_join(&s->constants->shared);
	if (!allocate(s)) {
		triad_destroy(s);
		return RB_ENOMEM;
	}
	*out = s;
	return RB_OK;
}

static void work(double *restrict a, const double *restrict b, const double *restrict c, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		a[i] = b[i] + SCALAR * c[i];
}

/* The same by non-temporal stores, which write whole cache lines. */
static void stream(double *restrict a, const double *restrict b, const double *restrict c,
		   int64_t n)
{
	int64_t first = vector_until_line(a), end, i;

	first = first < n ? first : n;
	end = first + (n - first) / VECTOR_LINE * VECTOR_LINE;
	work(a, b, c, first);
	for (i = first; i < end; i += VECTOR_DOUBLES)
		vector_stream(a + i, vector_load(b + i) + SCALAR * vector_load(c + i));
	vector_stream_end();
	work(a + end, b + end, c + end, n - end);
}

static int triad_step(struct kernel_state *s, struct msg *m, int64_t iter)
{
	(void)m;
	(s->streaming ? stream : work)(s->a_next, s->constants->b, s->constants->c, s->n);
	s->steps_next = iter + 1;
	return RB_OK;
}

static int triad_pattern(const struct kernel_args *args, int role, int np, int64_t iter,
			 struct msg *m)
{
	(void)args, (void)role, (void)np, (void)iter;
	msg_part(m, MSG_WORK, "a' = b + s c");
	msg_part(m, MSG_COMMIT, "a' swapped with a");
	return RB_OK;
}

static void triad_commit(struct kernel_state *s, int64_t iter)
{
	double *t = s->a;

	(void)iter;
	s->a = s->a_next;
	s->a_next = t;
	s->steps = s->steps_next;
}

static int triad_verify(struct kernel_state *s, struct msg *m, struct kernel_verdict *v)
{
	double wrong = 0;

	for (int64_t i = 0; i < s->n; i++)
		wrong += s->a[i] != (double)(i % 1000) + 2 * SCALAR;
	v->what = "wrong elements";
	v->value = wrong;
	v->reference = 0;
	RB_TRY(msg_sum_all(m, 0, &v->value, 1));
	v->ok = v->value == 0;
	snprintf(v->note, sizeof v->note, "%" PRId64 " steps, %s stores", s->steps,
		 s->streaming ? "streaming" : "cached");
	return RB_OK;
}

static size_t triad_regions(struct kernel_state *s, struct kernel_region out[KERNEL_MAX_REGIONS])
{
	out[0] = (struct kernel_region){ "a", s->a, (size_t)s->n * sizeof *s->a };
	out[1] = (struct kernel_region){ "steps", &s->steps, sizeof s->steps };
	return 2;
}

const struct kernel_ops kernel_triad = {
	.name = "triad",
	.summary = "a = b + s c: memory bandwidth, the roof for the other kernels; no messages",
	.options = options,
	.tacit = (const char *const[]){ "stores", NULL },
	.plan = triad_plan,
	.create = triad_create,
	.twin = triad_twin,
	.destroy = triad_destroy,
	.reset = triad_reset,
	.step = triad_step,
	.pattern = triad_pattern,
	.commit = triad_commit,
	.verify = triad_verify,
	.regions = triad_regions,
};
