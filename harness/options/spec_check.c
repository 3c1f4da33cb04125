/* The checks of a run before it is launched. */
#include "base/json.h"
#include "base/status.h"
#include "ft/recovery/cone.h"
#include "forecast/forecast.h"
#include "harness/options/spec_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CHANCE_SPARES = 4 };

/* The log that a share is of. Its forecast takes time, and runs of one problem ask for the same. */
static int find_peak(const struct run_spec *spec, const struct forecast_share *share,
		     const struct forecast_run *run, int64_t *peak, struct rb_error *err)
{
	static json_t *known;
	char problem[SPEC_PATH], key[SPEC_PATH + 64];

	if (spec_name(spec, true, problem, sizeof problem) >= sizeof problem)
		return forecast_share_peak(share, *run, peak, err);
	known = known ? known : json_object();
	snprintf(key, sizeof key, "%s %" PRId64 " %" PRId64 " %s", problem, spec->interval,
		 spec->ckpt_first, share->by_receivers ? "receiver" : "all");
	*peak = integer_of(known, key, 0);
	if (*peak > 0)
		return RB_OK;
	RB_TRY(forecast_share_peak(share, *run, peak, err));
	json_object_set_new(known, key, json_integer(*peak));
	return RB_OK;
}

/* "budget:30%:clusters" becomes "budget:12345:clusters". */
static int resolve_budget(struct run_spec *spec, const struct kernel_args *args,
			  const struct kernel_plan *plan, struct rb_error *err)
{
	struct kernel_pattern p = kernel_pattern(spec->kernel, args, spec->np);
	const struct forecast_run run = { .pattern = &p.pattern,
					  .schedule = spec_schedule(spec),
					  .iterations = plan->iterations };
	struct forecast_share share;
	int64_t peak;

	RB_TRY(forecast_share_parse(&share, "--policy", spec->policy, err));
	if (share.percent <= 0)
		return RB_OK;
	RB_TRY(find_peak(spec, &share, &run, &peak, err));
	memcpy(spec->asked, spec->policy, sizeof spec->asked);
	forecast_share_policy(&share, peak, spec->policy, sizeof spec->policy);
	return RB_OK;
}

static int cost_of(const struct run_spec *spec, const struct inject_kill *kill)
{
	if (kill->who < INJECT_NODE)
		return 1;
	if (spec->node_size > 0)
		return spec->node_size;
	return spec->hosts ? hosts_spares_for(spec->hosts, spec->np, kill->number) : 1;
}

/* How many processes a plan can kill: with a node, all of its processes. */
static int spares_for(const struct run_spec *spec)
{
	int count = (int)spec->outside.count + (spec->mtbf_s > 0 ? CHANCE_SPARES : 0);

	for (size_t k = 0; k < spec->plan.count; k++)
		count += cost_of(spec, &spec->plan.kill[k]);
	return spec->replace == FT_SPAWN || spec->strategy == FT_RESTART ? 0 : count;
}

static int check_levels(const struct run_spec *spec, struct rb_error *err)
{
	struct levels levels;

	RB_TRY(levels_parse(&levels, spec->ckpt, err));
	RB_TRY(levels_check(&levels, spec->np, err));
	if (spec->strategy == FT_RESTART && !levels.file)
		return rb_fail(err, RB_EINVAL,
			       "--ckpt %s: what is in memory dies with the job, so "
			       "--strategy restart needs the level file, too: --ckpt file,%s",
			       spec->ckpt, spec->ckpt);
	return RB_OK;
}

static int count_operation(void *ctx, const struct pattern_operation *o)
{
	*(int64_t *)ctx += o->kind != PATTERN_RECEIVE && !o->reduction;
	return RB_OK;
}

/* Can a duplicate of this kernel repeat iterations in parts? That is seen from any iteration. */
static int check_pattern(const struct run_spec *spec, const struct kernel_args *args,
			 struct rb_error *err)
{
	struct kernel_pattern p = kernel_pattern(spec->kernel, args, spec->np);
	int64_t operations = 0;
	int rc;

	if (!spec->kernel->pattern)
		return RB_OK;
	rc = p.pattern.operations(&p.pattern, 0, 0, count_operation, &operations);
	if (rc == RB_EINVAL || operations > PLACE_MAX)
		return rb_fail(
			err, RB_EINVAL,
			"--recompute %s: kernel %s cannot be repeated in parts: it begins a "
			"reduction while a receive is posted, posts more than %d receives at once, "
			"or has more than %d operations in an iteration; use --recompute rollback",
			spec_recompute(spec->recompute), spec->kernel->name, MSG_POST_MAX,
			PLACE_MAX);
	return rc == RB_OK ? RB_OK
			   : rb_fail(err, rc, "out of memory for the pattern of kernel %s",
				     spec->kernel->name);
}

