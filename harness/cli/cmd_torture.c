#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/elc/elc_torture.h"
#include "harness/job/launch.h"
#include "harness/job/mpirun.h"
#include "harness/machine/pin.h"
#include "harness/options/command.h"
#include "harness/torture/torture.h"
#include "harness/torture/torture_plan.h"
#include "harness/torture/torture_result.h"

#include <stdio.h>
#include <string.h>

/* Runs of the engine. */
struct engine {
	struct torture t; /* kind.of is this struct */
	struct torture_draw draw;
	double deadline;
	const char *kernel;
	struct run_spec asked, spec; /* spec: the run that was drawn last */
	int problem;
	struct launch launch;
	char refused[RB_ERROR_MAX]; /* why a drawn power technique cannot be used; "": all can */
	struct elc_torture elc;     /* the options of runs with --protocol */
};

static int set_kernel(void *base, const char *text, struct rb_error *err)
{
	if (!kernel_find(text))
		return rb_fail(err, RB_EINVAL, "--kernel %s: unknown; see `rollbench list kernels`",
			       text);
	((struct engine *)base)->kernel = text;
	return RB_OK;
}

static int set_load(void *base, const char *text, struct rb_error *err)
{
	return load_parse(&((struct engine *)base)->t.load, text, err);
}

static const char *kills_word(int i)
{
	static const char *const words[] = {
		[TORTURE_PLANNED] = "planned", [TORTURE_CLOCK] = "clock", [TORTURE_BOTH] = "both"
	};

	return i <= TORTURE_BOTH ? words[i] : NULL;
}

#define AT(member) .at = offsetof(struct engine, member)

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_STRING, AT(elc.programs) },
	{ "protocol", "PROTOCOL[,...]",
	  "make runs of `rollbench run PROGRAM --protocol` (docs/event-logging.md) with these "
	  "protocols, or with all. PROGRAM is one, several with commas, or all (default all)",
	  OPTION_STRING, AT(elc.protocols) },
	{ "np", "N", "with --protocol: processes (default: drawn)", OPTION_INT, AT(elc.np),
	  .least = 2, .most = 64 },
	{ "runs", "N", "how many", OPTION_LONG, AT(t.runs), .least = 1, .most = INT32_MAX,
	  .standard = "100" },
	{ "seed", "N", "which ones; run number i of a seed is always the same", OPTION_LONG,
	  AT(t.seed), .least = 0, .most = INT64_MAX, .standard = "1" },
	{ "kills", "HOW",
	  "planned: one to four kills of roles, spares and nodes at points of the program, "
	  "recoveries included (--kill of run). clock: one to three kills of roles and spares from "
	  "outside, 0 to 100 ms apart, at any instruction (--kill-at of run), and in one run of "
	  "sixteen one in MPI_Init unless --no-escalation. both: half of the runs in each way; "
	  "with --protocol, half of the kills",
	  OPTION_WORD, AT(draw.kills), .word = kills_word,
	  .standard = "both; on several hosts planned" },
	{ "load", "KIND[:N],...",
	  "load the machine with N processes (default 1) of each kind. cpu: they compute. nice: "
	  "likewise, at the lowest priority. memory: they write to 256 MiB again and again. disk: "
	  "they write a file of 64 MiB in the workdir and sync it",
	  OPTION_OWN, .set = set_load },
	{ "first", "N", "begin with number N (default 0)", OPTION_LONG, AT(t.first), .least = 0,
	  .most = INT32_MAX },
	{ "minutes", "N", "stop after that long, whatever is left (default: no limit)",
	  OPTION_SECONDS, AT(t.minutes) },
	{ "kernel", "NAME", "only runs of this kernel", OPTION_OWN, .set = set_kernel },
	{ "deadline", "S", "seconds until a run counts as hung", OPTION_SECONDS, AT(deadline),
	  .standard = "60" },
	{ "results", "DIR",
	  "keep the tally in DIR; the same command goes on where it stopped, with any --runs, "
	  "--first and --minutes",
	  OPTION_STRING, AT(t.results) },
	{ "keep", "DIR",
	  "move the run folders of bad runs to DIR (default with --results: bad in it), each with "
	  "its record and the command that repeats it",
	  OPTION_STRING, AT(t.keep) },
	{ "workdir", "DIR", "where run folders are made (default $TMPDIR or /tmp)", OPTION_STRING,
	  AT(t.workdir) },
	{ "dry-run", NULL, "only print the commands", OPTION_FLAG, AT(t.dry_run) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench torture [[PROGRAM[,...]] --protocol PROTOCOL[,...]] [OPTION ...]\n"
		"\n"
		"Make random runs: any kernel, number of roles, policy, interval, checkpoint level and lag, power\n"
		"technique and strategy, with random kills. Every run must verify and end in the state of its\n"
		"failure-free run, bit for bit; it may end out of spares only if more processes died than there were\n"
		"spares. The command that repeats any other run is printed. With --replace spawn, runs have no spares.\n"
		"With several hosts they die, too, some of them with their MPI daemon.\n"
		"\n"
		"With --protocol, up to three jobs of a plain MPI program under event-logging checkpoints are killed: options of\n"
		"the program, processes, protocol, form of the logs, lines and kills are random. A run may be refused where\n"
		"docs/event-logging.md says so: by markers that are overtaken, and by a program that does not repeat itself.\n"
		"\n",
	.options = FOR_TORTURE | FOR_HOSTS,
	.own = own,
	.notes =
		"\n"
		"exit status: 0 all as they may end, 1 some wrong, hung, aborted or out of spares, 2 usage,\n"
		"130/143 interrupted\n",
};

