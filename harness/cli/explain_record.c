/* The recoveries of records, and their forecasts for where the failure found the roles. */
#include "base/build_json.h"
#include "base/json.h"
#include "base/status.h"
#include "harness/cli/explain.h"
#include "harness/store/results.h"

#include <string.h>
#include <sys/stat.h>

/* Forecasts need time for each iteration of each role. */
enum { COMPARED_ITERATIONS = 1000000 };

/* --- forecasts --- */

/* A record may be damaged: a number outside the run would lead outside of our arrays. */
static int check_failure(const struct run_spec *spec, const json_t *failure, struct rb_error *err)
{
	const json_t *fronts = json_object_get(failure, "fronts"), *front;
	json_int_t role = json_integer_value(json_object_get(failure, "role"));
	json_int_t checkpoint = json_integer_value(json_object_get(failure, "checkpoint"));
	bool sound = role >= 0 && role < spec->np && checkpoint >= 0;
	/* if one role is so far, all can be */
	const json_int_t most = COMPARED_ITERATIONS / spec->np;
	size_t i;

	json_array_foreach(fronts, i, front) {
		json_int_t at = json_integer_value(front);

		sound = sound && at >= 0 && at - checkpoint <= most;
	}
	if (sound)
		return RB_OK;
	return rb_fail(err, RB_EINVAL,
		       "a failure of role %" JSON_INTEGER_FORMAT
		       " with the checkpoint %" JSON_INTEGER_FORMAT
		       " and these fronts cannot be of that run: the file is damaged",
		       role, checkpoint);
}

static int check_failures(const struct run_spec *spec, const json_t *failures, struct rb_error *err)
{
	const json_t *failure;
	size_t i;

	if (spec->np > EXPLAIN_COMPARED_ROLES)
		return rb_fail(err, RB_EINVAL, "%d roles: more than %d are not compared", spec->np,
			       EXPLAIN_COMPARED_ROLES);
	json_array_foreach(failures, i, failure)
		RB_TRY(check_failure(spec, failure, err));
	return RB_OK;
}

/* The fronts at the failure are known here. false: the record lacks some of them. */
static bool case_of(struct explain_case *c, const json_t *failures, const json_t *failure, int np)
{
	/* the job was started again, with all of its roles */
	const bool all = strcmp(text_of(failure, "replaced_by"), "restart") == 0;
	const json_t *fronts = json_object_get(failure, "fronts"), *other;
	size_t i;

	c->checkpoint = json_integer_value(json_object_get(failure, "checkpoint"));
	c->recompute = spec_recompute_of(text_of(failure, "recompute"));
	for (int r = 0; r < np; r++) {
		const json_t *front = json_array_get(fronts, (size_t)r);

		if (!json_is_integer(front))
			return false;
		c->lo[r] = c->hi[r] = json_integer_value(front);
		c->dead[r] = all;
	}
	json_array_foreach(failures, i, other)
		if (json_equal(json_object_get(other, "epoch"), json_object_get(failure, "epoch")))
			c->dead[json_integer_value(json_object_get(other, "role"))] = true;
	return true;
}

/* A recovery beside its forecast, appended to the list. */
static int append(const struct run_spec *spec, const json_t *failures, json_t *failure,
		  struct explain_case *c, json_t *list, struct rb_error *err)
{
	json_t *forecast = NULL, *agrees;

	if (case_of(c, failures, failure, spec->np))
		RB_TRY(explain_forecast(spec, c, &forecast, err));
	agrees = forecast ? json_boolean(explain_agrees(failure, forecast)) : json_null();
	json_array_append_new(list, json_pack("{s:O?, s:O?, s:O?, s:o, s:o?}", "role",
					      json_object_get(failure, "role"), "iteration",
					      json_object_get(failure, "iteration"), "fronts",
					      json_object_get(failure, "fronts"), "agrees", agrees,
					      "forecast", forecast));
	return RB_OK;
}