bool spec_bears_old_data(const struct run_spec *spec)
{
	const struct kernel_args args = spec_args(spec);
	struct kernel_plan plan = { .bears_old_data = false };
	struct rb_error ignored;

	return spec->kernel->plan(&args, spec->np, &plan, &ignored) == RB_OK && plan.bears_old_data;
}

static int check_dataflow(const struct run_spec *spec, const struct kernel_args *args,
			  const struct kernel_plan *plan, struct rb_error *err)
{
	const char *how = spec_recompute(spec->recompute), *kernel = spec->kernel->name;

	if (!ft_is_dataflow(spec->recompute))
		return RB_OK;
	if (spec->strategy == FT_RESTART)
		return rb_fail(
			err, RB_EINVAL,
			"--recompute %s: with --strategy restart all processes die, so that nobody "
			"keeps a state; use --strategy repair",
			how);
	RB_TRY(check_pattern(spec, args, err));
	if (plan->data_driven)
		return rb_fail(
			err, RB_EINVAL,
			"--recompute %s: which messages kernel %s sends depends on its data, so "
			"nobody knows who has to recompute what; use --recompute rollback",
			how, kernel);
	if (spec->recompute == FT_FLAT && !plan->bears_old_data)
		return rb_fail(
			err, RB_EINVAL,
			"--recompute %s: duplicates repeat iterations without the messages of "
			"roles that do not, and kernel %s may break down on the old data in their "
			"place; use --recompute dataflow",
			how, kernel);
	return RB_OK;
}

/* The host whose MPI daemon is killed must not be the one on which mpirun runs. */
static int check_host_kill(const struct run_spec *spec, const struct inject_kill *kill,
			   struct rb_error *err)
{
	if (kill->who != INJECT_HOST)
		return RB_OK;
	if (!spec->hosts)
		return rb_fail(
			err, RB_EINVAL,
			"--kill host%d: without --hostfile or an allocation of several hosts there "
			"is but one MPI daemon, mpirun itself; --kill node%d spares it",
			kill->number, kill->number);
	for (int r = 0; r < spec->np + spec->spares; r++)
		if (spec_node(spec, r) == kill->number)
			return RB_OK;
	return rb_fail(
		err, RB_EINVAL,
		"--kill host%d: no rank would be on such a host (they count from 0, in the order "
		"of the host file)",
		kill->number);
}

static int check_kills(const struct run_spec *spec, struct rb_error *err)
{
	char text[INJECT_TEXT];

	for (size_t k = 0; k < spec->plan.count; k++) {
		const struct inject_kill *kill = &spec->plan.kill[k];

		inject_format(kill, text, sizeof text);
		if (kill->who == INJECT_ROLE && kill->number >= spec->np)
			return rb_fail(err, RB_EINVAL,
				       "--kill %s: role %d does not exist; with --np %d the roles "
				       "are 0..%d",
				       text, kill->number, spec->np, spec->np - 1);
		if (kill->who == INJECT_SPARE && kill->number >= spec->spares)
			return rb_fail(
				err, RB_EINVAL,
				"--kill spare%d: with --spares %d there is no such spare (they "
				"count from 0)",
				kill->number, spec->spares);
		if (kill->who == INJECT_NODE && spec->node_size > 0 &&
		    kill->number >=
			    (spec->np + spec->spares + spec->node_size - 1) / spec->node_size)
			return rb_fail(
				err, RB_EINVAL,
				"--kill node%d: with %d ranks and %d for each node there is no "
				"such node (they count from 0)",
				kill->number, spec->np + spec->spares, spec->node_size);
		if (!spec->resumed)
			RB_TRY(check_host_kill(spec, kill, err));
	}
	return RB_OK;
}

