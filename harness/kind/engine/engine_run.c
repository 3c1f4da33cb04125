/* The kind `engine`: its options, its runs, their records. */
#include "harness/kind/engine/engine_run.h"

#include "base/status.h"
#include "ft/ledger.h"
#include "ft/levels.h"
#include "harness/options/spec_options.h"

#include <stdlib.h>
#include <string.h>

/* takes() is false where it is given. */
static int no_protocol(void *run, const char *text, struct rb_error *err)
{
	(void)run;
	return rb_fail(err, RB_EINVAL,
		       "--protocol %.60s: unexpected; see rollbench run gauss_jordan --help", text);
}

#define AT(member) .at = offsetof(struct engine_run, member)

static const struct option own[] = {
	{ "protocol", "PROTOCOL",
	  "run a kernel, or a program of elc/programs, as a plain MPI program under event-logging "
	  "checkpoints, with other options: `rollbench run gauss_jordan --help`",
	  OPTION_OWN, .set = no_protocol },
	{ "power-model", "F",
	  "a profile (docs/energy.md): the record also has its energy as modelled from CPU time",
	  OPTION_STRING, AT(profile) },
	{ "watts", "SOURCE",
	  "readings of wattmeters as lines of time,node,watts (docs/energy.md): from a file, or "
	  "with cmd:COMMAND from a command that runs beside the run",
	  OPTION_STRING, AT(source) },
	{ "watts-min", "W", "drop readings of less than W watts; the record says how many",
	  OPTION_AMOUNT, AT(min_w) },
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
	.shared = run_options,
	.notes =
		"\n"
		"exit status: 0 ok, 1 wrong, 2 usage, 3 hang, 4 abort, 5 out of spares\n"
		"environment: ROLLBENCH_MPIRUN (path of mpirun), ROLLBENCH_MPIRUN_ARGS (added to it)\n",
};

static struct engine_run *of(struct run *run)
{
	return (struct engine_run *)run;
}

static const struct engine_run *in(const struct run *run)
{
	return (const struct engine_run *)run;
}

/* What no other kind takes. */
static bool takes(int argc, char **argv)
{
	(void)argc, (void)argv;
	return true;
}

static bool notes(struct run *run)
{
	if (!run->from)
		of(run)->spec.timeline = TIMELINE_ON;
	return of(run)->spec.timeline == TIMELINE_ON;
}

static const struct hosts **its_hosts(struct run *run)
{
	return &of(run)->spec.hosts;
}

static int check(struct run *run, struct rb_error *err)
{
	struct engine_run *e = of(run);

	RB_TRY(spec_check(&e->spec, &e->plan, err));
	RB_TRY(launch_check(&e->spec, err));
	if (e->profile && !run->model)
		RB_TRY(power_model_load(e->profile, &run->model, err));
	return run->watts ? RB_OK : watts_open(e->source, e->min_w, &run->watts, err);
}

static int parse(struct run **run, int argc, char **argv, struct rb_error *err)
{
	RB_TRY(run_new(run, &engine_kind, sizeof(struct engine_run), err));
	return command_parse(&command, argc, argv, &of(*run)->spec, of(*run), err);
}

/* A ledger that is damaged cannot be resumed. One whose process died before it wrote its header
 * does not count. */
static int check_ledgers(const struct run_spec *spec, const char *dir, struct rb_error *err)
{
	for (int role = 0; role < spec->np; role++) {
		struct ledger l = { .magic = 0 };

		if (ledger_read(dir, role, &l, err) == RB_ECORRUPT && l.magic == LEDGER_MAGIC)
			return RB_ECORRUPT;
	}
	return RB_OK;
}

static int load(struct run **run, const char *dir, json_t *json, struct rb_error *err)
{
	struct run_spec *spec;
	struct levels levels;

	RB_TRY(run_new(run, &engine_kind, sizeof(struct engine_run), err));
	(*run)->from = dir;
	spec = &of(*run)->spec;
	RB_TRY(spec_of_file(spec, json, dir, err));
	spec->resumed = true;
	RB_TRY(levels_parse(&levels, spec->ckpt, err));
	if (!levels.file)
		return rb_fail(
			err, RB_EINVAL,
			"%s: its checkpoints (--ckpt %s) were in memory and are gone with the job; "
			"only the level file can be resumed",
			dir, spec->ckpt);
	return check_ledgers(spec, dir, err);
}

