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
	{ "record", "PATH", "a record, or a folder of records", OPTION_STRING, AT(record) },
	{ "json", NULL, "print JSON", OPTION_FLAG, AT(json) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench explain KERNEL|PROFILE [OPTION ...]\n"
		"       rollbench explain --record PATH\n"
		"\n"
		"Print which roles will roll back, replay and wait, without running anything. The policy\n"
		"and the log of a run are applied to the messages that the roles would send. A survivor may be in\n"
		"one of two iterations when the failure is noticed; what depends on that is printed as 'perhaps'.\n"
		"With --recompute dataflow, print also which roles will recompute iterations on duplicates, how far they\n"
		"are from a restarted role, and how many iterations that is, beside those of rollback and of full\n"
		"logging. All survivors are then assumed to be in the iteration of the failure.\n"
		"With --record, compare each recovery of a recorded run with the forecast for the iterations in which\n"
		"the failure found the roles. Of a folder (the results of a sweep, or records), count those that agree; runs\n"
		"that are not ok, and negative controls, are left out there. Exit status 1: one differs, or nothing in the\n"
		"folder was compared.\n"
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
		rc = explain_forecast(spec, &c, out, err);
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

static void say_json(const json_t *json)
{
	json_dumpf(json, stdout, JSON_INDENT(2));
	printf("\n");
}

static int explain_one(struct run_spec *spec, bool as_json, struct rb_error *err)
{
	json_t *forecast;

	RB_TRY(explain_run(spec, &forecast, err));
	if (as_json) {
		say_json(forecast);
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

/* Returns the exit status, or a negative status: nothing was printed then. */
static int compare(const char *path, bool as_json, struct rb_error *err)
{
	json_t *explained;
	int rc;

	RB_TRY(explain_records(path, &explained, err));
	rc = explain_records_agree(explained) ? 0 : 1;
	if (as_json)
		say_json(explained);
	else
		explain_records_say(explained);
	explain_records_warn(explained);
	json_decref(explained);
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
		rc = compare(r.record, r.json, &err);
	else if (rc == RB_OK)
		rc = explain_one(&spec, r.json, &err);
	return rc < 0 ? refused_status("explain", &err) : rc;
}