/* RB_OK with a record, or RB_LOST: interrupted, or a negative status. */
static int run(struct engine *e, struct run_spec *spec, json_t **record, enum run_status *status,
	       struct rb_error *err)
{
	struct kernel_plan plan;

	RB_TRY(spec_check(spec, &plan, err));
	RB_TRY(launch_run(spec, e->t.workdir, LAUNCH_DISPOSABLE, &e->launch, err));
	*record = launch_record(spec, &plan, &e->launch, status);
	if (*record)
		return RB_OK;
	launch_remove(&e->launch);
	return rb_fail(err, RB_ENOMEM, "out of memory");
}

static void take_limits(const struct engine *e, struct run_spec *spec)
{
	spec->deadline_s = e->deadline;
	spec->repair_deadline_s = e->asked.repair_deadline_s;
	spec->escalation = e->asked.escalation;
}

static int refer(void *of, char hash[TORTURE_HASH], struct rb_error *err)
{
	struct engine *e = of;
	struct run_spec spec;
	enum run_status status;
	const char *text;
	json_t *record;
	int rc;

	RB_TRY(torture_reference(&spec, e->problem, err));
	spec.hosts = e->asked.hosts;
	take_limits(e, &spec);
	RB_TRY(run(e, &spec, &record, &status, err));
	launch_remove(&e->launch);
	text = json_string_value(json_object_get(record, "state_hash"));
	rc = status == STATUS_OK && text
		     ? RB_OK
		     : rb_fail(err, RB_EINVAL, "the failure-free run of %s is not ok but %s",
			       spec.kernel->name, status_name(status));
	snprintf(hash, TORTURE_HASH, "%s", text ? text : "");
	json_decref(record);
	return rc;
}

/* Power techniques are drawn without regard to the machine; where one is not permitted, its run
 * sleeps. Other hosts are taken to permit what this machine permits. */
static int draw(void *of, int64_t i, struct torture_case *c, struct rb_error *err)
{
	struct engine *e = of;
	struct rb_error why;

	RB_TRY(torture_make(&e->spec, &e->draw, i, &e->problem, err));
	take_limits(e, &e->spec);
	if (launch_check_power(&e->spec, &why) != RB_OK) {
		memcpy(e->refused, why.text, sizeof e->refused);
		e->spec.power = POWER_SLEEP;
	}
	torture_row(&e->spec, c->row);
	c->problem = e->problem;
	c->left_out = e->kernel && strcmp(e->kernel, e->spec.kernel->name) != 0;
	return RB_OK;
}

static int check(void *of, struct rb_error *err)
{
	struct engine *e = of;
	struct kernel_plan plan;

	return spec_check(&e->spec, &plan, err);
}

static int make(void *of, const char *hash, struct torture_made *made, struct rb_error *err)
{
	struct engine *e = of;
	enum run_status status;

	RB_TRY(run(e, &e->spec, &made->record, &status, err));
	made->outcome = result_judge(&e->spec, made->record, status, hash, &made->message);
	return RB_OK;
}

static void command_again(void *of, char out[COMMAND_TEXT])
{
	command_of(&((struct engine *)of)->spec, out);
}

static void remove_folder(void *of)
{
	launch_remove(&((struct engine *)of)->launch);
}

static int keep_folder(void *of, const char *to, struct rb_error *err)
{
	return launch_keep(&((struct engine *)of)->launch, to, err);
}