static void free_run(struct run *run)
{
	if (run && of(run)->profile)
		power_model_free(run->model);
	if (run && of(run)->source)
		watts_free(run->watts);
	free(run);
}

static void command_again(const struct run *run, char out[COMMAND_TEXT])
{
	command_of(&in(run)->spec, out);
}

/* The kernel verifies the answer by itself. */
static bool is_compared(const struct run *run)
{
	(void)run;
	return false;
}

static int make(struct run *run, enum launch_use use, struct rb_error *err)
{
	struct engine_run *e = of(run);
	int rc = run->from ? launch_resume(&e->spec, run->from, &e->launch, err)
			   : watts_launch(run->watts, &e->spec, run->workdir, use, &e->launch, err);

	if (rc != RB_OK && !(rc == RB_LOST && use == LAUNCH_KEPT))
		e->launch.folder.dir[0] = '\0';
	return rc;
}

static json_t *record(struct run *run, enum run_status *status)
{
	const struct engine_run *e = in(run);
	json_t *events = run_folder_events(&e->launch.folder),
	       *record = record_make(&e->spec, &e->plan, e->launch.folder.dir, events, status);

	json_decref(events);
	if (!record)
		return NULL;
	power_model_add(run->model, record);
	watts_record(run->watts, record, e->launch.folder.dir);
	return record;
}

static int make_plain(struct run **plain, const struct run *run, struct rb_error *err)
{
	const struct run_spec *its = &in(run)->spec;
	struct run_spec *spec;

	RB_TRY(run_new(plain, &engine_kind, sizeof(struct engine_run), err));
	(*plain)->workdir = run->workdir;
	spec = &of(*plain)->spec;
	spec_init(spec, its->kernel);
	memcpy(spec->value, its->value, sizeof spec->value);
	spec->np = its->np;
	spec->hosts = its->hosts;
	spec->deadline_s = its->deadline_s;
	spec->repair_deadline_s = its->repair_deadline_s;
	spec->escalation = its->escalation;
	if (!spec_goes_on(its)) /* nor must this one survive a death */
		snprintf(spec->policy, sizeof spec->policy, "%s", policy_off.name);
	return check(*plain, err);
}

static void say_run(const struct run *run, FILE *to)
{
	say_plan(&in(run)->spec, &in(run)->plan, to);
}

static void say_end(const struct run *run, const json_t *record, FILE *to)
{
	(void)run;
	say_outcome(record, to);
}

/* Was mpirun killed in a run whose checkpoints are in files? */
static bool is_resumable(const struct run *run, enum run_status status)
{
	const struct launch *launch = &in(run)->launch;
	struct levels levels;
	struct rb_error err;

	return status == STATUS_ABORT && launch->end == LAUNCH_CUT && !launch->unstarted &&
	       levels_parse(&levels, in(run)->spec.ckpt, &err) == RB_OK && levels.file;
}

static const char *folder(const struct run *run)
{
	return in(run)->launch.folder.dir;
}

static void remove_folder(struct run *run)
{
	launch_remove(&of(run)->launch);
}

static void leave(struct run *run)
{
	run_folder_leave(&of(run)->launch.folder);
}

static int keep(struct run *run, const char *to, struct rb_error *err)
{
	return run_folder_move(&of(run)->launch.folder, to, err);
}

const struct kind engine_kind = {
	.word = "engine",
	.has_energy = true,
	.takes = takes,
	.parse = parse,
	.free = free_run,
	.load = load,
	.notes = notes,
	.hosts = its_hosts,
	.check = check,
	.command = command_again,
	.is_compared = is_compared,
	.make_plain = make_plain,
	.make = make,
	.record = record,
	.say_plan = say_run,
	.say_outcome = say_end,
	.is_resumable = is_resumable,
	.folder = folder,
	.remove = remove_folder,
	.leave = leave,
	.keep = keep,
	.check_keys = engine_check_keys,
	.is_inner = engine_is_inner,
	.is_idle = engine_is_idle,
	.phase = engine_phase,
	.complete = engine_complete,
	.name = engine_run_name,
	.is_plain = engine_is_plain,
	.describe = engine_describe,
	.size = engine_size,
	.row = engine_row,
	.is_expected = engine_is_expected,
};
