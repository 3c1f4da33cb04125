#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/cli/explain.h"
#include "harness/options/command.h"

#include <string.h>

struct request {
	const char *record;
	bool json;
};

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "record", "FILE", "a record of `rollbench run`; exit status 1 if it differs",
	  OPTION_STRING, AT(record) },
	{ "json", NULL, "print JSON", OPTION_FLAG, AT(json) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench explain KERNEL|PROFILE [OPTION ...]\n"
		"       rollbench explain --record FILE\n"
		"\n"
		"Print which roles will roll back, replay and wait, without running anything. The policy\n"
		"and the log of a run are applied to the messages that the roles would send. A survivor may be in\n"
		"one of two iterations when the failure is noticed; what depends on that is printed as 'perhaps'.\n"
		"With --recompute dataflow, print also which roles will recompute iterations on duplicates, how far they\n"
		"are from a restarted role, and how many iterations that is, beside those of rollback and of full\n"
		"logging. All survivors are then assumed to be in the iteration of the failure.\n"
		"With --record, compare each recovery of a recorded run with its forecast.\n"
		"A PROFILE, FILE.csv or FILE.csv.gz of `rollbench profile`, stands for a kernel; its option --iterations\n"
		"says how it is divided into iterations (docs/profile.md).\n"
		"\n",
	.options = FOR_PLAN,
	.kernel = true,
	.profiles = true,
	.own = own,
	.notes =
		"\n"
		"All --kill options are taken as one failure at one time. A checkpoint is assumed to count at\n"
		"once, or N iterations later with --ckpt-lag N. In a run with the default, async, a failure may find\n"
		"that the newest checkpoint does not count yet, and then roles go back to the one before.\n",
};

static const struct command of_record = { .usage = "", .own = own };

/* The forecast for one moment, as JSON, is put into *out. */
static int forecast_of(const struct run_spec *spec, const struct explain_case *c, json_t **out,
		       struct rb_error *err)
{
	struct forecast f;

	RB_TRY(explain_forecast(&f, spec, c, err));
	*out = explain_json(&f, c->recompute);
	forecast_free(&f);
	return RB_OK;
}

/* The forecast of a plan, with what the kernel's plan says of its data. */
static int explain_run(struct run_spec *spec, json_t **out, struct rb_error *err)
{
	struct kernel_plan plan;
	struct explain_case c;
	int rc;

	RB_TRY(spec_check(spec, &plan, err));
	RB_TRY(explain_case_init(&c, spec->np, err));
	rc = explain_plan(&c, spec, &plan, err);
	if (rc == RB_OK)
		rc = forecast_of(spec, &c, out, err);
	explain_case_free(&c);
	if (rc != RB_OK)
		return rc;
	if (ft_is_dataflow(spec->recompute))
		json_object_set_new(*out, "layout", json_string(plan.layout));
	/* a profile knows nothing of the program's data */
	json_object_set_new(*out, "data_bytes",
			    plan.bytes_per_role > 0 ? json_integer((json_int_t)plan.bytes_per_role)
						    : json_null());
	return RB_OK;
}

static int explain_one(struct run_spec *spec, bool as_json, struct rb_error *err)
{
	json_t *forecast;

	RB_TRY(explain_run(spec, &forecast, err));
	if (as_json) {
		json_dumpf(forecast, stdout, JSON_INDENT(2));
		printf("\n");
	} else {
		explain_say(forecast);
	}
	json_decref(forecast);
	return RB_OK;
}

int explain_answer(int argc, char **argv, json_t **answer, struct rb_error *err)
{
	struct request r = { .record = NULL };
	struct run_spec spec;

	RB_TRY(command_parse(&command, argc, argv, &spec, &r, err));
	return explain_run(&spec, answer, err);
}

