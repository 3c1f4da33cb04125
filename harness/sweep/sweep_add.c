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

/* Option i is "name=one|another": its value number `which`, in out. Returns how many there are. */
static unsigned value_of(const char *option, unsigned which, char *out, size_t size)
{
	const char *at = strchr(option, '=') + 1;
	unsigned count = 0;

	for (;; at++) {
		size_t length = strcspn(at, "|");

		if (count++ == which && out)
			snprintf(out, size, "%.*s", (int)(length < INT32_MAX ? length : 0), at);
		at += length;
		if (!*at)
			return count;
	}
}

static bool set_before(const struct sweep_entry *e, unsigned i, size_t name)
{
	for (unsigned k = 0; k < i; k++)
		if (strncmp(e->options[k], e->options[i], name + 1) == 0)
			return true;
	return false;
}

int sweep_axes(struct expansion *x)
{
	const struct sweep_entry *e = x->entry;

	for (unsigned a = 0; a < SWEEP_AXES; a++)
		x->length[a] = 1;
	if (e->options_count > KERNEL_MAX_OPTIONS)
		return rb_fail(x->err, RB_EINVAL, "options: no kernel has as many as %u",
			       e->options_count);
	for (unsigned i = 0; i < e->options_count; i++) {
		const char *equals = strchr(e->options[i], '=');

		if (!equals || equals == e->options[i] || equals - e->options[i] >= SPEC_TEXT)
			return rb_fail(x->err, RB_EINVAL, "options: %.60s: expected name=value, or "
				       "name=one|another", e->options[i]);
		if (set_before(e, i, (size_t)(equals - e->options[i])))
			return rb_fail(x->err, RB_EINVAL, "options: %.60s: set twice; several values are "
				       "name=one|another", e->options[i]);
		x->length[i] = value_of(e->options[i], 0, NULL, 0);
	}
	x->length[AXIS_NP] = e->np_count;
	x->length[AXIS_INTERVAL] = e->interval_count;
	x->length[AXIS_CKPT] = e->ckpt_count ? e->ckpt_count : 1;
	x->length[AXIS_LAG] = e->ckpt_lag_count ? e->ckpt_lag_count : 1;
	return RB_OK;
}

bool sweep_axes_next(struct expansion *x)
{
	for (int a = SWEEP_AXES - 1; a >= 0; a--) {
		if (++x->at[a] < x->length[a])
			return true;
		x->at[a] = 0;
	}
	return false;
}

static int set_options(struct run_spec *spec, const struct expansion *x)
{
	const struct sweep_entry *e = x->entry;

	for (unsigned i = 0; i < e->options_count; i++) {
		char name[SPEC_TEXT], value[2 * SPEC_TEXT];

		snprintf(name, sizeof name, "%.*s", (int)strcspn(e->options[i], "="), e->options[i]);
		value_of(e->options[i], x->at[i], value, sizeof value);
		RB_TRY(spec_set(spec, name, value, x->err));
	}
	return RB_OK;
}

static int set_checkpoints(struct run_spec *spec, const struct expansion *x)
{
	const struct sweep_entry *e = x->entry;
	const char *ckpt = e->ckpt_count ? e->ckpt[x->at[AXIS_CKPT]] : NULL;

	if (ckpt && strlen(ckpt) >= sizeof spec->ckpt)
		return rb_fail(x->err, RB_EINVAL, "ckpt: %.40s...: the text is too long", ckpt);
	if (ckpt)
		snprintf(spec->ckpt, sizeof spec->ckpt, "%s", ckpt);
	return e->ckpt_lag_count ? spec_set(spec, "ckpt-lag", e->ckpt_lag[x->at[AXIS_LAG]], x->err) : RB_OK;
}

static int set_policy(struct run_spec *spec, const struct expansion *x, const char *policy)
{
	if (policy && strlen(policy) >= sizeof spec->policy)
		return rb_fail(x->err, RB_EINVAL, "policy %.40s...: the text is too long", policy);
	spec->strategy = policy ? FT_GO_ON : FT_RESTART;
	snprintf(spec->policy, sizeof spec->policy, "%s", policy ? policy : "none");
	spec->log_peak = x->log_peak;
	return RB_OK;
}

static int set_number(struct run_spec *spec, const struct expansion *x, const char *name, int64_t value)
{
	char text[SPEC_TEXT];

	snprintf(text, sizeof text, "%" PRId64, value);
	return spec_set(spec, name, text, x->err);
}

static int fill_spec(struct run_spec *spec, const struct expansion *x, const struct recipe *with)
{
	const struct sweep_entry *e = x->entry;
	const struct kernel_ops *kernel = kernel_find(e->kernel);

	if (!kernel)
		return rb_fail(x->err, RB_EINVAL, "kernel %.60s: unknown; see `rollbench list kernels`",
			       e->kernel);
	spec_init(spec, kernel);
	RB_TRY(set_number(spec, x, "np", e->np[x->at[AXIS_NP]]));
	RB_TRY(set_number(spec, x, "interval", e->interval[x->at[AXIS_INTERVAL]]));
	spec->hosts = x->config->hosts;
	if (x->config->deadline)
		spec->deadline_s = *x->config->deadline;
	RB_TRY(set_policy(spec, x, with->policy));
	spec->spares = 0;
	/* Failure-free runs get the same spares: one more waiting rank is part of the setting. */
	if (with->policy)
		RB_TRY(set_number(spec, x, "spares", e->spares ? *e->spares : e->kill != NULL));
	if (e->node_size && *e->node_size != 0)
		RB_TRY(set_number(spec, x, "node-size", *e->node_size));
	if (with->power)
		RB_TRY(spec_set(spec, "power", with->power, x->err));
	if (e->meters)
		RB_TRY(spec_set(spec, "meters", e->meters, x->err));
	RB_TRY(set_checkpoints(spec, x));
	return set_options(spec, x);
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
