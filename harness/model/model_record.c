#include "harness/model/model_record.h"

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static int add(struct model_samples *s, double value)
{
	double *more = realloc(s->value, (s->count + 1) * sizeof *more);

	if (!more)
		return RB_ENOMEM;
	s->value = more;
	s->value[s->count++] = value;
	return RB_OK;
}

static int from(struct model_samples *s, const char *path)
{
	s->records++;
	snprintf(s->from, sizeof s->from, "%s", path);
	return RB_OK;
}

/* A reason is no failure. */
static int none(struct model_samples *s, const char *reason)
{
	snprintf(s->why_not, sizeof s->why_not, "%s", reason);
	return RB_OK;
}

static int add_lambda(struct model_samples *s, const json_t *record, const char *path)
{
	const json_t *duel = json_object_get(record, "duel");
	const json_t *with = json_object_get(duel, "protected_s"), *protected;
	const json_t *without = json_object_get(duel, "bare_s");
	const char *policy = json_string_value(json_object_get(record, "policy"));
	size_t before = s->count, i;

	if (!json_is_object(duel))
		return none(s, "no record of a duel (run --duel N)");
	if (!policy || strcmp(policy, "all") != 0)
		return none(s, "the duel's policy is not `all`, so it did not log all messages");
	json_array_foreach(with, i, protected) {
		double a = json_number_value(protected), b = json_number_value(json_array_get(without, i));

		if (a > 0 && b > 0)
			RB_TRY(add(s, b / a));
	}
	if (s->count == before)
		return none(s, "the duel has no pair of blocks");
	return from(s, path);
}

/* Whether all of these were measured. */
static bool timed(const json_t *failure)
{
	return json_is_number(json_object_get(failure, "resume_s")) &&
	       json_is_number(json_object_get(failure, "restore_s")) &&
	       number(failure, "catchup_s") > 0;
}

static int add_mu(struct model_samples *s, const json_t *record, const char *path)
{
	const json_t *failures = json_object_get(record, "failures");
	const json_t *failure = json_array_get(failures, 0);
	double back, rest, normal;

	if (json_array_size(failures) != 1)
		return none(s, json_array_size(failures) ? "more than one failure in a record" :
							   "no record of a failure");
	if (json_array_size(json_object_get(failure, "rollback_set")) != 1)
		return none(s, "more roles than the dead one rolled back, so the recovery was not local");
	back = number(failure, "iteration") - number(failure, "checkpoint");
	if (!timed(failure) || back < 1)
		return none(s, "nobody had to catch up, or its time is not in the record");
	rest = number(record, "loop_s") - number(failure, "resume_s") - number(failure, "restore_s") -
	       number(failure, "catchup_s") -
	       number(json_object_get(record, "checkpoints"), "seconds_max");
	normal = rest / (number(json_object_get(record, "iterations"), "useful") / number(record, "np"));
	if (!(normal > 0))
		return none(s, "the run is all recovery, so an iteration's normal time is unknown");
	RB_TRY(add(s, normal / (number(failure, "catchup_s") / back)));
	return from(s, path);
}

static double watts(const json_t *used, const char *phase)
{
	const json_t *spent = json_object_get(used, phase);
	double wall = number(spent, "wall_s");

	return json_is_number(json_object_get(spent, "package_j")) && wall > 0 ?
		       number(spent, "package_j") / wall : -1;
}

static int add_c(struct model_samples *s, const json_t *record, const char *path)
{
	const char *reason = json_string_value(json_object_get(json_object_get(record, "energy"), "reason"));
	const json_t *role;
	size_t before = s->count, i;

	json_array_foreach(json_object_get(record, "roles"), i, role) {
		const json_t *used = json_object_get(role, "used");
		double waiting = watts(used, "blocked"), computing = watts(used, "step");

		if (waiting > 0 && computing > 0)
			RB_TRY(add(s, waiting / computing));
	}
	if (s->count > before)
		return from(s, path);
	return none(s, reason ? reason : "no role that reads a package's energy waited at the front "
		    "(run --power sleep, or dvfs, cm)");
}

/* Medians over different problems would mean nothing. */
static int same_problem(struct model_records *r, const json_t *record, const char *path,
			struct rb_error *err)
{
	const char *kernel = json_string_value(json_object_get(record, "kernel"));
	json_int_t np = json_integer_value(json_object_get(record, "np"));

	if (!kernel || np < 1)
		return rb_fail(err, RB_EINVAL, "--record %s: names no kernel or roles", path);
	if (!r->kernel[0]) {
		snprintf(r->kernel, sizeof r->kernel, "%s", kernel);
		r->np = np;
	}
	if (strcmp(kernel, r->kernel) != 0 || np != r->np)
		return rb_fail(err, RB_EINVAL, "--record %s: %s on %" JSON_INTEGER_FORMAT " roles, but a "
			       "record before it has %s on %" JSON_INTEGER_FORMAT, path, kernel, np,
			       r->kernel, r->np);
	return RB_OK;
}

static int add_record(struct model_records *r, const json_t *record, const char *path,
		      struct rb_error *err)
{
	const char *schema = json_string_value(json_object_get(record, "schema"));
	const char *status = json_string_value(json_object_get(record, "status"));

	if (!schema || strcmp(schema, "rollbench-run-1") != 0)
		return rb_fail(err, RB_EINVAL, "--record %s: no record of `rollbench run`", path);
	if (!status || strcmp(status, "ok") != 0)
		return rb_fail(err, RB_EINVAL, "--record %s: that run was not ok but %s", path,
			       status ? status : "without a status");
	RB_TRY(same_problem(r, record, path, err));
	if (add_lambda(&r->lambda, record, path) != RB_OK || add_mu(&r->mu, record, path) != RB_OK ||
	    add_c(&r->c, record, path) != RB_OK)
		return rb_fail(err, RB_ENOMEM, "--record %s: out of memory", path);
	return RB_OK;
}

int model_record_add(struct model_records *r, const char *path, struct rb_error *err)
{
	json_t *record = json_load_file(path, 0, NULL);
	int rc;

	if (!record)
		return rb_fail(err, RB_EINVAL, "--record %s: cannot be read as JSON", path);
	rc = add_record(r, record, path, err);
	json_decref(record);
	return rc;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double model_samples_median(struct model_samples *s)
{
	size_t half = s->count / 2;

	qsort(s->value, s->count, sizeof *s->value, ascending);
	return s->count % 2 ? s->value[half] : (s->value[half - 1] + s->value[half]) / 2;
}

void model_records_free(struct model_records *r)
{
	free(r->lambda.value);
	free(r->mu.value);
	free(r->c.value);
}