/* Forecasts need time for each iteration of each role. */
enum { COMPARED_ITERATIONS = 1000000 };

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
		       "--record: a failure of role %" JSON_INTEGER_FORMAT
		       " with the checkpoint %" JSON_INTEGER_FORMAT
		       " and these fronts cannot be of that run: the file is damaged",
		       role, checkpoint);
}

static int check_failures(const struct run_spec *spec, const json_t *failures, struct rb_error *err)
{
	const json_t *failure;
	size_t i;

	if (spec->np > EXPLAIN_COMPARED_ROLES)
		return rb_fail(err, RB_EINVAL, "--record: %d roles: more than %d are not compared",
			       spec->np, EXPLAIN_COMPARED_ROLES);
	json_array_foreach(failures, i, failure)
		RB_TRY(check_failure(spec, failure, err));
	return RB_OK;
}

/* The fronts at the failure are known here. false: the record lacks some of them. */
static bool case_of(struct explain_case *c, const json_t *failures, const json_t *failure, int np)
{
	const char *recompute = json_string_value(json_object_get(failure, "recompute"));
	const json_t *fronts = json_object_get(failure, "fronts"), *other;
	size_t i;

	c->checkpoint = json_integer_value(json_object_get(failure, "checkpoint"));
	c->recompute = FT_ROLLBACK;
	for (int how = FT_DATAFLOW; recompute && spec_recompute(how); how++)
		if (strcmp(recompute, spec_recompute(how)) == 0)
			c->recompute = (enum ft_recompute)how;
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

/* null is appended if the forecast cannot be made of what was recorded. */
static int append_forecast(const struct run_spec *spec, const json_t *failures,
			   const json_t *failure, struct explain_case *c, json_t *list,
			   struct rb_error *err)
{
	json_t *forecast = NULL;

	if (case_of(c, failures, failure, spec->np))
		RB_TRY(forecast_of(spec, c, &forecast, err));
	json_array_append_new(list, forecast ? forecast : json_null());
	return RB_OK;
}

/* Returns the exit status. */
static int compare_all(const json_t *failures, const json_t *forecasts)
{
	const json_t *failure;
	bool same = true;
	size_t i;

	if (json_array_size(failures) == 0)
		printf("no failure is recorded\n");
	json_array_foreach(failures, i, failure)
		same = explain_compare(failure, json_array_get(forecasts, i)) && same;
	return same ? 0 : 1;
}

/* An exit status, or a negative status: nothing was printed then. */
static int compare_record(const char *path, struct rb_error *err)
{
	json_t *record = json_load_file(path, 0, NULL), *failures, *failure, *forecasts;
	struct explain_case c = { .checkpoint = 0 };
	struct run_spec spec;
	size_t i;
	int rc;

	if (!record)
		return rb_fail(err, RB_EINVAL, "--record %s: cannot be read as JSON", path);
	failures = json_object_get(record, "failures");
	forecasts = json_array();
	rc = spec_from_record(&spec, record, err);
	if (rc == RB_OK)
		rc = check_failures(&spec, failures, err);
	if (rc == RB_OK)
		rc = explain_case_init(&c, spec.np, err);
	json_array_foreach(failures, i, failure)
		if (rc == RB_OK)
			rc = append_forecast(&spec, failures, failure, &c, forecasts, err);
	if (rc == RB_OK)
		rc = compare_all(failures, forecasts);
	explain_case_free(&c);
	json_decref(forecasts);
	json_decref(record);
	return rc;
}

int cmd_explain(int argc, char **argv)
{
	bool from_record =
		argc > 1 && strncmp(argv[1], "--record", 8) == 0 && !command_help_asked(argc, argv);
	struct request r = { .record = NULL };
	struct run_spec spec;
	struct rb_error err;
	int rc = command_parse(from_record ? &of_record : &command, argc, argv, &spec, &r, &err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK && r.record)
		rc = compare_record(r.record, &err);
	else if (rc == RB_OK)
		rc = explain_one(&spec, r.json, &err);
	return rc < 0 ? refused_status("explain", &err) : rc;
}
