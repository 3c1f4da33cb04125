/* The kind `elc`: the options of `rollbench run PROGRAM --protocol PROTOCOL`, the failure-free run,
 * the run, what it says. */
#include "harness/kind/elc/elc_run.h"

#include "base/status.h"
#include "harness/events/events.h"
#include "harness/options/command.h"
#include "harness/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set_kill(void *run, const char *text, struct rb_error *err)
{
	return elc_plan_kill(&((struct elc_run *)run)->plan, text, err);
}

static int set_kill_at(void *run, const char *text, struct rb_error *err)
{
	return elc_plan_kill_at(&((struct elc_run *)run)->plan, text, err);
}

static int pass_on(void *run, const char *name, const char *value, struct rb_error *err)
{
	return elc_plan_argument(&((struct elc_run *)run)->plan, name, value, err);
}

#define AT(member) .at = offsetof(struct elc_run, member)

const struct option elc_options[] = {
	{ "", NULL, NULL, OPTION_STRING, AT(plan.program) },
	{ "protocol", "PROTOCOL",
	  "by which recovery lines are made: events, tagging, tagging-copy or markers. off: the "
	  "library does nothing. source: the program is not linked with it. With these two nothing "
	  "can be killed",
	  OPTION_WORD, AT(plan.protocol), .word = elc_protocol_word, .standard = "events",
	  .shape = SHAPE_INNER },
	{ "lines", "K",
	  "lines that the program asks for, at places drawn from its --seed (default 4, or 0 with "
	  "--line-interval or the program's own --every)",
	  OPTION_LONG, AT(plan.lines), .least = 0, .most = 1000, .shape = SHAPE_INNER },
	{ "line-interval", "S", "seconds after which rank 0 begins a line", OPTION_SECONDS,
	  AT(plan.interval_s), .shape = SHAPE_INNER },
	{ "log-form", "FORM", "of the envelope logs: counted or list", OPTION_WORD,
	  AT(plan.log_form), .word = elc_log_word, .standard = "counted", .shape = SHAPE_INNER },
	{ "kill", "R@N[:PHASE]",
	  "send SIGKILL to rank R at its safe point N, or in the first such phase from then on; "
	  "then the job is started again. Safe points are counted from 0, as the iterations of a "
	  "kernel, and a restarted program comes to that of its cut again. Repeatable: the second "
	  "kill is for the second job, and so on. `rollbench list protocol-phases` shows the phases",
	  OPTION_OWN, .set = set_kill, .shape = SHAPE_KEY },
	{ "kill-at", "S:R[,S:R...]",
	  "instead of a --kill: send SIGKILL from outside to rank R, S seconds after all processes "
	  "of the job are at the end of elc_restarted(), at whatever instruction it is; with "
	  "start+S:R S seconds after all of them exist, which are then in MPI_Init; with commas to "
	  "several ranks of this job. Repeatable, in turn with --kill",
	  OPTION_OWN, .set = set_kill_at },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench run PROGRAM [--protocol PROTOCOL] [OPTION ...] [--NAME VALUE ...]\n"
		"\n"
		"Run a plain MPI program under event-logging checkpoints (docs/event-logging.md), kill it as the options say,\n"
		"restart it from its newest committed line until it ends, compare its result, and write one record. PROGRAM is\n"
		"gauss_jordan, neurons, disks, matmul, or with --protocol a kernel. Its own options follow below.\n"
		"\n",
	.options = FOR_PROTOCOL,
	.own = elc_options,
	.shared = run_options,
	.other = pass_on,
	.notes =
		"\n"
		"exit status: 0 ok, 1 wrong, 2 usage, 3 hang, 4 abort\n"
		"environment: ROLLBENCH_MPIRUN (path of mpirun), ROLLBENCH_MPIRUN_ARGS (added to it)\n",
};

static bool takes(int argc, char **argv)
{
	bool asked = argc > 1 && elc_is_program(argv[1]);

	for (int i = 1; i < argc; i++)
		asked = asked || strcmp(argv[i], "--protocol") == 0 ||
			strncmp(argv[i], "--protocol=", 11) == 0;
	return asked;
}

static struct elc_run *of(struct run *run)
{
	return (struct elc_run *)run;
}

