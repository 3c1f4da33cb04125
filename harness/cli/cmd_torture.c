#include "base/clock.h"
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/job/launch.h"
#include "harness/job/mpirun.h"
#include "harness/machine/pin.h"
#include "harness/spec/command.h"
#include "harness/store/store.h"
#include "harness/torture/journal.h"
#include "harness/torture/load.h"
#include "harness/torture/tally.h"
#include "harness/torture/torture_plan.h"
#include "harness/torture/torture_result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct torture {
	int64_t runs, first;
	struct torture_draw draw;
	double minutes, deadline;
	const char *kernel, *keep, *results, *workdir;
	bool dry_run;
	struct run_spec asked;
	struct load load;
	struct journal journal;
	struct tally tally;
	char in_results[SPEC_PATH];  /* the folder of bad runs in --results */
	char refused[RB_ERROR_MAX];  /* why a drawn power technique cannot be used; "": all can */
	struct rb_error err;
};

static int set_kernel(void *base, const char *text, struct rb_error *err)
{
	if (!kernel_find(text))
		return rb_fail(err, RB_EINVAL, "--kernel %s: unknown; see `rollbench list kernels`", text);
	((struct torture *)base)->kernel = text;
	return RB_OK;
}

static int set_load(void *base, const char *text, struct rb_error *err)
{
	return load_parse(&((struct torture *)base)->load, text, err);
}

static const char *kills_word(int i)
{
	static const char *const words[] = { [TORTURE_PLANNED] = "planned", [TORTURE_CLOCK] = "clock",
					     [TORTURE_BOTH] = "both" };

	return i <= TORTURE_BOTH ? words[i] : NULL;
}

#define AT(member) .at = offsetof(struct torture, member)

static const struct option own[] = {
	{ "runs", "N", "how many", OPTION_LONG, AT(runs), .least = 1, .most = INT32_MAX, .standard = "100" },
	{ "seed", "N", "which ones; run number i of a seed is always the same", OPTION_LONG, AT(draw.seed), .least = 0,
	  .most = INT64_MAX, .standard = "1" },
	{ "kills", "HOW", "planned: one to four kills of roles, spares and nodes at points of the program, recoveries "
	  "included (--kill of run). clock: one to three kills of roles and spares from outside, 0 to 100 ms apart, at any "
	  "instruction (--kill-at of run), and in one run of sixteen one in MPI_Init unless --no-escalation. both: half of "
	  "the runs in each way", OPTION_WORD, AT(draw.kills),
	  .word = kills_word, .standard = "both" },
	{ "load", "KIND[:N],...", "load the machine with N processes (default 1) of each kind. cpu: they compute. nice: "
	  "likewise, at the lowest priority. memory: they write to 256 MiB again and again. disk: they write a file of "
	  "64 MiB in the workdir and sync it", OPTION_OWN, .set = set_load },
	{ "first", "N", "begin with number N (default 0)", OPTION_LONG, AT(first), .least = 0, .most = INT32_MAX },
	{ "minutes", "N", "stop after that long, whatever is left (default: no limit)", OPTION_SECONDS, AT(minutes) },
	{ "kernel", "NAME", "only runs of this kernel", OPTION_OWN, .set = set_kernel },
	{ "deadline", "S", "seconds until a run counts as hung", OPTION_SECONDS, AT(deadline), .standard = "60" },
	{ "results", "DIR", "keep the tally in DIR; the same command goes on where it stopped, with any --runs, --first and "
	  "--minutes", OPTION_STRING, AT(results) },
	{ "keep", "DIR", "move the run folders of bad runs to DIR (default with --results: bad in it), each with its record "
	  "and the command that repeats it", OPTION_STRING, AT(keep) },
	{ "workdir", "DIR", "where run folders are made (default $TMPDIR or /tmp)", OPTION_STRING, AT(workdir) },
	{ "dry-run", NULL, "only print the commands", OPTION_FLAG, AT(dry_run) },
	{ .name = NULL },
};

