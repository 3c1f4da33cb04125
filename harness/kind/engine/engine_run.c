/* The kind `engine`: its options, its runs, their records. */
#include "harness/kind/engine/engine_run.h"

#include "base/status.h"
#include "ft/levels.h"

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

static int find_hosts(struct run *run, struct rb_error *err)
{
	return launch_find_hosts(&of(run)->spec.hosts, err);
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
	struct engine_run *e = calloc(1, sizeof *e);

	*run = NULL;
	if (!e)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	e->run.kind = &engine_kind;
	*run = &e->run;
	return command_parse(&command, argc, argv, &e->spec, e, err);
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
	int rc = watts_launch(run->watts, &e->spec, run->workdir, use, &e->launch, err);

	if (rc != RB_OK && !(rc == RB_LOST && use == LAUNCH_KEPT))
		e->launch.dir[0] = '\0';
	return rc;
}

json_t *launch_record(const struct run_spec *spec, const struct kernel_plan *plan,
		      const struct launch *launch, enum run_status *status)
{
	json_t *events = launch_events(launch),
	       *record = record_make(spec, plan, launch->dir, events, status);

	json_decref(events);
	return record;
}

static json_t *record(struct run *run, enum run_status *status)
{
	const struct engine_run *e = in(run);
	json_t *record = launch_record(&e->spec, &e->plan, &e->launch, status);

	if (!record)
		return NULL;
	power_model_add(run->model, record);
	watts_record(run->watts, record, e->launch.dir);
	return record;
}

/* The same problem without what could happen to it. */
static void plain_of(const struct engine_run *e, struct engine_run *plain)
{
	memset(plain, 0, sizeof *plain);
	plain->run.kind = &engine_kind;
	plain->run.workdir = e->run.workdir;
	spec_init(&plain->spec, e->spec.kernel);
	memcpy(plain->spec.value, e->spec.value, sizeof plain->spec.value);
	plain->spec.np = e->spec.np;
	plain->spec.hosts = e->spec.hosts;
	plain->spec.deadline_s = e->spec.deadline_s;
	plain->spec.repair_deadline_s = e->spec.repair_deadline_s;
	plain->spec.escalation = e->spec.escalation;
	if (!spec_goes_on(&e->spec)) /* nor must this one survive a death */
		snprintf(plain->spec.policy, sizeof plain->spec.policy, "%s", policy_off.name);
}

static int refer(struct run *run, struct rb_error *err)
{
	struct engine_run plain;
	enum run_status status;
	const json_t *hash, *loop_s;
	json_t *json;
	int rc = RB_OK;

	plain_of(in(run), &plain);
	RB_TRY(check(&plain.run, err));
	RB_TRY(run_make(&plain.run, &json, &status, err));
	hash = json_object_get(json, "state_hash");
	loop_s = json_object_get(json, "loop_s");
	if (status == STATUS_OK && json_is_string(hash) && json_is_number(loop_s)) {
		run->reference = run_reference_to(RUN_FAILURE_FREE, json_string_value(hash));
		run->reference.seconds = json_number_value(loop_s);
		run->reference.wall_s = plain.launch.wall_s;
	} else
		rc = rb_fail(err, RB_EINVAL, "the failure-free run of %s is not ok but %s",
			     plain.spec.kernel->name, status_name(status));
	json_decref(json);
	return rc;
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
	return in(run)->launch.dir;
}

static void remove_folder(struct run *run)
{
	launch_remove(&of(run)->launch);
}

static void leave(struct run *run)
{
	launch_leave(&of(run)->launch);
}

static int keep(struct run *run, const char *to, struct rb_error *err)
{
	return launch_keep(&of(run)->launch, to, err);
}

const struct kind engine_kind = {
	.word = "engine",
	.has_energy = true,
	.takes = takes,
	.parse = parse,
	.free = free_run,
	.find_hosts = find_hosts,
	.check = check,
	.command = command_again,
	.is_compared = is_compared,
	.refer = refer,
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