static const char *folder(void *of)
{
	return ((struct engine *)of)->launch.dir;
}

/* The techniques that this machine permits, and for how many roles: drawn ones that it does not
 * permit are replaced. */
static json_t *permitted(void)
{
	json_t *list = json_array();
	char why[POWER_TEXT];

	for (int t = 0; t < POWER_TECHNIQUES; t++)
		if (power_sets_core((enum power_technique)t) &&
		    power_probe((enum power_technique)t, 0, why))
			json_array_append_new(list,
					      json_string(power_name((enum power_technique)t)));
	if (json_array_size(list) > 0)
		json_array_append_new(list, json_integer(pin_machine().cores));
	return list;
}

static json_t *terms(void *of)
{
	const struct engine *e = of;
	json_t *json = json_pack("{s:s, s:s?, s:s, s:f, s:f, s:b, s:o?, s:o}", "kills",
				 kills_word((int)e->draw.kills), "kernel", e->kernel, "replace",
				 e->draw.replace == FT_SPAWN ? "spawn" : "spare", "deadline",
				 e->deadline, "repair_deadline", e->asked.repair_deadline_s,
				 "escalation", e->asked.escalation == ESCALATION_ON, "hosts",
				 e->asked.hosts ? hosts_shape_json(e->asked.hosts) : NULL, "power",
				 permitted());

	mpirun_describe(json);
	return json;
}

static void say(void *of)
{
	const struct engine *e = of;

	printf("kills: %s\n", kills_word((int)e->draw.kills));
	if (e->refused[0])
		printf("power techniques that this machine does not permit were left out: %s\n",
		       e->refused);
}

static int begin(struct engine *e)
{
	e->draw.seed = e->t.seed;
	e->draw.replace = e->asked.replace;
	e->draw.hosts = e->asked.hosts;
	e->draw.escalation = e->asked.escalation == ESCALATION_ON;
	if (e->asked.hosts && e->draw.kills != TORTURE_PLANNED)
		return rb_fail(
			&e->t.err, RB_EINVAL,
			"several hosts (--hostfile, or an allocation) with --kills %s: kills by "
			"the clock reach processes of this machine only; add --kills planned",
			kills_word((int)e->draw.kills));
	e->t.kind = (struct torture_kind){ .of = e,
					   .draw = draw,
					   .check = check,
					   .command = command_again,
					   .refer = refer,
					   .make = make,
					   .remove = remove_folder,
					   .keep = keep_folder,
					   .folder = folder,
					   .terms = terms,
					   .say = say };
	return RB_OK;
}

/* With --protocol, PROGRAM and --np belong to it; --kernel and what is of the engine do not. */
static int begin_elc(struct engine *e)
{
	struct run_spec plain;

	spec_init(&plain, kernel_find("cg")); /* the defaults do not depend on it */
	if (e->kernel || e->asked.hosts || e->asked.replace != plain.replace ||
	    e->asked.escalation != plain.escalation || e->asked.repair_deadline_s > 0)
		return rb_fail(
			&e->t.err, RB_EINVAL,
			"--protocol: not with --kernel, --replace, --repair-deadline, --escalation and "
			"--hostfile, which are of other runs; name a kernel as PROGRAM");
	e->elc.kills = e->draw.kills;
	e->elc.deadline_s = e->deadline;
	e->elc.seed = e->t.seed;
	e->elc.workdir = e->t.workdir;
	return elc_torture_begin(&e->elc, &e->t.kind, &e->t.err);
}

int cmd_torture(int argc, char **argv)
{
	struct engine e = { .t = { .runs = 100, .seed = 1 },
			    .draw = { .kills = TORTURE_BY_HOSTS },
			    .deadline = 60 };
	int rc = command_parse(&command, argc, argv, &e.asked, &e, &e.t.err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK && !e.elc.protocols && (e.elc.programs || e.elc.np > 0))
		rc = rb_fail(&e.t.err, RB_EINVAL, "%s: only with --protocol",
			     e.elc.programs ? e.elc.programs : "--np");
	if (rc == RB_OK)
		rc = e.elc.protocols ? RB_OK : launch_find_hosts(&e.asked.hosts, &e.t.err);
	if (e.draw.kills == TORTURE_BY_HOSTS)
		e.draw.kills = e.asked.hosts ? TORTURE_PLANNED : TORTURE_BOTH;
	if (rc == RB_OK)
		rc = e.elc.protocols ? begin_elc(&e) : begin(&e);
	return rc == RB_OK ? torture_main(&e.t) : refused_status("torture", &e.t.err);
}