static const struct elc_run *in(const struct run *run)
{
	return (const struct elc_run *)run;
}

static bool is_compared(const struct run *run)
{
	return elc_is_on(&in(run)->plan);
}

static int make(struct run *run, enum launch_use use, struct rb_error *err)
{
	struct elc_run *r = of(run);
	int rc = elc_launch(r, use, err);
	const bool kept = run->from || (rc == RB_LOST && use == LAUNCH_KEPT && elc_is_on(&r->plan));

	if (rc == RB_OK)
		return RB_OK;
	if (kept)
		run_folder_leave(&r->launch.folder);
	else
		elc_launch_remove(&r->launch);
	if (!kept || rc != RB_LOST)
		r->launch.folder.dir[0] = '\0';
	return rc;
}

static json_t *record(struct run *run, enum run_status *status)
{
	json_t *events = run_folder_events(&in(run)->launch.folder),
	       *record = elc_record(&in(run)->plan, in(run)->launch.folder.dir, events, status);

	json_decref(events);
	return record;
}

static long long whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void say_job(size_t i, const json_t *job, FILE *to)
{
	const json_t *death = json_object_get(job, "death"), *struck;
	size_t k;

	fprintf(to, "job %zu: ", i + 1);
	if (whole(job, "restored") > 0)
		fprintf(to, "from line %lld, ", whole(job, "restored"));
	fprintf(to, "%s after %.3f s", json_string_value(json_object_get(job, "end")),
		json_real_value(json_object_get(job, "wall_s")));
	if (json_is_object(death))
		fprintf(to, ": rank %lld at its safe point %lld (%s)", whole(death, "rank"),
			whole(death, "safe_point"),
			json_string_value(json_object_get(death, "phase")));
	json_array_foreach(json_object_get(job, "struck"), k, struck)
		fprintf(to, "%s%s", k ? ", " : ": from outside ", json_string_value(struck));
	fprintf(to, "\n");
}

static const char *how_equal(const json_t *compared)
{
	const char *how = json_string_value(json_object_get(compared, "reference"));

	return !how                              ? ""
	       : strcmp(how, "--reference") == 0 ? ": the hash is the expected one"
						 : ": equal to the failure-free run";
}

static void say_outcome(const struct run *run, const json_t *record, FILE *to)
{
	const json_t *result = json_object_get(record, "result"),
		     *compared = json_object_get(record, "compared"), *one;
	const json_t *lines = json_object_get(record, "lines_committed");
	const char *message = json_string_value(json_object_get(record, "message"));
	size_t i;

	json_array_foreach(json_object_get(record, "jobs"), i, one)
		say_job(i, one, to);
	json_array_foreach(json_object_get(record, "unfired"), i, one)
		fprintf(to, "warning: --kill%s %s: no job came to that point\n",
			strchr(json_string_value(one), '@') ? "" : "-at", json_string_value(one));
	if (json_is_object(result))
		fprintf(to, "%s: hash %s, %.6f s\n", in(run)->plan.program,
			json_string_value(json_object_get(record, "state_hash")),
			json_real_value(json_object_get(result, "seconds")));
	if (json_is_integer(lines))
		fprintf(to, "lines committed: %lld\n", whole(record, "lines_committed"));
	fprintf(to, "%s%s%s%s\n", json_string_value(json_object_get(record, "status")),
		message ? ": " : "", message ? message : "", message ? "" : how_equal(compared));
}

static const char *folder(const struct run *run)
{
	return in(run)->launch.folder.dir;
}

static void remove_folder(struct run *run)
{
	elc_launch_remove(&of(run)->launch);
}

static void leave(struct run *run)
{
	run_folder_leave(&of(run)->launch.folder);
}

static int keep(struct run *run, const char *to, struct rb_error *err)
{
	return run_folder_move(&of(run)->launch.folder, to, err);
}

static void command_again(const struct run *run, char out[COMMAND_TEXT])
{
	elc_command(&in(run)->plan, out);
}

static const struct hosts **its_hosts(struct run *run)
{
	return &of(run)->plan.hosts;
}

