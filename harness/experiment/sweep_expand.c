#include "harness/experiment/sweep_expand.h"

#include "base/grow.h"
#include "base/status.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 100000 };

/* A percentage is converted to bytes by a forecast of each role's sends in each iteration of an
 * interval. With this many iterations of roles, a forecast takes seconds. */
static const double forecast_max = 4e5;

/* How a run of the entry is made, besides the present values of the axes. */
struct recipe {
	bool restart;     /* the job dies and is started again */
	bool power;       /* with the present technique */
	const char *kill; /* NULL: failure-free */
};

static struct sweep_run *append(struct sweep_plan *plan)
{
	struct sweep_run *run = grow(plan->run, plan->count + 1, &plan->capacity, sizeof *run);

	if (!run)
		return NULL;
	plan->run = run;
	memset(&plan->run[plan->count], 0, sizeof *plan->run);
	return &plan->run[plan->count++];
}

static int fill_spec(struct run_spec *spec, const struct expansion *x, const struct recipe *with)
{
	spec_init(spec, x->kernel);
	spec->hosts = x->config->hosts;
	spec->log_peak = x->log_peak;
	RB_TRY(sweep_axes_set(x, spec));
	if (with->restart) {
		spec->spares = 0;
		return spec_set(spec, "strategy", "restart", x->err);
	}
	/* Failure-free runs get the same spares: one more waiting rank is part of the setting. */
	if (spec->spares == SPARES_BY_PLAN)
		spec->spares = x->roles != NULL;
	if (with->power)
		RB_TRY(option_set(x->power->option, spec, x->power->text, x->err));
	if (x->recompute)
		RB_TRY(option_set(x->recompute->option, spec, x->recompute->text, x->err));
	return option_set(x->policies->option, spec, x->policies->text, x->err);
}

static int check_forecast(const struct expansion *x, const struct run_spec *spec)
{
	if (!strchr(spec->policy, '%') || (double)spec->np * (double)spec->interval <= forecast_max)
		return RB_OK;
	return rb_fail(x->err, RB_EINVAL,
		       "policy %s: the forecast of the bytes that %d roles send in %" PRId64
		       " iterations would take too long; give bytes instead of a percentage",
		       spec->policy, spec->np, spec->interval);
}

