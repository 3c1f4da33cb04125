#include "harness/sweep_plan.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 100000 };

/* One entry of the file while it is being written out. */
struct expansion {
	const struct sweep_config *config;
	const struct sweep_entry *entry;
	struct sweep_plan *plan;
	struct rb_error *err;
	int first;        /* index of the entry's first run */
	int repetition, restart_repetitions;
};

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

static int set_options(struct run_spec *spec, const struct expansion *x)
{
	const struct sweep_entry *e = x->entry;

	for (unsigned i = 0; i < e->options_count; i++) {
		char name[SPEC_TEXT];
		const char *equals = strchr(e->options[i], '=');

		if (!equals || equals - e->options[i] >= SPEC_TEXT)
			return rb_fail(x->err, RB_EINVAL, "options: %s: expected name=value",
				       e->options[i]);
		snprintf(name, sizeof name, "%.*s", (int)(equals - e->options[i]), e->options[i]);
		RB_TRY(spec_set_option(spec, name, equals + 1, x->err));
	}
	return RB_OK;
}

static int set_checkpoints(struct run_spec *spec, const struct expansion *x)
{
	const struct sweep_entry *e = x->entry;

	spec->interval = e->interval;
	if (e->ckpt && strlen(e->ckpt) >= sizeof spec->ckpt)
		return rb_fail(x->err, RB_EINVAL, "ckpt: %.40s...: the text is too long", e->ckpt);
	if (e->ckpt)
		snprintf(spec->ckpt, sizeof spec->ckpt, "%s", e->ckpt);
	return e->ckpt_lag ? spec_set_lag(spec, e->ckpt_lag, x->err) : RB_OK;
}

/* What a run of the entry is made with. */
struct recipe {
	const char *policy; /* NULL: the job dies and is started again */
	const char *power;  /* a technique; NULL: none */
	const char *kill;   /* NULL: failure-free */
};

static int fill_spec(struct run_spec *spec, const struct expansion *x, const struct recipe *with)
{
	const char *policy = with->policy;
	const struct sweep_entry *e = x->entry;
	const struct kernel_ops *kernel = kernel_find(e->kernel);

	if (!kernel)
		return rb_fail(x->err, RB_EINVAL, "kernel %s: unknown; see `rollbench list kernels`",
			       e->kernel);
	spec_init(spec, kernel);
	spec->np = e->np;
	spec->hosts = x->config->hosts;
	if (x->config->deadline)
		spec->deadline_s = *x->config->deadline;
	spec->strategy = policy ? FT_GO_ON : FT_RESTART;
	snprintf(spec->policy, sizeof spec->policy, "%s", policy ? policy : "none");
	/* Failure-free runs get the same spares: one more waiting rank is part of the setting. */
	if (policy)
		spec->spares = e->spares ? *e->spares : e->kill != NULL;
	spec->spares_given = true;
	spec->node_size = e->node_size ? *e->node_size : 0;
	if (with->power)
		RB_TRY(spec_set_power(spec, with->power, x->err));
	if (e->meters)
		RB_TRY(spec_set_meters(spec, e->meters, x->err));
	RB_TRY(set_checkpoints(spec, x));
	return set_options(spec, x);
}

/* What is not the default: "-ckpt=file,buddy-lag=sync-meters=off", or nothing. */
static void name_unusual(const struct run_spec *s, char *out, size_t size)
{
	struct run_spec usual;
	char lag[SPEC_TEXT];
	size_t used = 0;

	spec_init(&usual, s->kernel);
	spec_lag(s, lag);
	out[0] = '\0';
	if (strcmp(s->ckpt, usual.ckpt) != 0)
		used = (size_t)snprintf(out, size, "-ckpt=%s", s->ckpt);
	if (s->lag != usual.lag)
		used += (size_t)snprintf(out + used, size - used, "-lag=%s", lag);
	if (s->meters != usual.meters)
		snprintf(out + used, size - used, "-meters=%s", metering_name(s->meters));
}

