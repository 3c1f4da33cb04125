/* One combination of an experiment file as a run. */
#include "base/status.h"
#include "harness/sweep/sweep_expand.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Iterations of roles that may be rehearsed to find what a percentage is in bytes: seconds. */
static const double rehearsals_max = 4e5;

static struct sweep_run *append(struct sweep_plan *plan)
{
	if (plan->count == plan->capacity) {
		size_t more = plan->capacity ? plan->capacity * 2 : 64;
		struct sweep_run *grown = realloc(plan->run, more * sizeof *grown);

		if (!grown)
			return NULL;
		plan->run = grown;
		plan->capacity = more;
	}
	memset(&plan->run[plan->count], 0, sizeof *plan->run);
	return &plan->run[plan->count++];
}

static int fill_spec(struct run_spec *spec, const struct expansion *x, const struct recipe *with)
{
	const char *name = yaml_get(x->entry, "kernel")->text;
	const struct kernel_ops *kernel = kernel_find(name);

	if (!kernel)
		return rb_fail(x->err, RB_EINVAL, "kernel %.60s: unknown; see `rollbench list kernels`", name);
	spec_init(spec, kernel);
	spec->hosts = x->config->hosts;
	spec->log_peak = x->log_peak;
	RB_TRY(sweep_axes_set(x, spec));
	if (with->restart) {
		spec->spares = 0;
		return spec_set(spec, "strategy", "restart", x->err);
	}
	/* Failure-free runs get the same spares: one more waiting rank is part of the setting. */
	if (spec->spares == SPARES_NOT_SAID)
		spec->spares = x->roles != NULL;
	if (with->power)
		RB_TRY(option_set(x->power->option, spec, x->power->text, x->err));
	return option_set(x->policies->option, spec, x->policies->text, x->err);
}

static int check_rehearsals(const struct expansion *x, const struct run_spec *spec)
{
	if (!strchr(spec->policy, '%') ||
	    (double)spec->np * (double)spec->interval <= rehearsals_max)
		return RB_OK;
	return rb_fail(x->err, RB_EINVAL, "policy %s: to find the bytes, %d roles' sends in %" PRId64
		       " iterations would have to be rehearsed; give bytes", spec->policy, spec->np,
		       spec->interval);
}

/* A kill that could never fire. */
static int check_kill(const struct expansion *x, const struct sweep_run *run)
{
	int64_t last = run->plan.iterations - 1;

	if (run->spec.plan.count == 0 || run->spec.plan.kill[0].iter <= last)
		return RB_OK;
	return rb_fail(x->err, RB_EINVAL, "iterations: %" PRId64 ": the last one of such a run is %" PRId64,
		       run->spec.plan.kill[0].iter, last);
}

static bool same_spec(const struct run_spec *a, const struct run_spec *b)
{
	json_t *first = spec_json(a), *second = spec_json(b);
	bool same = json_equal(first, second);

	json_decref(first);
	json_decref(second);
	return same;
}

/* The last run of the plan is new: find it among the others or note it. */
static int once(struct expansion *x, int *index)
{
	struct sweep_run *run = &x->plan->run[x->plan->count - 1], *other;
	size_t at = XXH3_64bits(run->id, strlen(run->id)) % EXPANSION_SLOTS;

	while (x->slot[at] && strcmp(x->plan->run[x->slot[at] - 1].id, run->id) != 0)
		at = (at + 1) % EXPANSION_SLOTS;
	*index = (int)x->plan->count - 1;
	if (!x->slot[at]) {
		x->slot[at] = (uint32_t)x->plan->count;
		return RB_OK;
	}
	*index = (int)x->slot[at] - 1;
	other = &x->plan->run[*index];
	if (other->entry == x->number)
		return rb_fail(x->err, RB_EINVAL, "twice the same run: %.200s", run->id);
	if (!same_spec(&other->spec, &run->spec))
		return rb_fail(x->err, RB_EINVAL, "run %u has another run of the same name (their "
			       "node_size differs); put it into a file of its own: %.200s",
			       other->entry + 1, run->id);
	x->plan->count--;
	return RB_OK;
}

int sweep_add(struct expansion *x, const struct recipe *with, int reference, int *index)
{
	struct sweep_run *run;

	if (x->plan->count == SWEEP_RUNS_MAX)
		return rb_fail(x->err, RB_EINVAL, "more than %d runs in one file", SWEEP_RUNS_MAX);
	run = append(x->plan);
	if (!run)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	RB_TRY(fill_spec(&run->spec, x, with));
	RB_TRY(check_rehearsals(x, &run->spec));
	if (with->kill)
		RB_TRY(inject_parse(&run->spec.plan, with->kill, run->spec.np, x->err));
	RB_TRY(spec_check(&run->spec, &run->plan, x->err));
	RB_TRY(check_kill(x, run));
	x->log_peak = run->spec.log_peak;
	run->reference = reference;
	run->entry = x->number;
	RB_TRY(sweep_plan_name(run, x->repetition, x->err));
	return once(x, index);
}
