#include "base/status.h"
#include "ft/levels.h"
#include "harness/cli/commands.h"
#include "harness/elc/elc_run.h"
#include "harness/job/launch.h"
#include "harness/options/command.h"
#include "harness/record/power_model.h"
#include "harness/watts/watts.h"

#include <stdlib.h>
#include <string.h>

struct request {
	const char *json, *workdir, *profile, *source;
	double min_w;
	struct power_model *model; /* NULL: none */
	struct watts *watts;       /* NULL: none */
	bool keep, quiet, summary;
};

#define AT(member) .at = offsetof(struct request, member)

/* elc_asked() has found no such option. */
static int no_elc(void *request, const char *text, struct rb_error *err)
{
	(void)request;
	return rb_fail(err, RB_EINVAL,
		       "--protocol %.60s: unexpected; see rollbench run gauss_jordan --help", text);
}

static const struct option own[] = {
	{ "protocol", "PROTOCOL",
	  "run a kernel, or a program of elc/programs, as a plain MPI program under event-logging "
	  "checkpoints, with other options: `rollbench run gauss_jordan --help`",
	  OPTION_OWN, .set = no_elc },
	{ "power-model", "F",
	  "a profile (docs/energy.md): the record also has its energy as modelled from CPU time",
	  OPTION_STRING, AT(profile) },
	{ "watts", "SOURCE",
	  "readings of wattmeters as lines of time,node,watts (docs/energy.md): from a file, or "
	  "with cmd:COMMAND from a command that runs beside the run",
	  OPTION_STRING, AT(source) },
	{ "watts-min", "W", "drop readings of less than W watts; the record says how many",
	  OPTION_AMOUNT, AT(min_w) },
	{ "json", "FILE", "write the record to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ "workdir", "DIR",
	  "where the run folder is made (default $TMPDIR or /tmp); all hosts must see it",
	  OPTION_STRING, AT(workdir) },
	{ "keep", NULL,
	  "keep the run folder: ledgers, checkpoints, mpirun.log; also if the run is interrupted, "
	  "for `rollbench resume`",
	  OPTION_FLAG, AT(keep) },
	{ "quiet", NULL, "say nothing but errors", OPTION_FLAG, AT(quiet) },
	{ "summary", NULL,
	  "at the end print figures of merit, also with --quiet: lines `name: value unit` "
	  "(docs/setup.md)",
	  OPTION_FLAG, AT(summary) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench run KERNEL [OPTION ...]\n"
		"       rollbench run PROGRAM --protocol PROTOCOL [OPTION ...]\n"
		"\n"
		"Run a kernel once, kill what the plan says, recover, verify, and write one record.\n"
		"\n",
	.options = FOR_PLAN | FOR_RUN,
	.kernel = true,
	.own = own,
	.notes =
		"\n"
		"exit status: 0 ok, 1 wrong, 2 usage, 3 hang, 4 abort, 5 out of spares\n"
		"environment: ROLLBENCH_MPIRUN (path of mpirun), ROLLBENCH_MPIRUN_ARGS (added to it)\n",
};

/* Was mpirun killed in a run whose checkpoints are in files? */
static bool is_cut(const struct run_spec *spec, const struct launch *launch, enum run_status status)
{
	struct levels levels;
	struct rb_error err;

	return status == STATUS_ABORT && launch->end == LAUNCH_CUT && !launch->unstarted &&
	       levels_parse(&levels, spec->ckpt, &err) == RB_OK && levels.file;
}

static void leave(struct launch *launch)
{
	launch_leave(launch);
	fprintf(stderr, "rollbench run: mpirun was killed; go on with: rollbench resume %s\n",
		launch->dir);
}

/* file: open if r->json names one, so that no run is made whose record cannot be written. */
static int run(const struct request *r, const struct run_spec *spec, const struct kernel_plan *plan,
	       struct record_file *file)
{
	FILE *talk = r->quiet                               ? fopen("/dev/null", "we")
		     : r->json && strcmp(r->json, "-") == 0 ? stderr
							    : stdout;
	enum run_status status;
	struct launch launch = { .dir = "" };
	struct rb_error err;
	json_t *record;
	int rc;

	say_plan(spec, plan, talk);
	fflush(talk);
	launch_catch_signals();
	rc = watts_launch(r->watts, spec, r->workdir, r->keep ? LAUNCH_KEPT : LAUNCH_RESUMABLE,
			  &launch, &err);
	if (rc != RB_OK)
		record_discard(file);
	if (rc == RB_LOST) {
		fprintf(stderr, "rollbench run: interrupted; no process and no record is left\n");
		if (r->keep && launch.dir[0])
			fprintf(stderr, "go on with: rollbench resume %s\n", launch.dir);
		return interrupted_status(launch_signal());
	}
	if (rc != RB_OK)
		return refused_status("run", &err);
	record = launch_record(spec, plan, &launch, &status);
	power_model_add(r->model, record);
	watts_record(r->watts, record, launch.dir);
	if (r->keep)
		fprintf(talk, "run folder: %s\n", launch.dir);
	else if (is_cut(spec, &launch, status))
		leave(&launch);
	else
		launch_remove(&launch);
	say_outcome(record, talk);
	if (r->summary)
		say_summary(record, r->json && strcmp(r->json, "-") == 0 ? stderr : stdout);
	rc = record_finish(file, record, r->json, &err);
	json_decref(record);
	return rc == RB_OK ? (int)status : refused_status("run", &err);
}

int cmd_run(int argc, char **argv)
{
	struct request r = { .keep = false };
	struct record_file file = { .to.fd = -1 };
	struct kernel_plan plan;
	struct run_spec spec;
	struct rb_error err;
	int rc;

	if (elc_asked(argc, argv))
		return elc_main(argc, argv);
	rc = command_parse(&command, argc, argv, &spec, &r, &err);
	if (rc == 1)
		return 0;
	if (rc == RB_OK)
		rc = launch_find_hosts(&spec.hosts, &err);
	if (rc != RB_OK || spec_check(&spec, &plan, &err) != RB_OK)
		return refused_status("run", &err);
	say_leftovers("run");
	if (launch_check(&spec, &err) != RB_OK)
		return refused_status("run", &err);
	if (r.profile && power_model_load(r.profile, &r.model, &err) != RB_OK)
		return refused_status("run", &err);
	if (watts_open(r.source, r.min_w, &r.watts, &err) != RB_OK)
		return refused_status("run", &err);
	if (r.json && strcmp(r.json, "-") != 0 && record_open(&file, r.json, &err) != RB_OK)
		return refused_status("run", &err);
	rc = run(&r, &spec, &plan, &file);
	power_model_free(r.model);
	watts_free(r.watts);
	return rc;
}