/* A kill that could never fire. */
static int check_kill(const struct expansion *x, const struct sweep_run *run)
{
	int64_t last = run->plan.iterations - 1;

	if (run->spec.plan.count == 0 || run->spec.plan.kill[0].iter <= last)
		return RB_OK;
	return rb_fail(x->err, RB_EINVAL,
		       "iterations: %" PRId64 ": the last one of such a run is %" PRId64,
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

/* "cg-class=S-np8-s1-all-i25-3@13.start-r0": unique, and readable in a folder listing. */
static int set_name(struct sweep_run *run, struct rb_error *err)
{
	const struct run_spec *s = &run->spec;
	char kill[INJECT_TEXT] = "free";
	size_t used = spec_name(s, false, run->id, sizeof run->id);

	if (s->plan.count > 0)
		inject_format(&s->plan.kill[0], kill, sizeof kill);
	for (char *c = kill; *c; c++)
		*c = *c == ':' ? '.' : *c;
	if (used < sizeof run->id)
		used += (size_t)snprintf(run->id + used, sizeof run->id - used, "-%s-r%d", kill,
					 run->repetition);
	/* A name that is cut off may be equal to that of another run. */
	if (used >= sizeof run->id)
		return rb_fail(err, RB_EINVAL, "%.60s...: the names of records would be too long",
			       run->id);
	return RB_OK;
}

/* The last run of the plan is new: find an equal one among the others, or note it. */
static int once(struct expansion *x, int *index)
{
	struct sweep_run *run = &x->plan->run[x->plan->count - 1], *other;
	const json_t *known = json_object_get(x->known, run->id);

	*index = (int)(known ? json_integer_value(known) : (json_int_t)x->plan->count - 1);
	if (!known && json_object_set_new(x->known, run->id, json_integer(*index)) != 0)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	if (!known)
		return RB_OK;
	other = &x->plan->run[*index];
	if (other->entry == x->number)
		return rb_fail(x->err, RB_EINVAL, "twice the same run: %.200s", run->id);
	if (!same_spec(&other->spec, &run->spec))
		return rb_fail(
			x->err, RB_EINVAL,
			"run %u has another run of the same name (their node_size differs); put it "
			"into a file of its own: %.200s",
			other->entry + 1, run->id);
	x->plan->count--;
	return RB_OK;
}

/* Append the run, or find it. *index: where it is. */
static int add(struct expansion *x, const struct recipe *with, int reference, int *index)
{
	struct sweep_run *run;

	if (x->plan->count == SWEEP_RUNS_MAX)
		return rb_fail(x->err, RB_EINVAL, "more than %d runs in one file", SWEEP_RUNS_MAX);
	run = append(x->plan);
	if (!run)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	RB_TRY(fill_spec(&run->spec, x, with));
	RB_TRY(check_forecast(x, &run->spec));
	if (with->kill)
		RB_TRY(inject_parse(&run->spec.plan, with->kill, run->spec.np, x->err));
	RB_TRY(spec_check(&run->spec, &run->plan, x->err));
	RB_TRY(check_kill(x, run));
	x->log_peak = run->spec.log_peak;
	run->reference = reference;
	run->entry = x->number;
	run->repetition = x->repetition;
	RB_TRY(set_name(run, x->err));
	return once(x, index);
}

/* Call a function for each value of an axis. An axis that the entry does not have has no value. */
#define FOR_EACH(axis) while ((axis) && sweep_axis_next(axis))

/* Go to the next policy and way to recompute, or to the first ones if there are no present ones.
 * false: there are no others, and then there are no present ones. */
static bool next_method(struct expansion *x)
{
	if (x->recompute && x->recompute->text && sweep_axis_next(x->recompute))
		return true;
	if (!sweep_axis_next(x->policies))
		return false;
	if (x->recompute)
		sweep_axis_next(x->recompute);
	return true;
}

static bool is_all(const struct axis *a)
{
	const struct yaml_node *first = yaml_next(a->list, NULL);

	return strcmp(first->text, "all") == 0 && !yaml_next(a->list, first);
}

static int add_run(struct expansion *x, const struct recipe *with)
{
	int index;

	return add(x, with, x->first, &index);
}

/* The first failure-free run of all is what the others of the combination are compared with.
 * Without a failure no role is ever blocked, so these runs are of all techniques. */
static int add_references(struct expansion *x)
{
	const struct recipe plain = { .kill = NULL };

	while (next_method(x)) {
		int index;

		RB_TRY(add(x, &plain, x->first, &index));
		x->first = x->first < 0 ? index : x->first;
	}
	return RB_OK;
}

/* Of the present policy and way to recompute: global rollback leaves no role that could wait. */
static bool blocks_no_role(const struct expansion *x)
{
	return strcmp(x->policies->text, policy_none.name) == 0 &&
	       (!x->recompute || strcmp(x->recompute->text, x->recompute->option->standard) == 0);
}

/* All techniques. Under global rollback no role is blocked, so all techniques are equal and one is
 * enough. */
static int add_techniques(struct expansion *x, struct recipe with)
{
	if (!x->power || blocks_no_role(x))
		return add_run(x, &with);
	with.power = true;
	FOR_EACH(x->power)
	RB_TRY(add_run(x, &with));
	return RB_OK;
}

static int add_point(struct expansion *x, const char *role, int64_t iter, const char *phase)
{
	char kill[3 * SPEC_TEXT];
	struct recipe with = { .kill = kill };

	snprintf(kill, sizeof kill, "%.60s@%" PRId64 ":%.60s", role, iter, phase);
	while (next_method(x))
		RB_TRY(add_techniques(x, with));
	with.restart = true;
	if (x->restart && x->repetition < x->config->restart_repetitions)
		return add_run(x, &with);
	return RB_OK;
}

static int add_phases(struct expansion *x, const char *role, int64_t iter)
{
	if (!is_all(x->phases)) {
		FOR_EACH(x->phases)
		RB_TRY(add_point(x, role, iter, x->phases->text));
		return RB_OK;
	}
	for (int i = 0; i < INJECT_PHASES; i++)
		if (inject_phase_in_iteration((enum inject_phase)i))
			RB_TRY(add_point(x, role, iter, inject_phase_name((enum inject_phase)i)));
	return RB_OK;
}

/* np: of this combination. */
static int add_roles(struct expansion *x, int np, int64_t iter)
{
	char role[16];

	if (!is_all(x->roles)) {
		FOR_EACH(x->roles)
		RB_TRY(add_phases(x, x->roles->text, iter));
		return RB_OK;
	}
	for (int r = 0; r < np; r++) {
		snprintf(role, sizeof role, "%d", r);
		RB_TRY(add_phases(x, role, iter));
	}
	return RB_OK;
}

/* "a..b" or a list "a,b,c". */
static int add_range(struct expansion *x, int np, const char *text)
{
	const char *at = text;
	int64_t first, last;

	if (text_digits(&at, &first) && strncmp(at, "..", 2) == 0 &&
	    text_integer(at + 2, first, first + ITERATIONS_MAX - 1, &last)) {
		for (int64_t i = first; i <= last; i++)
			RB_TRY(add_roles(x, np, i));
		return RB_OK;
	}
	at = text;
	while (text_digits(&at, &first)) {
		RB_TRY(add_roles(x, np, first));
		if (!*at)
			return RB_OK;
		if (*at++ != ',')
			break;
	}
	return rb_fail(x->err, RB_EINVAL, "iterations: %.60s: expected first..last or a,b,c", text);
}

static int add_combination(struct expansion *x)
{
	const struct sweep_config *c = x->config;

	x->log_peak = 0;
	x->first = -1;
	for (x->repetition = 0; x->repetition < c->repetitions || x->repetition < c->references;
	     x->repetition++) {
		if (x->repetition < c->references)
			RB_TRY(add_references(x));
		while (x->repetition < c->repetitions && x->iterations &&
		       sweep_axis_next(x->iterations))
			RB_TRY(add_range(x, x->plan->run[x->first].spec.np, x->iterations->text));
	}
	return RB_OK;
}

/* A technique is used only where a role is blocked. */
static int check_power(struct expansion *x)
{
	bool blocks = false;

	while (next_method(x))
		blocks = blocks || !blocks_no_role(x);
	FOR_EACH(x->power)
	if (strcmp(x->power->text, power_name(POWER_NONE)) != 0 && !(x->roles && blocks))
		return rb_fail(x->err, RB_EINVAL, "power: %.40s: no role is ever blocked %s",
			       x->power->text,
			       x->roles ? "under policy none alone" : "without kill");
	return RB_OK;
}

static int check_phases(struct expansion *x)
{
	FOR_EACH(x->phases)
	{
		struct inject_plan plan = { 0 };
		struct rb_error why;
		char text[2 * SPEC_TEXT];

		snprintf(text, sizeof text, "0@0:%.60s", x->phases->text);
		if (!is_all(x->phases) && inject_parse(&plan, text, 1, &why) != RB_OK)
			return rb_fail(
				x->err, RB_EINVAL,
				"phases: %.60s: unknown, or not complete; see `rollbench list "
				"phases`",
				x->phases->text);
	}
	return RB_OK;
}

static int add_entry(struct expansion *x)
{
	RB_TRY(sweep_axes(x));
	if (x->restart && !x->roles)
		return rb_fail(x->err, RB_EINVAL,
			       "restart: true: without kill, nothing would restart");
	RB_TRY(check_power(x));
	RB_TRY(check_phases(x));
	do
		RB_TRY(add_combination(x));
	while (sweep_axes_next(x));
	return RB_OK;
}

int sweep_expand(const struct sweep_config *config, struct sweep_plan *plan, struct rb_error *err)
{
	struct rb_error why;
	struct expansion x = {
		.config = config, .plan = plan, .err = &why, .known = json_object()
	};
	int rc = RB_OK;

	for (x.entry = config->runs->first; rc == RB_OK && x.entry;
	     x.entry = x.entry->next, x.number++) {
		rc = add_entry(&x);
		if (rc != RB_OK)
			rc = rb_fail(err, rc, "%s:%d: run %u: %.400s", config->file->path,
				     sweep_axes_line(&x, why.text), x.number + 1, why.text);
	}
	json_decref(x.known);
	return rc;
}