static const struct command command = {
	.usage = "usage: rollbench torture [OPTION ...]\n"
		 "\n"
		 "Make random runs: any kernel, number of roles, policy, interval, checkpoint level and lag, power\n"
		 "technique and strategy, with random kills. Every run must verify and end in the state of its\n"
		 "failure-free run, bit for bit; it may end out of spares only if more processes died than there were\n"
		 "spares. The command that repeats any other run is printed. With --replace spawn, runs have no spares.\n"
		 "With --hostfile and --kills planned, hosts die, too, some of them with their MPI daemon.\n"
		 "\n",
	.options = FOR_TORTURE | FOR_HOSTS,
	.own = own,
	.notes = "\n"
		 "exit status: 0 all as they may end, 1 some wrong, hung, aborted or out of spares, 2 usage,\n"
		 "130/143 interrupted\n",
};

/* RB_OK with a record, or RB_LOST: interrupted, or a negative status. */
static int run(struct torture *t, struct run_spec *spec, json_t **record, enum run_status *status,
	       struct launch *launch)
{
	struct kernel_plan plan;

	RB_TRY(spec_check(spec, &plan, &t->err));
	RB_TRY(launch_run(spec, t->workdir, LAUNCH_DISPOSABLE, launch, &t->err));
	*record = record_make(spec, &plan, launch, status);
	if (*record)
		return RB_OK;
	launch_remove(launch);
	return rb_fail(&t->err, RB_ENOMEM, "out of memory");
}

static void take_limits(const struct torture *t, struct run_spec *spec)
{
	spec->deadline_s = t->deadline;
	spec->repair_deadline_s = t->asked.repair_deadline_s;
	spec->escalation = t->asked.escalation;
}

/* The answer to compare with, once per problem. */
static int refer(struct torture *t, int problem, const char **hash)
{
	const json_t *known = journal_answer(&t->journal, problem);
	struct run_spec spec;
	struct launch launch;
	enum run_status status;
	json_t *record;
	int rc;

	if (!known) {
		RB_TRY(torture_reference(&spec, problem, &t->err));
		spec.hosts = t->asked.hosts;
		take_limits(t, &spec);
		RB_TRY(run(t, &spec, &record, &status, &launch));
		launch_remove(&launch);
		rc = status == STATUS_OK ? RB_OK :
		     rb_fail(&t->err, RB_EINVAL, "the failure-free run of %s is not ok but %s", spec.kernel->name,
			     status_name(status));
		if (rc == RB_OK)
			rc = journal_add(&t->journal, json_pack("{s:i, s:O}", "reference", problem, "state_hash",
								json_object_get(record, "state_hash")), &t->err);
		json_decref(record);
		RB_TRY(rc);
		known = journal_answer(&t->journal, problem);
	}
	*hash = json_string_value(json_object_get(known, "state_hash"));
	return *hash ? RB_OK : rb_fail(&t->err, RB_EINVAL, "%s: a reference without state_hash", t->journal.path);
}

/* Power techniques are drawn without regard to the machine; where one is not permitted, its run sleeps. Other hosts are
 * taken to permit what this machine permits. */
static int make(struct torture *t, int64_t i, struct run_spec *spec, int *problem)
{
	struct rb_error why;

	RB_TRY(torture_make(spec, &t->draw, i, problem, &t->err));
	take_limits(t, spec);
	if (launch_check_power(spec, &why) != RB_OK) {
		memcpy(t->refused, why.text, sizeof t->refused);
		spec->power = POWER_SLEEP;
	}
	return RB_OK;
}

static bool is_left_out(const struct torture *t, const struct run_spec *spec)
{
	return t->kernel && strcmp(t->kernel, spec->kernel->name) != 0;
}

