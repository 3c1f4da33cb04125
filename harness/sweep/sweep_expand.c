#include "harness/sweep/sweep_expand.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 100000 };

/* Each value of an axis, one after the other; an axis that is not there has none. */
#define FOR_EACH(axis) while ((axis) && sweep_axis_next(axis))

static bool is_all(const struct axis *a)
{
	const struct yaml_node *first = yaml_next(a->list, NULL);

	return strcmp(first->text, "all") == 0 && !yaml_next(a->list, first);
}

static int add_run(struct expansion *x, const struct recipe *with)
{
	int index;

	return sweep_add(x, with, x->first, &index);
}

/* The first failure-free run is what all others of the combination are compared with. Without a failure
 * no role is ever blocked, so these runs are of all techniques. */
static int add_references(struct expansion *x)
{
	const struct recipe plain = { .kill = NULL };

	x->first = -1;
	FOR_EACH(x->policies) {
		int index;

		RB_TRY(sweep_add(x, &plain, x->first, &index));
		x->first = x->first < 0 ? index : x->first;
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
	if (!x->power || blocks_nobody(x->policies->text))
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
	FOR_EACH(x->policies)
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
	int length = 0;

	if (sscanf(text, "%18" SCNd64 "..%18" SCNd64 "%n", &first, &last, &length) == 2 &&
	    !text[length] && first >= 0 && last >= first && last - first < ITERATIONS_MAX) {
		for (int64_t i = first; i <= last; i++)
			RB_TRY(add_roles(x, np, i));
		return RB_OK;
	}
	while (sscanf(at, "%18" SCNd64 "%n", &first, &length) == 1 && first >= 0) {
		RB_TRY(add_roles(x, np, first));
		at += length;
		if (!*at)
			return RB_OK;
		if (*at++ != ',')
			break;
	}
	return rb_fail(x->err, RB_EINVAL, "iterations: %.60s: expected first..last or a,b,c", text);
}

static int add_combination(struct expansion *x)
{
	x->log_peak = 0;
	for (x->repetition = 0; x->repetition < x->config->repetitions; x->repetition++) {
		RB_TRY(add_references(x));
		FOR_EACH(x->iterations)
			RB_TRY(add_range(x, x->plan->run[x->first].spec.np, x->iterations->text));
	}
	return RB_OK;
}

/* A technique is only ever used where a role is blocked. */
static int check_power(struct expansion *x)
{
	bool blocks = false;

	FOR_EACH(x->policies)
		blocks = blocks || !blocks_nobody(x->policies->text);
	FOR_EACH(x->power)
		if (strcmp(x->power->text, power_name(POWER_NONE)) != 0 && !(x->roles && blocks))
			return rb_fail(x->err, RB_EINVAL, "power: %.40s: no role is ever blocked %s", x->power->text,
				       x->roles ? "under policy none alone" : "without kill");
	return RB_OK;
}

static int check_phases(struct expansion *x)
{
	FOR_EACH(x->phases) {
		struct inject_plan plan = { 0 };
		struct rb_error why;
		char text[2 * SPEC_TEXT];

		snprintf(text, sizeof text, "0@0:%.60s", x->phases->text);
		if (!is_all(x->phases) && inject_parse(&plan, text, 1, &why) != RB_OK)
			return rb_fail(x->err, RB_EINVAL, "phases: %.60s: unknown, or not complete; see "
				       "`rollbench list phases`", x->phases->text);
	}
	return RB_OK;
}

static int add_entry(struct expansion *x)
{
	RB_TRY(sweep_axes(x));
	if (x->restart && !x->roles)
		return rb_fail(x->err, RB_EINVAL, "restart: true: without kill, nothing would restart");
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
	struct expansion x = { .config = config, .plan = plan, .err = &why };
	int rc = RB_OK;

	x.slot = calloc(EXPANSION_SLOTS, sizeof *x.slot);
	if (!x.slot)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", config->file->path);
	for (x.entry = config->runs->first; rc == RB_OK && x.entry; x.entry = x.entry->next, x.number++) {
		rc = add_entry(&x);
		if (rc != RB_OK) {
			rb_fail(err, rc, "%s:%d: run %u: %.400s", config->file->path, sweep_axes_line(&x, why.text),
				x.number + 1, why.text);
			break;
		}
	}
	free(x.slot);
	return rc;
}