static int check(struct run *run, struct rb_error *err)
{
	const struct hosts *hosts = in(run)->plan.hosts;

	/* of a sweep, they may be for other runs */
	if (run->from && hosts && hosts->spare_hosts > 0)
		return rb_fail(err, RB_EINVAL,
			       "--spare-hosts: a run with --protocol has no spares");
	RB_TRY(elc_plan_find(&of(run)->plan, err));
	return elc_plan_check(&of(run)->plan, err);
}

static int new_run(struct run **run, struct rb_error *err)
{
	RB_TRY(run_new(run, &elc_kind, sizeof(struct elc_run), err));
	elc_plan_init(&of(*run)->plan);
	return RB_OK;
}

/* The same problem without lines. */
static int make_plain(struct run **plain, const struct run *run, struct rb_error *err)
{
	const struct elc_plan *its = &in(run)->plan;
	struct elc_plan *p;

	RB_TRY(new_run(plain, err));
	(*plain)->workdir = run->workdir;
	p = &of(*plain)->plan;
	p->program = its->program;
	p->np = its->np;
	p->protocol = its->protocol == ELC_SOURCE ? ELC_SOURCE : ELC_OFF;
	p->deadline_s = its->deadline_s;
	p->hosts = its->hosts;
	for (int i = 0; i < its->arguments; i += 2)
		RB_TRY(elc_plan_argument(p, its->argument[i] + 2, its->argument[i + 1], err));
	return check(*plain, err);
}

/* Has a job come to the end of the program? */
static bool has_finished(const char *dir)
{
	json_t *events = events_read(dir), *event;
	bool finished = false;
	size_t i;

	json_array_foreach(events, i, event)
		finished = finished ||
			   (event_is(event, "job_ended") && elc_has_ended(event, ELC_FINISHED));
	json_decref(events);
	return finished;
}

static int load(struct run **run, const char *dir, json_t *json, struct rb_error *err)
{
	struct elc_plan *p;

	RB_TRY(new_run(run, err));
	(*run)->from = dir;
	p = &of(*run)->plan;
	RB_TRY(elc_load(of(*run), json, dir, err));
	if (!elc_is_on(p))
		return rb_fail(err, RB_EINVAL,
			       "%s: with --protocol %s nothing is saved; start it again", dir,
			       elc_protocol_word((int)p->protocol));
	return has_finished(dir) ? rb_fail(err, RB_EINVAL, "%s: this run has come to its end", dir)
				 : RB_OK;
}

/* Was mpirun killed in a run that has lines? */
static bool is_resumable(const struct run *run, enum run_status status)
{
	return status == STATUS_ABORT && in(run)->launch.cut && elc_is_on(&in(run)->plan);
}

static int parse(struct run **run, int argc, char **argv, struct rb_error *err)
{
	struct run_spec spec;
	struct elc_run *r;
	int rc;

	RB_TRY(new_run(run, err));
	r = of(*run);
	rc = command_parse(&command, argc, argv, &spec, r, err);
	if (rc == 1 && argc > 1) {
		r->plan.program = argv[1];
		if (elc_plan_find(&r->plan, err) == RB_OK)
			elc_program_help(&r->plan);
	}
	if (rc != RB_OK)
		return rc;
	r->plan.np = spec.np;
	r->plan.deadline_s = spec.deadline_s;
	r->plan.hosts = spec.hosts;
	return RB_OK;
}

static void free_run(struct run *run)
{
	if (run)
		elc_plan_free(&of(run)->plan);
	free(run);
}

const struct kind elc_kind = {
	.word = "elc",
	.restarts_jobs = true,
	.takes = takes,
	.parse = parse,
	.free = free_run,
	.load = load,
	.hosts = its_hosts,
	.check = check,
	.command = command_again,
	.is_compared = is_compared,
	.make_plain = make_plain,
	.make = make,
	.record = record,
	.say_outcome = say_outcome,
	.is_resumable = is_resumable,
	.folder = folder,
	.remove = remove_folder,
	.leave = leave,
	.keep = keep,
	.check_keys = elc_check_keys,
	.is_inner = elc_is_inner,
	.is_idle = elc_is_idle,
	.phase = elc_phase,
	.complete = elc_complete,
	.name = elc_name,
	.is_plain = elc_is_plain,
	.describe = elc_describe,
	.size = elc_size,
	.row = elc_row,
	.is_expected = elc_is_expected,
};
