#include "harness/spec/spec.h"

#include "base/status.h"
#include "ft/recovery/forecast.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { NP_MAX = 1 << 20, CHANCE_SPARES = 4 };

void spec_init(struct run_spec *spec, const struct kernel_ops *kernel)
{
	memset(spec, 0, sizeof *spec);
	spec->kernel = kernel;
	for (int i = 0; kernel->options[i].name; i++)
		snprintf(spec->value[i], SPEC_TEXT, "%s", kernel->options[i].value);
	spec->np = 4;
	spec->interval = 25;
	spec->deadline_s = 120;
	spec->seed = 1;
	snprintf(spec->policy, sizeof spec->policy, "none");
	snprintf(spec->ckpt, sizeof spec->ckpt, "file");
	spec->lag = -1;
}

struct kernel_args spec_args(const struct run_spec *spec)
{
	struct kernel_args args = { { NULL } };

	for (int i = 0; spec->kernel->options[i].name; i++)
		args.value[i] = spec->value[i];
	return args;
}

int spec_set_option(struct run_spec *spec, const char *name, const char *value,
		    struct rb_error *err)
{
	const struct kernel_option *option = spec->kernel->options;
	char known[128] = "";
	size_t used = 0;

	for (int i = 0; option[i].name && used < sizeof known; i++) {
		used += (size_t)snprintf(known + used, sizeof known - used, " --%s",
					 option[i].name);
		if (strcmp(option[i].name, name) != 0)
			continue;
		if (strlen(value) >= SPEC_TEXT)
			return rb_fail(err, RB_EINVAL, "--%s: the value is too long", name);
		snprintf(spec->value[i], SPEC_TEXT, "%s", value);
		return RB_OK;
	}
	return rb_fail(err, RB_EINVAL, "--%s: unknown option; kernel %s has%s (see --help for the "
		       "others)", name, spec->kernel->name, known);
}

/* "budget:30%:clusters" becomes "budget:12345:clusters": 30 percent of the largest log that any
 * role would have under `all`. */