/* Make the run; *line: what the journal says of it. New reference. */
static int make_run(struct torture *t, int64_t i, struct run_spec *spec, int problem, json_t **line)
{
	const char *hash, *message;
	struct outcome outcome;
	struct launch launch;
	enum run_status status;
	json_t *record;
	int rc = RB_OK;

	RB_TRY(load_check(&t->load, &t->err));
	RB_TRY(refer(t, problem, &hash));
	RB_TRY(run(t, spec, &record, &status, &launch));
	if (load_check(&t->load, &t->err) != RB_OK) { /* this run was not loaded to its end */
		json_decref(record);
		launch_remove(&launch);
		return RB_EIO;
	}
	outcome = result_judge(spec, record, status, hash, &message);
	*line = result_line(i, spec, record, &outcome, message);
	if (!*line)
		rc = rb_fail(&t->err, RB_ENOMEM, "out of memory");
	if (rc == RB_OK && !outcome.expected && t->keep)
		rc = result_keep(*line, record, &launch, t->keep, &t->err);
	else
		launch_remove(&launch);
	json_decref(record);
	if (rc != RB_OK)
		json_decref(*line);
	return rc;
}

static int torture_one(struct torture *t, int64_t i)
{
	const json_t *known = journal_run(&t->journal, i);
	struct run_spec spec;
	struct outcome outcome;
	json_t *line;
	int problem;

	RB_TRY(make(t, i, &spec, &problem));
	if (is_left_out(t, &spec))
		return RB_OK;
	if (!known) {
		RB_TRY(make_run(t, i, &spec, problem, &line));
		RB_TRY(journal_add(&t->journal, line, &t->err));
	}
	outcome = result_of(journal_run(&t->journal, i));
	outcome.resumed = known != NULL;
	if (!outcome.expected)
		result_say(journal_run(&t->journal, i));
	tally_add(&t->tally, &spec, &outcome);
	return RB_OK;
}

static int print_commands(struct torture *t)
{
	char text[COMMAND_TEXT];
	struct kernel_plan plan;
	struct run_spec spec;
	int problem;

	for (int64_t i = t->first; i < t->first + t->runs; i++) {
		RB_TRY(make(t, i, &spec, &problem));
		if (is_left_out(t, &spec))
			continue;
		RB_TRY(spec_check(&spec, &plan, &t->err));
		command_of(&spec, text);
		printf("%s\n", text);
	}
	return RB_OK;
}

/* The techniques that this machine permits, and for how many roles: drawn ones that it does not permit are replaced. */
static json_t *permitted(void)
{
	json_t *list = json_array();
	char why[POWER_TEXT];

	for (int t = 0; t < POWER_TECHNIQUES; t++)
		if (power_sets_core((enum power_technique)t) && power_probe((enum power_technique)t, 0, why))
			json_array_append_new(list, json_string(power_name((enum power_technique)t)));
	if (json_array_size(list) > 0)
		json_array_append_new(list, json_integer(pin_machine().cores));
	return list;
}

/* On what the runs of a results folder depend: with anything else they would be other runs. */
static json_t *terms(const struct torture *t)
{
	char load[LOAD_TEXT], program[MANIFEST_HASH], mpirun[MPIRUN_TEXT];

	load_format(&t->load, load);
	store_hash_program(program);
	mpirun_shape(mpirun);
	return json_pack("{s:s, s:I, s:s, s:s?, s:s, s:s, s:f, s:f, s:b, s:s, s:s, s:o?, s:o}", "schema",
			 "rollbench-torture-1", "seed", (json_int_t)t->draw.seed, "kills",
			 kills_word((int)t->draw.kills), "kernel", t->kernel, "replace",
			 t->draw.replace == FT_SPAWN ? "spawn" : "spare", "load", load, "deadline",
			 t->deadline, "repair_deadline", t->asked.repair_deadline_s, "escalation",
			 t->asked.escalation == ESCALATION_ON, "mpirun", mpirun, "program", program,
			 "hosts", t->asked.hosts ? hosts_shape_json(t->asked.hosts) : NULL, "power", permitted());
}