/* All recoveries of a record, appended to the list. */
static int explain_record(json_t *record, json_t *list, struct rb_error *err)
{
	const json_t *failures = json_object_get(record, "failures");
	struct explain_case c = { .checkpoint = 0 };
	struct run_spec spec;
	json_t *failure;
	size_t i;
	int rc;

	RB_TRY(spec_from_record(&spec, record, err));
	RB_TRY(check_failures(&spec, failures, err));
	rc = explain_case_init(&c, spec.np, err);
	json_array_foreach(failures, i, failure)
		if (rc == RB_OK)
			rc = append(&spec, failures, failure, &c, list, err);
	explain_case_free(&c);
	return rc;
}

/* --- the records at a path --- */

enum answer { AGREES, DIFFERS, UNKNOWN, ANSWERS };

static enum answer answer_of(const json_t *recovery)
{
	const json_t *agrees = json_object_get(recovery, "agrees");

	return json_is_true(agrees) ? AGREES : json_is_false(agrees) ? DIFFERS : UNKNOWN;
}

struct visit {
	json_t *records;
	bool one; /* a file: it is compared, or refused, where of a folder one is left out */
	int count[ANSWERS], left_out;
};

/* Of a folder, the runs whose recoveries say nothing: these are judged elsewhere. NULL: none of
 * them. */
static const char *no_sample(const json_t *record)
{
	if (json_object_get(record, "control"))
		return "a negative control";
	return strcmp(text_of(record, "status"), "ok") == 0 ? NULL : "its status is not ok";
}

static void leave_out(struct visit *v, const char *id, const char *why)
{
	v->left_out++;
	json_array_append_new(v->records, json_pack("{s:o, s:o}", "id", text_json(id), "left_out",
						    text_json(why)));
}

static void enter(struct visit *v, const char *id, json_t *recoveries)
{
	const json_t *recovery;
	size_t i;

	json_array_foreach(recoveries, i, recovery)
		v->count[answer_of(recovery)]++;
	json_array_append_new(
		v->records, json_pack("{s:o, s:O}", "id", text_json(id), "recoveries", recoveries));
}

static int visit_record(void *ctx, const char *id, json_t *record, const char *why,
			struct rb_error *err)
{
	struct visit *v = ctx;
	json_t *recoveries = json_array();
	struct rb_error refused;
	int rc = RB_EINVAL;

	if (record && !v->one)
		why = no_sample(record);
	if (record && !why)
		rc = explain_record(record, recoveries, &refused);
	else
		rb_fail(&refused, rc, "%s", why);
	if (rc == RB_OK)
		enter(v, id, recoveries);
	else if (!v->one && rc != RB_ENOMEM)
		leave_out(v, id, refused.text);
	json_decref(recoveries);
	if (rc != RB_OK && (v->one || rc == RB_ENOMEM))
		return rb_fail(err, rc, "--record %.200s: %.400s", id, refused.text);
	return RB_OK;
}

int explain_records(const char *path, json_t **explained, struct rb_error *err)
{
	struct stat about;
	struct visit v = { .records = json_array(),
			   .one = stat(path, &about) == 0 && !S_ISDIR(about.st_mode) };
	int rc = results_each("--record", path, visit_record, &v, err);

	if (rc != RB_OK) {
		json_decref(v.records);
		return rc;
	}
	*explained = json_pack("{s:s, s:o, s:o, s:b, s:i, s:i, s:i, s:i, s:o}", "schema",
			       "rollbench-explained-1", "rollbench", build_json(), "path",
			       text_json(path), "folder", !v.one, "agree", v.count[AGREES],
			       "differ", v.count[DIFFERS], "unknown", v.count[UNKNOWN], "left_out",
			       v.left_out, "records", v.records);
	return *explained ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");
}