/* "cg-class=S-np8-s1-all-i25-3@13.start-r0": unique, and readable in a folder listing. */
static int name_run(struct sweep_run *run, int repetition, struct rb_error *err)
{
	const struct run_spec *s = &run->spec;
	bool saves = s->power != POWER_NONE;
	char kill[SPEC_TEXT] = "free", unusual[LEVELS_TEXT + SPEC_TEXT + 48];
	size_t used;

	used = (size_t)snprintf(run->id, sizeof run->id, "%s", s->kernel->name);
	for (int i = 0; s->kernel->options[i].name && used < sizeof run->id; i++)
		used += (size_t)snprintf(run->id + used, sizeof run->id - used, "-%s=%s",
					 s->kernel->options[i].name, s->value[i]);
	if (s->plan.count > 0)
		inject_format(&s->plan.kill[0], kill, sizeof kill);
	for (char *c = kill; *c; c++)
		*c = *c == ':' ? '.' : *c;
	name_unusual(s, unusual, sizeof unusual);
	if (used < sizeof run->id)
		used += (size_t)snprintf(run->id + used, sizeof run->id - used,
					 "-np%d-s%d-%s%s%s-i%" PRId64 "%s-%s-r%d", s->np, s->spares,
					 spec_recovery(s), saves ? "-" : "", saves ? spec_power(s) : "",
					 s->interval, unusual, kill, repetition);
	/* Cut off, it might be another run's name, too. */
	if (used >= sizeof run->id)
		return rb_fail(err, RB_EINVAL, "%.60s...: the names of records would be too long",
			       run->id);
	for (char *c = run->id; *c; c++)
		*c = *c == '/' ? '_' : *c;
	return RB_OK;
}

static int add_run(struct expansion *x, const struct recipe *with, int reference)
{
	struct sweep_run *run = append(x->plan);

	if (!run)
		return rb_fail(x->err, RB_ENOMEM, "out of memory");
	RB_TRY(fill_spec(&run->spec, x, with));
	if (with->kill)
		RB_TRY(inject_parse(&run->spec.plan, with->kill, run->spec.np, x->err));
	RB_TRY(spec_check(&run->spec, &run->plan, x->err));
	run->reference = reference;
	return name_run(run, x->repetition, x->err);
}

/* The first failure-free run is what all others of the entry are compared with. Without a failure
 * no role is ever blocked, so these runs are of all techniques. */
static int add_references(struct expansion *x)
{
	x->first = (int)x->plan->count;
	for (unsigned p = 0; p < x->entry->policies_count; p++) {
		struct recipe with = { .policy = x->entry->policies[p] };

		RB_TRY(add_run(x, &with, p == 0 ? -1 : x->first));
	}
	return RB_OK;
}

/* Every technique; but under global rollback nobody is blocked, so that techniques are all the same. */
static int add_techniques(struct expansion *x, struct recipe with)
{
	const struct sweep_entry *e = x->entry;

	if (e->power_count == 0 || strcmp(with.policy, policy_none.name) == 0)
		return add_run(x, &with, x->first);
	for (unsigned t = 0; t < e->power_count; t++) {
		with.power = e->power[t];
		RB_TRY(add_run(x, &with, x->first));
	}
	return RB_OK;
}

static int add_point(struct expansion *x, const char *role, int64_t iter, const char *phase)
{
	char kill[3 * SPEC_TEXT];
	struct recipe with = { .kill = kill };

	snprintf(kill, sizeof kill, "%.60s@%" PRId64 ":%.60s", role, iter, phase);
	for (unsigned p = 0; p < x->entry->policies_count; p++) {
		with.policy = x->entry->policies[p];
		RB_TRY(add_techniques(x, with));
	}
	with.policy = NULL;
	if (x->entry->restart && x->repetition < x->restart_repetitions)
		return add_run(x, &with, x->first);
	return RB_OK;
}

