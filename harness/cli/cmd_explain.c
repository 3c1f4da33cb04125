#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/cli/explain.h"
#include "harness/spec/command.h"

#include <inttypes.h>
#include <string.h>

struct request {
	const char *record;
	bool json;
};

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "record", "FILE", "a record of `rollbench run`; exit status 1 if it differs", OPTION_STRING,
	  AT(record) },
	{ "json", NULL, "print JSON", OPTION_FLAG, AT(json) },
	{ .name = NULL },
};

static const struct command command = {
	.usage = "usage: rollbench explain KERNEL [OPTION ...]\n"
		 "       rollbench explain --record FILE\n"
		 "\n"
		 "Print who will roll back, who will replay and who will wait, without running anything. The policy\n"
		 "and the log of a run are applied to the messages that the roles would send. A survivor may be in\n"
		 "one of two iterations when the failure is noticed; what depends on that is printed as 'perhaps'.\n"
		 "With --record, compare each recovery of a recorded run with its forecast.\n"
		 "\n",
	.options = FOR_PLAN,
	.kernel = true,
	.own = own,
	.notes = "\n"
		 "All --kill options are taken as one failure at one time. A checkpoint is assumed to count at\n"
		 "once, or N iterations later with --ckpt-lag N. In a run with the default, async, a failure may find\n"
		 "that the newest checkpoint does not count yet, and then roles go back to the one before.\n",
};

static const struct command of_record = { .usage = "", .own = own };

static void say_set(const json_t *explained, const char *key, const char *word)
{
	const json_t *set = json_object_get(explained, key), *role;
	size_t i;

	if (json_array_size(set) == 0 && strncmp(word, "perhaps", 7) == 0)
		return;
	printf("  %-18s %3zu:", word, json_array_size(set));
	json_array_foreach(set, i, role)
		printf(" %" JSON_INTEGER_FORMAT, json_integer_value(role));
	printf("\n");
}

static void say(const struct forecast *f, const json_t *explained)
{
	int64_t peak = 0;

	for (int r = 0; r < f->np; r++)
		peak = f->log_peak[r] > peak ? f->log_peak[r] : peak;
	printf("back to iteration %" PRId64 "\n", f->checkpoint);
	say_set(explained, "restarted", "restarted");
	say_set(explained, "perhaps_restarted", "perhaps restarted");
	say_set(explained, "active", "active");
	say_set(explained, "perhaps_active", "perhaps active");
	say_set(explained, "blocked", "blocked");
	if (f->chain_least == f->chain_most)
		printf("  rollback chain     %3d\n", f->chain_least);
	else
		printf("  rollback chain     %3d to %d\n", f->chain_least, f->chain_most);
	printf("  largest log        %" PRId64 " bytes of payload in one role\n", peak);
}

static int explain_one(const struct run_spec *spec, const struct kernel_plan *plan, bool as_json,
		       struct rb_error *err)
{
	struct explain_case c;
	struct forecast f;
	json_t *json;
	int rc;

	RB_TRY(explain_case_init(&c, spec->np, err));
	rc = explain_plan(&c, spec, plan, err);
	if (rc == RB_OK)
		rc = explain_forecast(&f, spec, &c, err);
	explain_case_free(&c);
	if (rc != RB_OK)
		return rc;
	json = explain_json(&f);
	if (as_json) {
		json_dumpf(json, stdout, JSON_INDENT(2));
		printf("\n");
	} else {
		say(&f, json);
	}
	json_decref(json);
	forecast_free(&f);
	return RB_OK;
}

/* The recorded set must hold all that was certain and nothing that was impossible. */
static bool agrees(const json_t *observed, const enum forecast_answer *answers, int np)
{
	for (int r = 0; r < np; r++) {
		const json_t *role;
		bool there = false;
		size_t i;

		json_array_foreach(observed, i, role)
			there = there || json_integer_value(role) == r;
		if (there ? answers[r] == FORECAST_NO : answers[r] == FORECAST_YES)
			return false;
	}
	return true;
}

/* Forecasts need memory for each pair of roles, and time for each iteration of each. */
enum { COMPARED_ROLES = 16384, COMPARED_ITERATIONS = 1000000 };

/* A record may be damaged: a number outside the run would lead outside of our arrays. */
static int check_failure(const struct run_spec *spec, const json_t *failure, struct rb_error *err)
{
	const json_t *fronts = json_object_get(failure, "fronts"), *front;
	json_int_t role = json_integer_value(json_object_get(failure, "role"));
	json_int_t checkpoint = json_integer_value(json_object_get(failure, "checkpoint"));
	bool sound = role >= 0 && role < spec->np && checkpoint >= 0;
	json_int_t left = COMPARED_ITERATIONS;
	size_t i;

	json_array_foreach(fronts, i, front) {
		json_int_t at = json_integer_value(front);

		sound = sound && at >= 0 && (at <= checkpoint || at - checkpoint < left);
		left -= sound && at > checkpoint ? at - checkpoint : 0;
	}
	if (sound)
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "--record: a failure of role %" JSON_INTEGER_FORMAT " with the checkpoint %"
		       JSON_INTEGER_FORMAT " and these fronts cannot be of that run: the file is damaged",
		       role, checkpoint);
}