bool explain_records_agree(const json_t *explained)
{
	return integer_of(explained, "differ", 0) == 0 &&
	       (integer_of(explained, "agree", 0) > 0 ||
		!json_is_true(json_object_get(explained, "folder")));
}

/* --- what is printed --- */

/* A number, or what a damaged record has in its place. */
static void say_recorded(const char *before, const json_t *value)
{
	printf("%s", before);
	if (!value || json_is_null(value))
		printf("unknown");
	else
		json_dumpf(value, stdout, JSON_ENCODE_ANY);
}

static void say_recovery(const json_t *recovery)
{
	static const char *const words[] = {
		"agrees", "DIFFERS", "cannot be compared: a role died before it noted where it was"
	};
	const enum answer answer = answer_of(recovery);

	say_recorded("role ", json_object_get(recovery, "role"));
	say_recorded(" in iteration ", json_object_get(recovery, "iteration"));
	printf(": %s\n", words[answer]);
	if (answer == DIFFERS)
		explain_say(json_object_get(recovery, "forecast"));
}

static void say_file(const json_t *record)
{
	const json_t *recoveries = json_object_get(record, "recoveries"), *recovery;
	size_t i;

	json_array_foreach(recoveries, i, recovery)
		say_recovery(recovery);
	if (json_array_size(recoveries) == 0)
		printf("no failure is recorded\n");
}

/* What differs in a record of a folder. */
static void say_differing(const json_t *record)
{
	const json_t *recovery;
	size_t i;

	json_array_foreach(json_object_get(record, "recoveries"), i, recovery)
		if (answer_of(recovery) == DIFFERS) {
			printf("%s: ", text_of(record, "id"));
			say_recovery(recovery);
		}
}

static void say_count(size_t count, const char *of)
{
	if (count > 0)
		printf("%8zu %s\n", count, of);
}

static void say_folder(const json_t *explained, const json_t *records)
{
	json_t *left_out = json_object();
	const json_t *record;
	size_t i, without = 0;

	json_array_foreach(records, i, record) {
		const json_t *recoveries = json_object_get(record, "recoveries");

		if (!recoveries)
			count_in(left_out, text_of(record, "left_out"));
		without += recoveries && json_array_size(recoveries) == 0;
		say_differing(record);
	}
	printf("%zu records of %s\n", json_array_size(records), text_of(explained, "path"));
	printf("%8lld recoveries agree with their forecast\n%8lld differ\n",
	       (long long)integer_of(explained, "agree", 0),
	       (long long)integer_of(explained, "differ", 0));
	say_count((size_t)integer_of(explained, "unknown", 0),
		  "cannot be compared: a role died before it noted where it was");
	say_count(without, "records have no failure");
	say_counts(left_out, 8, "left out: ", stdout);
	json_decref(left_out);
}

void explain_records_say(const json_t *explained)
{
	const json_t *records = json_object_get(explained, "records");

	if (json_is_true(json_object_get(explained, "folder")))
		say_folder(explained, records);
	else
		say_file(json_array_get(records, 0));
}

void explain_records_warn(const json_t *explained)
{
	const char *path = text_of(explained, "path");
	const long long left_out = (long long)integer_of(explained, "left_out", 0);
	const json_t *record, *recovery;
	size_t i, k;

	json_array_foreach(json_object_get(explained, "records"), i, record)
		json_array_foreach(json_object_get(record, "recoveries"), k, recovery)
			if (answer_of(recovery) == DIFFERS)
				fprintf(stderr,
					"rollbench explain: %s: the recovery of role %lld differs\n",
					text_of(record, "id"),
					(long long)integer_of(recovery, "role", -1));
	if (left_out > 0)
		fprintf(stderr, "rollbench explain: --record %s: records left out: %lld\n", path,
			left_out);
	if (integer_of(explained, "differ", 0) == 0 && !explain_records_agree(explained))
		fprintf(stderr, "rollbench explain: --record %s: nothing was compared\n", path);
}
