#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/job/launch.h"
#include "harness/record/power_model.h"
#include "harness/spec/spec_options.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: rollbench run KERNEL [OPTION ...]\n"
	"\n"
	"Run a kernel once, kill what the plan says, recover, verify, and write one record.\n"
	"\n";

static const char usage_run[] =
	"  --mtbf S          deaths by chance: any role, exponential, S seconds apart on average\n"
	"  --seed N          of these (default 1); the record has them as --kill options\n"
	"  --duel N          no failures, but blocks of N iterations with and without protection in\n"
	"                    turn; the record has the seconds of each pair (`make bench`)\n"
	"  --power-model F   a profile (docs/energy.md): the record also has its energy as modelled from\n"
	"                    CPU time\n"
	"  --json FILE       write the record to FILE; '-': alone on standard output\n"
	"  --deadline S      seconds until the run counts as hung (default 120)\n"
	"  --workdir DIR     where the run folder is made (default $TMPDIR or /tmp); must be seen\n"
	"                    by all hosts\n"
	"  --keep            keep the run folder: ledgers, checkpoints, mpirun.log\n"
	"  --quiet           say nothing but errors\n"
	"  --help            this text\n"
	"\n"
	"exit status: 0 ok, 1 wrong, 2 usage, 3 hang, 4 abort, 5 out of spares\n"
	"environment: ROLLBENCH_MPIRUN (path of mpirun), ROLLBENCH_MPIRUN_ARGS (added to it)\n";

struct request {
	struct run_spec spec;
	const char *json, *workdir, *profile;
	struct power_model *model; /* NULL: none */
	bool keep, quiet;
};

static int take(struct spec_options *s, struct options *o, void *request, struct rb_error *err)
{
	struct request *r = request;
	int64_t seed;

	if (strcmp(o->name, "keep") == 0 || strcmp(o->name, "quiet") == 0) {
		*(o->name[0] == 'k' ? &r->keep : &r->quiet) = true;
		return RB_OK;
	}
	if (strcmp(o->name, "deadline") == 0)
		return options_seconds(o, &r->spec.deadline_s, err);
	if (strcmp(o->name, "mtbf") == 0)
		return options_seconds(o, &r->spec.mtbf_s, err);
	if (strcmp(o->name, "duel") == 0)
		return options_int(o, 1, INT64_MAX, &r->spec.duel, err);
	if (strcmp(o->name, "json") == 0)
		return options_value(o, &r->json, err);
	if (strcmp(o->name, "workdir") == 0)
		return options_value(o, &r->workdir, err);
	if (strcmp(o->name, "power-model") == 0)
		return options_value(o, &r->profile, err);
	if (strcmp(o->name, "seed") != 0)
		return spec_options_take(s, o, err);
	RB_TRY(options_int(o, 0, INT64_MAX, &seed, err));
	r->spec.seed = (uint64_t)seed;
	return RB_OK;
}

/* 1: help was asked for. */
static int parse(int argc, char **argv, struct request *r, struct rb_error *err)
{
	struct spec_options s;

	RB_TRY(spec_options_parse(&s, &r->spec, argc, argv, take, r, err));
	return spec_options_end(&s, err);
}

/* file: open if r->json names one, so that nothing runs whose record could not be written. */
static int run(const struct request *r, const struct kernel_plan *plan, struct record_file *file)
{
	FILE *talk = r->quiet ? fopen("/dev/null", "we") : r->json && strcmp(r->json, "-") == 0 ?
		     stderr : stdout;
	enum run_status status;
	struct launch launch;
	struct rb_error err;
	json_t *record;
	int rc;

	say_plan(&r->spec, plan, talk);
	fflush(talk);
	launch_catch_signals();
	if (launch_run(&r->spec, r->workdir, LAUNCH_RESUMABLE, &launch, &err) != RB_OK) {
		record_discard(file);
		return refused_status("run", &err);
	}
	if (launch.end == LAUNCH_INTERRUPTED) {
		launch_remove(&launch);
		record_discard(file);
		fprintf(stderr, "rollbench run: interrupted; no process and no record is left\n");
		return interrupted_status(launch_signal());
	}
	record = record_make(&r->spec, plan, &launch, &status);
	power_model_add(r->model, record);
	if (r->keep)
		fprintf(talk, "run folder: %s\n", launch.dir);
	else
		launch_remove(&launch);
	say_outcome(record, talk);
	rc = file->fd >= 0 ? record_save(file, record, &err) : record_deliver(record, r->json, &err);
	json_decref(record);
	return rc == RB_OK ? (int)status : refused_status("run", &err);
}

int cmd_run(int argc, char **argv)
{
	struct request r = { .keep = false };
	struct record_file file = { .fd = -1 };
	struct kernel_plan plan;
	struct rb_error err;
	int rc = parse(argc, argv, &r, &err);

	if (rc == 1) {
		spec_options_help(usage, usage_run);
		return 0;
	}
	if (rc != RB_OK || spec_check(&r.spec, &plan, &err) != RB_OK)
		return refused_status("run", &err);
	say_leftovers("run");
	if (launch_check(&r.spec, &err) != RB_OK)
		return refused_status("run", &err);
	if (r.profile && power_model_load(r.profile, &r.model, &err) != RB_OK)
		return refused_status("run", &err);
	if (r.json && strcmp(r.json, "-") != 0 && record_open(&file, r.json, &err) != RB_OK)
		return refused_status("run", &err);
	rc = run(&r, &plan, &file);
	power_model_free(r.model);
	return rc;
}
