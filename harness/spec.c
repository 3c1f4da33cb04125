#include "harness/spec.h"

#include "base/status.h"
#include "ft/policy.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { NP_MAX = 1 << 20 };

void spec_init(struct run_spec *spec, const struct kernel_ops *kernel)
{
	memset(spec, 0, sizeof *spec);
	spec->kernel = kernel;
	for (int i = 0; kernel->options[i].name; i++)
		snprintf(spec->value[i], SPEC_TEXT, "%s", kernel->options[i].value);
	spec->np = 4;
	spec->interval = 25;
	spec->deadline_s = 120;
	snprintf(spec->policy, sizeof spec->policy, "none");
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

int spec_check(struct run_spec *spec, struct kernel_plan *plan, struct rb_error *err)
{
	struct kernel_args args = spec_args(spec);

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
	if (!policy_find(spec->policy, err))
		return RB_EINVAL;
	memset(plan, 0, sizeof *plan);
	RB_TRY(spec->kernel->plan(&args, spec->np, plan, err));
	for (size_t k = 0; k < spec->plan.count; k++)
		if (spec->plan.kill[k].role >= spec->np)
			return rb_fail(err, RB_EINVAL, "--kill: role %d does not exist; with --np "
				       "%d the roles are 0..%d", spec->plan.kill[k].role, spec->np,
				       spec->np - 1);
	if (!spec->spares_given)
		spec->spares = (int)spec->plan.count;
	if (plan->in_place && (spec->plan.count > 0 || spec->spares > 0))
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

json_t *spec_json(const struct run_spec *spec)
{
	return json_pack("{s:s, s:o, s:i, s:i, s:s, s:I, s:f, s:o}", "kernel", spec->kernel->name,
			 "params", spec_params(spec), "np", spec->np, "spares", spec->spares,
			 "policy", spec->policy, "interval", (json_int_t)spec->interval,
			 "deadline_s", spec->deadline_s, "plan", spec_plan(spec));
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
	const char *kernel, *policy, *value;
	json_t *params, *plan, *text;
	json_int_t interval;
	double deadline;
	int np, spares;
	size_t i;

	if (json_unpack(json, "{s:s, s:o, s:i, s:i, s:s, s:I, s:F, s:o}", "kernel", &kernel, "params",
			&params, "np", &np, "spares", &spares, "policy", &policy, "interval",
			&interval, "deadline_s", &deadline, "plan", &plan) != 0 ||
	    !kernel_find(kernel))
		return rb_fail(err, RB_EINVAL, "spec.json: not a run of this version");
	spec_init(spec, kernel_find(kernel));
	spec->np = np;
	spec->spares = spares;
	spec->spares_given = true;
	spec->interval = interval;
	spec->deadline_s = deadline;
	snprintf(spec->policy, sizeof spec->policy, "%s", policy);
	for (i = 0; spec->kernel->options[i].name; i++) {
		value = json_string_value(json_object_get(params, spec->kernel->options[i].name));
		snprintf(spec->value[i], SPEC_TEXT, "%s", value ? value : "");
	}
	json_array_foreach(plan, i, text)
		RB_TRY(inject_parse(&spec->plan, json_string_value(text), np, err));
	return RB_OK;
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