static int open_folders(struct torture *t)
{
	json_t *here;
	int rc;

	if (!t->results)
		RB_TRY(journal_none(&t->journal, &t->err));
	if (t->results) {
		here = terms(t);
		rc = here ? journal_open(&t->journal, t->results, here, &t->err) :
			    rb_fail(&t->err, RB_ENOMEM, "out of memory");
		json_decref(here);
		RB_TRY(rc);
		snprintf(t->in_results, sizeof t->in_results, "%s/bad", t->results);
		t->keep = t->keep ? t->keep : t->in_results;
	}
	if (t->keep && store_make_folders(t->keep) != 0)
		return rb_fail(&t->err, RB_EIO, "--keep %s: %s", t->keep, strerror(errno));
	return RB_OK;
}

static int run_all(struct torture *t)
{
	double end = clock_monotonic() + 60 * t->minutes;

	for (int64_t i = t->first; i < t->first + t->runs; i++) {
		int rc = launch_signal() ? RB_LOST : torture_one(t, i);

		if (rc != RB_OK)
			return rc;
		t->tally.done = (size_t)(i + 1 - t->first);
		tally_progress(&t->tally, i + 1 == t->first + t->runs);
		if (t->minutes > 0 && clock_monotonic() > end) {
			printf("time is up after %" PRId64 " of %" PRId64 " runs; go on with %s%" PRId64 "\n",
			       i + 1 - t->first, t->runs, t->results ? "the same command, or --first " : "--first ",
			       i + 1);
			break;
		}
	}
	return RB_OK;
}

static void say_summary(const struct torture *t)
{
	char load[LOAD_TEXT];

	load_format(&t->load, load);
	if (t->tally.resumed > 0)
		printf("%zu of these runs were already done\n", t->tally.resumed);
	tally_table(&t->tally, stdout);
	printf("kills: %s; load beside the runs: %s\n", kills_word((int)t->draw.kills), load);
	if (t->refused[0])
		printf("power techniques that this machine does not permit were left out: %s\n", t->refused);
	if (t->results)
		printf("results: %s\n", t->journal.path);
}

static int torture(struct torture *t)
{
	int rc;

	launch_catch_signals();
	tally_start(&t->tally, (size_t)t->runs);
	rc = open_folders(t);
	if (rc == RB_OK)
		rc = load_start(&t->load, t->workdir, &t->err);
	if (rc == RB_OK)
		rc = run_all(t);
	else if (launch_signal())
		rc = RB_LOST;
	load_stop(&t->load);
	if (rc == RB_OK)
		say_summary(t);
	journal_close(&t->journal);
	return rc;
}

static int interrupted(const struct torture *t)
{
	fprintf(stderr, "\nrollbench torture: interrupted after %zu runs; no process is left. Go on with %s%" PRId64 "\n",
		t->tally.done, t->results ? "the same command, or --first " : "--first ",
		t->first + (int64_t)t->tally.done);
	return interrupted_status(launch_signal());
}

int cmd_torture(int argc, char **argv)
{
	struct torture t = { .runs = 100, .draw = { .seed = 1, .kills = TORTURE_BOTH }, .deadline = 60 };
	int rc = command_parse(&command, argc, argv, &t.asked, &t, &t.err);

	if (rc == 1)
		return 0;
	t.draw.replace = t.asked.replace;
	t.draw.hosts = t.asked.hosts;
	t.draw.escalation = t.asked.escalation == ESCALATION_ON;
	if (rc == RB_OK && t.asked.hosts && t.draw.kills != TORTURE_PLANNED)
		rc = rb_fail(&t.err, RB_EINVAL, "--hostfile with --kills %s: kills by the clock reach processes of this machine "
			     "only; add --kills planned", kills_word((int)t.draw.kills));
	if (rc == RB_OK)
		rc = t.dry_run ? print_commands(&t) : torture(&t);
	if (rc == RB_LOST)
		return interrupted(&t);
	if (rc < 0)
		return refused_status("torture", &t.err);
	return t.tally.bad == 0 ? 0 : STATUS_WRONG;
}