static int check_failures(const struct run_spec *spec, const json_t *failures, struct rb_error *err)
{
	const json_t *failure;
	size_t i;

	if (spec->np > COMPARED_ROLES)
		return rb_fail(err, RB_EINVAL, "--record: %d roles: more than %d are not compared", spec->np,
			       COMPARED_ROLES);
	json_array_foreach(failures, i, failure)
		RB_TRY(check_failure(spec, failure, err));
	return RB_OK;
}

/* The fronts at the failure are known here. false: the record lacks some of them. */
static bool case_of(struct explain_case *c, const json_t *failures, const json_t *failure, int np)
{
	const json_t *fronts = json_object_get(failure, "fronts"), *other;
	size_t i;

	c->checkpoint = json_integer_value(json_object_get(failure, "checkpoint"));
	for (int r = 0; r < np; r++) {
		const json_t *front = json_array_get(fronts, (size_t)r);

		if (!json_is_integer(front))
			return false;
		c->lo[r] = c->hi[r] = json_integer_value(front);
		c->dead[r] = false;
	}
	json_array_foreach(failures, i, other)
		if (json_equal(json_object_get(other, "epoch"), json_object_get(failure, "epoch")))
			c->dead[json_integer_value(json_object_get(other, "role"))] = true;
	return true;
}

/* RB_OK: agrees (or cannot be told); RB_LOST: differs. */
static int compare(const struct run_spec *spec, const json_t *failures, const json_t *failure,
		   struct explain_case *c, struct rb_error *err)
{
	struct forecast f;
	bool same;

	printf("role %" JSON_INTEGER_FORMAT " in iteration %" JSON_INTEGER_FORMAT ": ",
	       json_integer_value(json_object_get(failure, "role")),
	       json_integer_value(json_object_get(failure, "iteration")));
	if (!case_of(c, failures, failure, spec->np)) {
		printf("cannot be compared: a role died before it noted where it was\n");
		return RB_OK;
	}
	RB_TRY(explain_forecast(&f, spec, c, err));
	same = agrees(json_object_get(failure, "rollback_set"), f.rolled, spec->np) &&
	       agrees(json_object_get(failure, "active"), f.active, spec->np);
	printf("%s\n", same ? "agrees" : "DIFFERS");
	if (!same) {
		json_t *json = explain_json(&f);

		say(&f, json);
		json_decref(json);
	}
	forecast_free(&f);
	return same ? RB_OK : RB_LOST;
}

static int compare_record(const char *path, struct rb_error *err)
{
	json_t *record = json_load_file(path, 0, NULL), *failures, *failure;
	struct explain_case c = { 0, NULL, NULL, NULL };
	struct run_spec spec;
	int rc, result = RB_OK;
	size_t i;

	if (!record)
		return rb_fail(err, RB_EINVAL, "--record %s: cannot be read as JSON", path);
	failures = json_object_get(record, "failures");
	rc = spec_from_record(&spec, record, err);
	if (rc == RB_OK)
		rc = check_failures(&spec, failures, err);
	if (rc == RB_OK)
		rc = explain_case_init(&c, spec.np, err);
	if (rc == RB_OK && json_array_size(failures) == 0)
		printf("no failure is recorded\n");
	json_array_foreach(failures, i, failure) {
		if (rc < 0)
			break;
		rc = compare(&spec, failures, failure, &c, err);
		result = rc == RB_LOST ? rc : result;
	}
	explain_case_free(&c);
	json_decref(record);
	return rc < 0 ? rc : result;
}

int cmd_explain(int argc, char **argv)
{
	bool from_record = argc > 1 && strncmp(argv[1], "--record", 8) == 0 && !command_help_asked(argc, argv);
	struct request r = { .record = NULL };
	struct kernel_plan plan;
	struct run_spec spec;
	struct rb_error err;
	int rc = command_parse(from_record ? &of_record : &command, argc, argv, &spec, &r, &err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK && r.record)
		rc = compare_record(r.record, &err);
	else if (rc == RB_OK && (rc = spec_check(&spec, &plan, &err)) == RB_OK)
		rc = explain_one(&spec, &plan, r.json, &err);
	if (rc < 0)
		return refused_status("explain", &err);
	return rc == RB_LOST ? STATUS_WRONG : 0;
}