static int resolve_budget(struct run_spec *spec, const struct kernel_args *args,
			  const struct kernel_plan *plan, struct rb_error *err)
{
	static const char prefix[] = "budget:";
	struct kernel_pattern p = kernel_pattern(spec->kernel, args, spec->np);
	struct forecast_run run = { &p.pattern, { .ops = &policy_all }, spec->interval, plan->iterations };
	char rest[SPEC_TEXT] = "", unit;
	double percent;

	if (strncmp(spec->policy, prefix, sizeof prefix - 1) != 0 || !strchr(spec->policy, '%'))
		return RB_OK;
	if (sscanf(spec->policy + sizeof prefix - 1, "%lf%c%63s", &percent, &unit, rest) < 2 ||
	    unit != '%' || !(percent > 0) || percent > 100)
		return rb_fail(err, RB_EINVAL, "--policy %s: expected for instance budget:30%%",
			       spec->policy);
	if (spec->log_peak <= 0)
		RB_TRY(forecast_peak(&run, &spec->log_peak, err));
	memcpy(spec->asked, spec->policy, sizeof spec->asked);
	snprintf(spec->policy, sizeof spec->policy, "budget:%" PRId64 "%.40s",
		 (int64_t)(percent / 100 * (double)spec->log_peak), rest);
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

/* How many processes a plan may cost: a node as many as it has. */
static int spares_for(const struct run_spec *spec)
{
	int count = spec->mtbf_s > 0 ? CHANCE_SPARES : 0;

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
		return rb_fail(err, RB_EINVAL, "--ckpt %s: what is in memory dies with the job, so "
			       "--strategy restart needs the level file, too: --ckpt file,%s",
			       spec->ckpt, spec->ckpt);
	return RB_OK;
}

/* A host that is to lose its MPI daemon must not be the one that mpirun is on. */
static int check_host_kill(const struct run_spec *spec, const struct inject_kill *kill,
			   struct rb_error *err)
{
	if (kill->who != INJECT_HOST)
		return RB_OK;
	if (!spec->hosts)
		return rb_fail(err, RB_EINVAL, "--kill host%d: without --hostfile there is but one MPI "
			       "daemon, mpirun itself; --kill node%d spares it", kill->number,
			       kill->number);
	for (int r = 0; r < spec->np + spec->spares; r++)
		if (spec_node(spec, r) == kill->number)
			return RB_OK;
	return rb_fail(err, RB_EINVAL, "--kill host%d: no rank would be on such a host (they count from "
		       "0, in the order of the host file)", kill->number);
}

static int check_kills(const struct run_spec *spec, struct rb_error *err)
{
	for (size_t k = 0; k < spec->plan.count; k++) {
		const struct inject_kill *kill = &spec->plan.kill[k];

		if (kill->who == INJECT_ROLE && kill->number >= spec->np)
			return rb_fail(err, RB_EINVAL, "--kill: role %d does not exist; with --np "
				       "%d the roles are 0..%d", kill->number, spec->np, spec->np - 1);
		if (kill->who == INJECT_SPARE && kill->number >= spec->spares)
			return rb_fail(err, RB_EINVAL, "--kill spare%d: with --spares %d there is no "
				       "such spare (they count from 0)", kill->number, spec->spares);
		if (kill->who == INJECT_NODE && spec->node_size > 0 &&
		    kill->number >= (spec->np + spec->spares + spec->node_size - 1) / spec->node_size)
			return rb_fail(err, RB_EINVAL, "--kill node%d: %d ranks and %d a node make no "
				       "such node (they count from 0)", kill->number,
				       spec->np + spec->spares, spec->node_size);
		if (!spec->resumed)
			RB_TRY(check_host_kill(spec, kill, err));
	}
	return RB_OK;
}

int spec_check(struct run_spec *spec, struct kernel_plan *plan, struct rb_error *err)
{
	struct kernel_args args = spec_args(spec);
	struct policy policy;

	if (spec->np < 1 || spec->np > NP_MAX)
		return rb_fail(err, RB_EINVAL, "--np %d: expected 1 to %d roles", spec->np, NP_MAX);
	if (spec->spares < 0 || spec->spares > NP_MAX)
		return rb_fail(err, RB_EINVAL, "--spares %d: expected 0 to %d", spec->spares,
			       NP_MAX);
	if (spec->interval < 1)
		return rb_fail(err, RB_EINVAL, "--interval %" PRId64 ": expected at least 1 "
			       "iteration", spec->interval);
	if (!(spec->deadline_s > 0))
		return rb_fail(err, RB_EINVAL, "--deadline %g: expected a positive number of "
			       "seconds", spec->deadline_s);
	if (spec->node_size < 0 || spec->mtbf_s < 0)
		return rb_fail(err, RB_EINVAL, "--node-size, --mtbf: expected a positive number");
	RB_TRY(check_levels(spec, err));
	memset(plan, 0, sizeof *plan);
	RB_TRY(spec->kernel->plan(&args, spec->np, plan, err));
	RB_TRY(resolve_budget(spec, &args, plan, err));
	RB_TRY(policy_parse(&policy, spec->policy, err));
	if (spec->hosts)
		RB_TRY(hosts_check(spec->hosts, err));
	if (!spec->spares_given)
		spec->spares = spares_for(spec);
	if (spec->strategy == FT_RESTART && (policy.ops != &policy_none || spec->spares > 0))
		return rb_fail(err, RB_EINVAL, "--strategy restart: the whole job goes back, so it takes "
			       "neither a log (--policy none) nor spares");
	if ((policy.ops == &policy_off || spec->duel > 0) &&
	    (spec->plan.count > 0 || spec->spares > 0 || spec->mtbf_s > 0))
		return rb_fail(err, RB_EINVAL, "--policy off, --duel: such a run is not protected "
			       "throughout, so it can have no kills and no spares");
	if (spec->duel > 0 && spec->meters == METERS_ITERATIONS)
		return rb_fail(err, RB_EINVAL, "--duel with --meters iterations: the blocks with protection "
			       "would pay for the meters, too; leave --meters out");
	RB_TRY(check_kills(spec, err));
	if (plan->in_place && (spec->plan.count > 0 || spec->spares > 0 || spec->mtbf_s > 0))
		return rb_fail(err, RB_EINVAL, "--kill, --spares: kernel %s is to update in place, so "
			       "it could not be rolled back", spec->kernel->name);
	return RB_OK;
}

json_t *spec_params(const struct run_spec *spec)
{
	json_t *params = json_object();

	for (int i = 0; spec->kernel->options[i].name; i++)
		json_object_set_new(params, spec->kernel->options[i].name,
				    json_string(spec->value[i]));
	return params;
}

json_t *spec_plan(const struct run_spec *spec)
{
	json_t *plan = json_array();
	char text[SPEC_TEXT];

	for (size_t k = 0; k < spec->plan.count; k++) {
		inject_format(&spec->plan.kill[k], text, sizeof text);
		json_array_append_new(plan, json_string(text));
	}
	return plan;
}

int spec_node(const struct run_spec *spec, int rank)
{
	if (spec->node_size > 0)
		return rank / spec->node_size;
	return spec->hosts ? hosts_node(spec->hosts, spec->np, rank) : 0;
}

json_t *spec_json(const struct run_spec *spec)
{
	char lag[SPEC_TEXT];
	json_t *json;

	spec_lag(spec, lag);
	json = json_pack("{s:s, s:o, s:i, s:i, s:s, s:I, s:f, s:o, s:i, s:f, s:I, s:s, s:I, s:s, s:s, s:s, s:s, s:s}",
			 "kernel",
			 spec->kernel->name, "params", spec_params(spec), "np", spec->np, "spares",
			 spec->spares, "policy", spec->policy, "interval",
			 (json_int_t)spec->interval, "deadline_s", spec->deadline_s, "plan",
			 spec_plan(spec), "node_size", spec->node_size, "mtbf_s", spec->mtbf_s,
			 "seed", (json_int_t)spec->seed, "replace", spec_replace(spec),
			 "duel", (json_int_t)spec->duel, "strategy", spec_strategy(spec), "ckpt",
			 spec->ckpt, "ckpt_lag", lag, "power", spec_power(spec), "meters",
			 metering_name(spec->meters));
	if (spec->hosts)
		json_object_set_new(json, "hosts", hosts_shape_json(spec->hosts));
	return json;
}

static void spec_path(const char *dir, char *out, size_t size)
{
	snprintf(out, size, "%s/spec.json", dir);
}

int spec_save(const struct run_spec *spec, const char *dir, struct rb_error *err)
{
	char path[SPEC_PATH + 16];
	json_t *json = spec_json(spec);
	int rc = RB_OK;

	spec_path(dir, path, sizeof path);
	if (json_dump_file(json, path, JSON_INDENT(2)) != 0)
		rc = rb_fail(err, RB_EIO, "%s: cannot be written", path);
	json_decref(json);
	return rc;
}

/* Only this program writes spec.json, so a mistake in it is ours: no kind words needed. */
static int from_json(struct run_spec *spec, json_t *json, struct rb_error *err)
{
	const char *kernel, *policy, *value, *replace, *strategy, *ckpt, *lag, *power, *meters;
	json_t *params, *plan, *text;
	json_int_t interval, seed, duel;
	double deadline, mtbf;
	int np, spares, node_size;
	size_t i;

	if (json_unpack(json, "{s:s, s:o, s:i, s:i, s:s, s:I, s:F, s:o, s:i, s:F, s:I, s:s, s:I, s:s, s:s, s:s, s:s, s:s}",
			"kernel", &kernel, "params", &params, "np", &np, "spares", &spares,
			"policy", &policy, "interval", &interval, "deadline_s", &deadline, "plan",
			&plan, "node_size", &node_size, "mtbf_s", &mtbf, "seed", &seed, "replace",
			&replace, "duel", &duel, "strategy", &strategy, "ckpt", &ckpt, "ckpt_lag",
			&lag, "power", &power, "meters", &meters) != 0 ||
	    !kernel_find(kernel))
		return rb_fail(err, RB_EINVAL, "spec.json: not a run of this version");
	spec_init(spec, kernel_find(kernel));
	spec->np = np;
	spec->spares = spares;
	spec->spares_given = true;
	spec->interval = interval;
	spec->deadline_s = deadline;
	spec->node_size = node_size;
	spec->duel = duel;
	spec->mtbf_s = mtbf;
	spec->seed = (uint64_t)seed;
	RB_TRY(spec_set_replace(spec, replace, err));
	RB_TRY(spec_set_strategy(spec, strategy, err));
	RB_TRY(spec_set_lag(spec, lag, err));
	RB_TRY(spec_set_power(spec, power, err));
	RB_TRY(spec_set_meters(spec, meters, err));
	snprintf(spec->ckpt, sizeof spec->ckpt, "%s", ckpt);
	snprintf(spec->policy, sizeof spec->policy, "%s", policy);
	for (i = 0; spec->kernel->options[i].name; i++) {
		value = json_string_value(json_object_get(params, spec->kernel->options[i].name));
		snprintf(spec->value[i], SPEC_TEXT, "%s", value ? value : "");
	}
	json_array_foreach(plan, i, text)
		RB_TRY(inject_parse(&spec->plan, json_string_value(text), np, err));
	return RB_OK;
}

int spec_from_record(struct run_spec *spec, const json_t *record, struct rb_error *err)
{
	const json_t *params = json_object_get(record, "params");
	const char *kernel = json_string_value(json_object_get(record, "kernel"));
	const char *policy = json_string_value(json_object_get(record, "policy"));
	const char *lag = json_string_value(json_object_get(record, "ckpt_lag"));
	struct kernel_plan plan;

	if (!kernel || !kernel_find(kernel) || !policy)
		return rb_fail(err, RB_EINVAL, "--record: not a record of this version");
	spec_init(spec, kernel_find(kernel));
	spec->np = (int)json_integer_value(json_object_get(record, "np"));
	spec->interval = json_integer_value(json_object_get(record, "interval"));
	if (lag)
		RB_TRY(spec_set_lag(spec, lag, err));
	spec->node_size = (int)json_integer_value(json_object_get(record, "node_size"));
	snprintf(spec->policy, sizeof spec->policy, "%s", policy);
	for (int i = 0; spec->kernel->options[i].name; i++) {
		const char *name = spec->kernel->options[i].name;
		const char *value = json_string_value(json_object_get(params, name));

		if (value)
			RB_TRY(spec_set_option(spec, name, value, err));
	}
	return spec_check(spec, &plan, err);
}

int spec_load(struct run_spec *spec, const char *dir, struct rb_error *err)
{
	char path[SPEC_PATH + 16];
	json_error_t why;
	json_t *json;
	int rc;

	spec_path(dir, path, sizeof path);
	json = json_load_file(path, 0, &why);
	if (!json)
		return rb_fail(err, RB_EIO, "%s:%d: %s", path, why.line, why.text);
	rc = from_json(spec, json, err);
	json_decref(json);
	return rc;
}
