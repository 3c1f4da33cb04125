/* Runs of the engine in an experiment file (docs/experiments.md). */
#include "harness/kind/engine/engine_run.h"

#include "base/status.h"
#include "base/text.h"
#include "harness/job/mpirun.h"
#include "harness/options/spec_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A percentage is converted to bytes by a forecast of each role's sends in each iteration of an
 * interval. With this many iterations of roles, a forecast takes seconds. */
static const double forecast_max = 4e5;

static const struct run_spec *spec_of(const struct run *run)
{
	return &((const struct engine_run *)run)->spec;
}

/* All options of the kernel and of a run. RB_OK or RB_EINVAL. */
static int find_options(const struct yaml_node *options, struct option of_run[OPTIONS_MAX],
			struct rb_error *err)
{
	const char *name = run_option(options, "kernel");
	const struct kernel_ops *kernel = name ? kernel_find(name) : NULL;

	if (!name)
		return rb_fail(err, RB_EINVAL,
			       "program %.60s: none of elc/programs, and without protocol no "
			       "kernel either; a kernel has the key kernel",
			       run_option(options, "program"));
	if (!kernel)
		return rb_fail(err, RB_EINVAL,
			       "kernel %.60s: unknown; see `rollbench list kernels`", name);
	spec_options(kernel, of_run);
	return RB_OK;
}

int engine_check_keys(const struct yaml_node *options, struct rb_error *err)
{
	struct option of_run[OPTIONS_MAX];
	char key[OPTION_KEY];

	RB_TRY(find_options(options, of_run, err));
	for (const struct yaml_node *n = options->first; n; n = n->next) {
		if (strcmp(n->key, "kernel") == 0 || option_of_key(of_run, n->key))
			continue;
		if (strcmp(n->key, "seed") == 0)
			return rb_fail(err, RB_EINVAL,
				       "seed: kernel %s has no such option; that of a random order "
				       "is order_seed",
				       run_option(options, "kernel"));
		return rb_fail(err, RB_EINVAL,
			       "%.60s: unknown key, also of kernel %s; docs/experiments.md and "
			       "`rollbench list kernels` have them all",
			       n->key, run_option(options, "kernel"));
	}
	for (const struct option *o = of_run; o->name; o++) {
		option_key(o, key);
		if (o->required && !yaml_get(options, key))
			return rb_fail(err, RB_EINVAL, "the key %s is missing", key);
	}
	return RB_OK;
}

bool engine_is_inner(const char *key)
{
	return option_is_inner(spec_table, key);
}

static bool is_standard(const char *key, const char *text)
{
	const struct option *o = option_of_key(spec_table, key);

	return !text || (o && o->standard && strcmp(o->standard, text) == 0);
}

static bool is_off(const char *policy)
{
	return policy && strcmp(policy, policy_off.name) == 0;
}

/* Without a failure nobody is blocked, and under global rollback nobody either. Job restart takes
 * neither a log, spares nor a detector, and begins no iteration again in the middle; nor does a run
 * without protection. */
bool engine_is_idle(const struct yaml_node *options, const char *key)
{
	const bool restart = !is_standard("strategy", run_option(options, "strategy")),
		   power = strcmp(key, "power") == 0, transaction = strcmp(key, "transaction") == 0,
		   detector = strcmp(key, "detector") == 0;

	if (is_standard(key, run_option(options, key)))
		return false;
	if ((transaction || detector) && is_off(run_option(options, "policy")))
		return true;
	if (!run_option(options, "kill"))
		return power || strcmp(key, "strategy") == 0;
	if (restart)
		return power || transaction || detector || strcmp(key, "policy") == 0 ||
		       strcmp(key, "recompute") == 0 || strcmp(key, "spares") == 0;
	return power && is_standard("policy", run_option(options, "policy")) &&
	       is_standard("recompute", run_option(options, "recompute"));
}

