#include "harness/sweep/sweep_expand.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 100000 };

static int add_run(struct expansion *x, const struct recipe *with)
{
	int index;

	return sweep_add(x, with, x->first, &index);
}

/* The first failure-free run is what all others of the combination are compared with. Without a failure
 * no role is ever blocked, so these runs are of all techniques. */
static int add_references(struct expansion *x)
{
	x->first = -1;
	for (x->policy = 0; x->policy < x->entry->policies_count; x->policy++) {
		struct recipe with = { .policy = x->entry->policies[x->policy] };
		int index;

		RB_TRY(sweep_add(x, &with, x->first, &index));
		if (x->policy == 0)
			x->first = index;
	}
	return RB_OK;
}

static bool blocks_nobody(const char *policy)
{
	return strcmp(policy, policy_none.name) == 0;
}

/* Every technique; but under global rollback nobody is blocked, so that techniques are all the same. */
static int add_techniques(struct expansion *x, struct recipe with)
{
	const struct sweep_entry *e = x->entry;

	if (e->power_count == 0 || blocks_nobody(with.policy))
		return add_run(x, &with);
	for (x->power = 0; x->power < e->power_count; x->power++) {
		with.power = e->power[x->power];
		RB_TRY(add_run(x, &with));
	}
	return RB_OK;
}

static int add_point(struct expansion *x, const char *role, int64_t iter, const char *phase)
{
	char kill[3 * SPEC_TEXT];
	struct recipe with = { .kill = kill };

	snprintf(kill, sizeof kill, "%.60s@%" PRId64 ":%.60s", role, iter, phase);
	for (x->policy = 0; x->policy < x->entry->policies_count; x->policy++) {
		with.policy = x->entry->policies[x->policy];
		RB_TRY(add_techniques(x, with));
	}
	x->policy = 0;
	with.policy = NULL;
	if (x->entry->restart && x->repetition < x->restart_repetitions)
		return add_run(x, &with);
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
	for (x->phase = 0; x->phase < kill->phases_count; x->phase++)
		RB_TRY(add_point(x, role, iter, kill->phases[x->phase]));
	return RB_OK;
}

static int add_roles(struct expansion *x, int64_t iter)
{
	const struct sweep_kill *kill = x->entry->kill;
	char role[16];

	x->role = 0;
	if (kill->roles_count == 1 && strcmp(kill->roles[0], "all") == 0) {
		for (int r = 0; r < x->entry->np[x->at[AXIS_NP]]; r++) {
			snprintf(role, sizeof role, "%d", r);
			RB_TRY(add_phases(x, role, iter));
		}
		return RB_OK;
	}
	for (; x->role < kill->roles_count; x->role++)
		RB_TRY(add_phases(x, kill->roles[x->role], iter));
	return RB_OK;
}

/* "a..b" or a list "a,b,c". */
static int add_range(struct expansion *x, const char *text)
{
	const char *at = text;
	int64_t first, last;
	int length = 0;

	if (sscanf(text, "%18" SCNd64 "..%18" SCNd64 "%n", &first, &last, &length) == 2 &&
	    !text[length] && first >= 0 && last >= first && last - first < ITERATIONS_MAX) {
		for (int64_t i = first; i <= last; i++)
			RB_TRY(add_roles(x, i));
		return RB_OK;
	}
	while (sscanf(at, "%18" SCNd64 "%n", &first, &length) == 1 && first >= 0) {
		RB_TRY(add_roles(x, first));
		at += length;
		if (!*at)
			return RB_OK;
		if (*at++ != ',')
			break;
	}
	return rb_fail(x->err, RB_EINVAL, "iterations: %.60s: expected first..last or a,b,c", text);
}

static int add_iterations(struct expansion *x)
{
	const struct sweep_kill *kill = x->entry->kill;

	for (x->iterations = 0; x->iterations < kill->iterations_count; x->iterations++)
		RB_TRY(add_range(x, kill->iterations[x->iterations]));
	return RB_OK;
}

static int add_combination(struct expansion *x)
{
	int repetitions = x->config->repetitions ? *x->config->repetitions : 1;

	x->log_peak = 0;
	for (x->repetition = 0; x->repetition < repetitions; x->repetition++) {
		RB_TRY(add_references(x));
		if (x->entry->kill)
			RB_TRY(add_iterations(x));
	}
	return RB_OK;
}

/* A technique is only ever used where a role is blocked. */
static int check_power(struct expansion *x)
{
	const struct sweep_entry *e = x->entry;
	bool blocks = false;

	for (unsigned p = 0; p < e->policies_count; p++)
		blocks = blocks || !blocks_nobody(e->policies[p]);
	for (x->power = 0; x->power < e->power_count; x->power++)
		if (strcmp(e->power[x->power], power_name(POWER_NONE)) != 0 && !(e->kill && blocks))
			return rb_fail(x->err, RB_EINVAL, "power: %.40s: no role is ever blocked %s",
				       e->power[x->power], e->kill ? "under policy none alone" :
				       "without kill");
	x->power = 0;
	return RB_OK;
}

/* Phases for themselves, so that a complaint about a kill can only be about the role. */
static int check_phases(struct expansion *x)
{
	const struct sweep_kill *kill = x->entry->kill;

	for (x->phase = 0; kill && x->phase < kill->phases_count; x->phase++) {
		const char *phase = kill->phases[x->phase];
		struct inject_plan plan = { 0 };
		struct rb_error why;
		char text[2 * SPEC_TEXT];

		snprintf(text, sizeof text, "0@0:%.60s", phase);
		if ((kill->phases_count > 1 || strcmp(phase, "all") != 0) &&
		    inject_parse(&plan, text, 1, &why) != RB_OK)
			return rb_fail(x->err, RB_EINVAL, "phases: %.60s: unknown, or not complete; see "
				       "`rollbench list phases`", phase);
	}
	x->phase = 0;
	return RB_OK;
}

static int add_entry(struct expansion *x)
{
	const struct sweep_config *c = x->config;
	int repetitions = c->repetitions ? *c->repetitions : 1;

	x->restart_repetitions = c->restart_repetitions ? *c->restart_repetitions : repetitions;
	if (x->entry->restart && !x->entry->kill)
		return rb_fail(x->err, RB_EINVAL, "restart: true: without kill, nothing would "
			       "restart");
	RB_TRY(check_power(x));
	RB_TRY(check_phases(x));
	RB_TRY(sweep_axes(x));
	do
		RB_TRY(add_combination(x));
	while (sweep_axes_next(x));
	return RB_OK;
}

static int add_entries(struct expansion *x, const char *path, struct rb_error *err)
{
	for (x->number = 0; x->number < x->config->runs_count; x->number++) {
		int rc;

		x->entry = &x->config->runs[x->number];
		memset(x->at, 0, sizeof x->at);
		x->policy = x->power = x->role = x->iterations = x->phase = 0;
		rc = add_entry(x);
		if (rc != RB_OK)
			return rb_fail(err, rc, "%s:%d: run %u: %.400s", path,
				       sweep_line(x, x->err->text), x->number + 1, x->err->text);
	}
	return RB_OK;
}

int sweep_expand(const struct sweep_config *config, const char *path, struct sweep_plan *plan,
		 struct rb_error *err)
{
	struct rb_error why;
	struct expansion x = { .config = config, .plan = plan, .err = &why };
	int rc;

	x.slot = calloc(EXPANSION_SLOTS, sizeof *x.slot);
	if (!x.slot)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", path);
	rc = add_entries(&x, path, err);
	free(x.slot);
	return rc;
}
