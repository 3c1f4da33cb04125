#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/job/launch.h"
#include "harness/kind/elc/elc_torture.h"
#include "harness/kind/engine/engine_torture.h"
#include "harness/options/command.h"
#include "harness/options/spec_options.h"
#include "harness/torture/torture.h"

#include <stdio.h>
#include <string.h>

struct request {
	struct torture t;
	enum torture_kills kills;
	double deadline_s;
	struct run_spec asked;
	struct engine_torture engine;
	struct elc_torture elc; /* the options of runs with --protocol */
};

static int set_kernel(void *base, const char *text, struct rb_error *err)
{
	if (!kernel_find(text))
		return rb_fail(err, RB_EINVAL, "--kernel %s: unknown; see `rollbench list kernels`",
			       text);
	((struct request *)base)->engine.kernel = text;
	return RB_OK;
}

static int set_load(void *base, const char *text, struct rb_error *err)
{
	return load_parse(&((struct request *)base)->t.load, text, err);
}

#define AT(member) .at = offsetof(struct request, member)

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
	  OPTION_WORD, AT(kills), .word = torture_kills_word,
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
	{ "deadline", "S", "seconds until a run counts as hung", OPTION_SECONDS, AT(deadline_s),
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

static int begin(struct request *r)
{
	r->asked.deadline_s = r->deadline_s;
	r->engine.draw = (struct engine_draw){ .seed = r->t.seed,
					       .kills = r->kills,
					       .replace = r->asked.replace,
					       .hosts = r->asked.hosts,
					       .escalation = r->asked.escalation == ESCALATION_ON };
	r->engine.limits = &r->asked;
	return engine_torture_begin(&r->engine, &r->t.source, &r->t.err);
}

/* With --protocol, PROGRAM and --np belong to it; --kernel and what is of the engine do not. */
static int begin_elc(struct request *r)
{
	struct run_spec plain;

	spec_init(&plain, kernel_find("cg")); /* the defaults do not depend on it */
	if (r->engine.kernel || r->asked.hosts || r->asked.replace != plain.replace ||
	    r->asked.escalation != plain.escalation || r->asked.detector != plain.detector ||
	    r->asked.repair_deadline_s > 0)
		return rb_fail(
			&r->t.err, RB_EINVAL,
			"--protocol: not with --kernel, --replace, --detector, --repair-deadline, "
			"--escalation and --hostfile, which are of other runs; name a kernel as PROGRAM");
	r->elc.kills = r->kills;
	r->elc.deadline_s = r->deadline_s;
	r->elc.seed = r->t.seed;
	return elc_torture_begin(&r->elc, &r->t.source, &r->t.err);
}

int cmd_torture(int argc, char **argv)
{
	struct request r = { .t = { .runs = 100, .seed = 1 },
			     .kills = TORTURE_BY_HOSTS,
			     .deadline_s = 60 };
	int rc = command_parse(&command, argc, argv, &r.asked, &r, &r.t.err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK && !r.elc.protocols && (r.elc.programs || r.elc.np > 0))
		rc = rb_fail(&r.t.err, RB_EINVAL, "%s: only with --protocol",
			     r.elc.programs ? r.elc.programs : "--np");
	if (rc == RB_OK)
		rc = r.elc.protocols ? RB_OK : launch_find_hosts(&r.asked.hosts, &r.t.err);
	if (r.kills == TORTURE_BY_HOSTS)
		r.kills = r.asked.hosts ? TORTURE_PLANNED : TORTURE_BOTH;
	if (rc == RB_OK)
		rc = r.elc.protocols ? begin_elc(&r) : begin(&r);
	return rc == RB_OK ? torture_main(&r.t) : refused_status("torture", &r.t.err);
}