const char *engine_phase(const char *role, int i)
{
	(void)role;
	for (int phase = 0; phase < INJECT_PHASES; phase++)
		if (inject_phase_in_iteration((enum inject_phase)phase) && i-- == 0)
			return inject_phase_name((enum inject_phase)phase);
	return NULL;
}

static int check_forecast(const struct run_spec *spec, struct rb_error *err)
{
	if (!strchr(spec->policy, '%') || (double)spec->np * (double)spec->interval <= forecast_max)
		return RB_OK;
	return rb_fail(err, RB_EINVAL,
		       "policy %s: the forecast of the bytes that %d roles send in %" PRId64
		       " iterations would take too long; give bytes instead of a percentage",
		       spec->policy, spec->np, spec->interval);
}

/* A kill that could never fire. */
static int check_kill(const struct engine_run *e, struct rb_error *err)
{
	const int64_t last = e->plan.iterations - 1;

	if (e->spec.plan.count == 0 || e->spec.plan.kill[0].iter <= last)
		return RB_OK;
	return rb_fail(err, RB_EINVAL,
		       "iterations: %" PRId64 ": the last one of such a run is %" PRId64,
		       e->spec.plan.kill[0].iter, last);
}

int engine_complete(struct run *run, const struct run_setting *in, struct rb_error *err)
{
	struct engine_run *e = (struct engine_run *)run;

	e->spec.hosts = in->hosts;
	/* Failure-free runs get the same spares: one more waiting rank is part of the setting. */
	if (e->spec.spares == SPARES_BY_PLAN)
		e->spec.spares = in->kills && e->spec.strategy != FT_RESTART;
	RB_TRY(check_forecast(&e->spec, err));
	RB_TRY(spec_check(&e->spec, &e->plan, err));
	return check_kill(e, err);
}

/* "cg-class=S-np8-s1-all-i25-3@13.start": unique, and readable in a folder listing. */
size_t engine_run_name(const struct run *run, enum run_name part, char *out, size_t size)
{
	const struct run_spec *spec = spec_of(run);
	char kill[INJECT_TEXT] = "free";
	size_t used = spec_name(spec, part == NAME_PROBLEM, out, size);

	if (spec->plan.count > 0)
		inject_format(&spec->plan.kill[0], kill, sizeof kill);
	text_replace(kill, ':', '.');
	if (part == NAME_WHOLE && used < size)
		used += (size_t)snprintf(out + used, size - used, "-%s", kill);
	return used;
}

bool engine_is_plain(const struct run *run)
{
	return spec_of(run)->plan.count == 0;
}

json_t *engine_describe(const struct run *run, struct rb_error *err)
{
	json_t *description = spec_json(spec_of(run));

	if (!description)
		rb_fail(err, RB_ENOMEM, "out of memory");
	else
		mpirun_describe(description);
	return description;
}

struct run_size engine_size(const struct run *run)
{
	const struct engine_run *e = (const struct engine_run *)run;

	return (struct run_size){ .np = e->spec.np,
				  .iterations = e->plan.open_ended ? -1 : e->plan.iterations,
				  .bytes_per_role = e->plan.bytes_per_role,
				  .twice = e->spec.strategy == FT_RESTART,
				  .deadline_s = e->spec.deadline_s };
}

void engine_row(const struct run *run, char *out, size_t size)
{
	const struct run_spec *spec = spec_of(run);
	const char *recovery = spec_recovery(spec);

	/* A policy has one row, whatever its parameters. */
	snprintf(out, size, "%s np=%d %.*s%s%s%s %s", spec->kernel->name, spec->np,
		 (int)strcspn(recovery, ":"), recovery, spec->power == POWER_NONE ? "" : ", ",
		 spec->power == POWER_NONE ? "" : power_name(spec->power),
		 spec_must_be_wrong(spec) ? ", must be wrong" : "",
		 spec->outside.count ? "by the clock"
		 : spec->plan.count  ? "with a failure"
				     : "failure-free");
}

bool engine_is_expected(const struct run *run, const json_t *record)
{
	return compare_is_expected(spec_of(run), record);
}