static int add_phases(struct expansion *x, const char *role, int64_t iter)
{
	const struct sweep_kill *kill = x->entry->kill;

	if (kill->phases_count == 1 && strcmp(kill->phases[0], "all") == 0) {
		for (int i = 0; i < INJECT_PHASES; i++)
			if (inject_phase_in_iteration((enum inject_phase)i))
				RB_TRY(add_point(x, role, iter,
						 inject_phase_name((enum inject_phase)i)));
		return RB_OK;
	}
	for (unsigned i = 0; i < kill->phases_count; i++)
		RB_TRY(add_point(x, role, iter, kill->phases[i]));
	return RB_OK;
}

static int add_roles(struct expansion *x, int64_t iter)
{
	const struct sweep_kill *kill = x->entry->kill;
	char role[16];

	if (kill->roles_count == 1 && strcmp(kill->roles[0], "all") == 0) {
		for (int r = 0; r < x->entry->np; r++) {
			snprintf(role, sizeof role, "%d", r);
			RB_TRY(add_phases(x, role, iter));
		}
		return RB_OK;
	}
	for (unsigned i = 0; i < kill->roles_count; i++)
		RB_TRY(add_phases(x, kill->roles[i], iter));
	return RB_OK;
}

/* "a..b" or a list "a,b,c". */
static int add_iterations(struct expansion *x)
{
	const char *text = x->entry->kill->iterations, *at = text;
	int64_t first, last;
	int length = 0;

	if (sscanf(text, "%" SCNd64 "..%" SCNd64 "%n", &first, &last, &length) == 2 &&
	    !text[length] && first >= 0 && last >= first && last - first < ITERATIONS_MAX) {
		for (int64_t i = first; i <= last; i++)
			RB_TRY(add_roles(x, i));
		return RB_OK;
	}
	while (sscanf(at, "%" SCNd64 "%n", &first, &length) == 1 && first >= 0) {
		RB_TRY(add_roles(x, first));
		at += length;
		if (!*at)
			return RB_OK;
		if (*at++ != ',')
			break;
	}
	return rb_fail(x->err, RB_EINVAL, "kill: iterations: %s: expected first..last or a,b,c",
		       text);
}

static int add_entry(struct expansion *x)
{
	const struct sweep_config *c = x->config;
	int repetitions = c->repetitions ? *c->repetitions : 1;

	x->restart_repetitions = c->restart_repetitions ? *c->restart_repetitions : repetitions;
	if (repetitions < 1)
		return rb_fail(x->err, RB_EINVAL, "repetitions: %d: expected at least 1",
			       repetitions);
	if (x->restart_repetitions < 1 || x->restart_repetitions > repetitions)
		return rb_fail(x->err, RB_EINVAL, "restart_repetitions: %d: expected 1 to %d, the "
			       "repetitions of all others", x->restart_repetitions, repetitions);
	if (x->entry->restart && !x->entry->kill)
		return rb_fail(x->err, RB_EINVAL, "restart: true: without kill, nothing would "
			       "restart");
	for (x->repetition = 0; x->repetition < repetitions; x->repetition++) {
		RB_TRY(add_references(x));
		if (x->entry->kill)
			RB_TRY(add_iterations(x));
	}
	return RB_OK;
}

int sweep_plan_make(const struct sweep_config *config, const char *path, struct sweep_plan *plan,
		    struct rb_error *err)
{
	struct rb_error why;

	memset(plan, 0, sizeof *plan);
	for (unsigned i = 0; i < config->runs_count; i++) {
		struct expansion x = { .config = config, .entry = &config->runs[i], .plan = plan,
				       .err = &why };
		int rc = add_entry(&x);

		if (rc != RB_OK) {
			sweep_plan_free(plan);
			return rb_fail(err, rc, "%s: run %u: %.400s", path, i + 1, why.text);
		}
	}
	return RB_OK;
}

void sweep_plan_free(struct sweep_plan *plan)
{
	free(plan->run);
	memset(plan, 0, sizeof *plan);
}