static int check_outside(const struct run_spec *spec, struct rb_error *err)
{
	char text[INJECT_TEXT];

	for (size_t k = 0; k < spec->outside.count; k++) {
		const struct outside_kill *kill = &spec->outside.kill[k];
		bool spare = kill->who == INJECT_SPARE;
		int there = spare ? spec->spares : spec->np;

		outside_format(kill, text, sizeof text);
		if (kill->number >= there)
			return rb_fail(err, RB_EINVAL,
				       "--kill-at %s: with --%s %d there is no such %s (they count "
				       "from 0)",
				       text, spare ? "spares" : "np", there,
				       spare ? "spare" : "role");
		if (spec->hosts)
			return rb_fail(
				err, RB_EINVAL,
				"--kill-at %s: it reaches processes of this machine only, so it "
				"cannot be used with --hostfile; --kill can",
				text);
	}
	return RB_OK;
}

static bool has_failures(const struct run_spec *spec)
{
	return spec->plan.count > 0 || spec->outside.count > 0 || spec->spares > 0 ||
	       spec->mtbf_s > 0;
}

/* A control that could not end wrong. */
static int check_control(const struct run_spec *spec, const struct kernel_plan *plan,
			 const struct policy_ops *policy, struct rb_error *err)
{
	if (spec->control == CONTROL_IN_PLACE && spec->transaction == FT_COPY)
		return rb_fail(err, RB_EINVAL,
			       "--control in-place: with --transaction copy the state is copied "
			       "back, so nothing can be wrong; leave --transaction out");
	if (spec->control == CONTROL_IN_PLACE && !plan->in_place)
		return rb_fail(
			err, RB_EINVAL,
			"--control in-place: kernel %s does not update its state in place with "
			"these options; lulesh does with --buffers single",
			spec->kernel->name);
	if (spec->control != CONTROL_NONE && (policy == &policy_none || policy == &policy_off))
		return rb_fail(
			err, RB_EINVAL,
			"--control %s: with --policy %s all roles go back to a checkpoint, so "
			"nothing can be wrong; use --policy all",
			spec_control(spec->control), spec->policy);
	if (spec->control == CONTROL_IN_PLACE && spec->detector == DETECTOR_HOST)
		return rb_fail(
			err, RB_EINVAL,
			"--control in-place: with --detector host, roles may notice the death "
			"before they have updated anything; use --detector runtime");
	return RB_OK;
}

int spec_check(struct run_spec *spec, struct kernel_plan *plan, struct rb_error *err)
{
	struct kernel_args args = spec_args(spec);
	struct policy policy;

	RB_TRY(check_levels(spec, err));
	memset(plan, 0, sizeof *plan);
	RB_TRY(spec->kernel->plan(&args, spec->np, plan, err));
	RB_TRY(resolve_budget(spec, &args, plan, err));
	RB_TRY(policy_parse(&policy, spec->policy, err));
	if (spec->hosts)
		RB_TRY(hosts_check(spec->hosts, err));
	if (spec->spares == SPARES_BY_PLAN)
		spec->spares = spares_for(spec);
	if (spec->strategy == FT_RESTART && (policy.ops != &policy_none || spec->spares > 0))
		return rb_fail(
			err, RB_EINVAL,
			"--strategy restart: the whole job goes back, so it takes neither a log "
			"(--policy none) nor spares");
	if ((policy.ops == &policy_off || spec->paired > 0) && has_failures(spec))
		return rb_fail(err, RB_EINVAL,
			       "--policy off, --paired: such a run is not protected "
			       "throughout, so it can have no kills and no spares");
	if (ft_is_dataflow(spec->recompute) && policy.by_receivers)
		return rb_fail(
			err, RB_EINVAL,
			"--recompute %s with --policy %s: duplicates do not read what receivers "
			"have kept; use --recompute rollback, or a policy without receivers",
			spec_recompute(spec->recompute), spec->policy);
	RB_TRY(check_dataflow(spec, &args, plan, err));
	RB_TRY(check_kills(spec, err));
	RB_TRY(check_outside(spec, err));
	RB_TRY(check_control(spec, plan, policy.ops, err));
	if (spec->transaction == FT_COPY && policy.ops == &policy_off)
		return rb_fail(err, RB_EINVAL,
			       "--transaction copy: with --policy off no iteration is repeated, "
			       "so nothing is copied; leave one of them out");
	/* A new job begins no iteration in the middle. */
	if (plan->in_place && has_failures(spec) && spec->strategy == FT_GO_ON &&
	    spec->transaction != FT_COPY && spec->control != CONTROL_IN_PLACE)
		return rb_fail(
			err, RB_EINVAL,
			"--kill, --spares: kernel %s updates its state in place, so it cannot be "
			"rolled back without a copy; --transaction copy makes one before each "
			"iteration",
			spec->kernel->name);
	return RB_OK;
}
