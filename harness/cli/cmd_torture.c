#include "base/clock.h"
#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/job/launch.h"
#include "harness/spec/command.h"
#include "harness/torture/tally.h"
#include "harness/torture/torture_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct torture {
	int64_t runs, first, seed;
	double minutes, deadline;
	const char *kernel, *keep, *workdir;
	bool dry_run;
	struct run_spec asked;
	char hash[TORTURE_PROBLEMS][40]; /* of the failure-free runs; "": not run yet */
	struct tally tally;
	struct rb_error err;
};

static int set_kernel(void *base, const char *text, struct rb_error *err)
{
	if (!kernel_find(text))
		return rb_fail(err, RB_EINVAL, "--kernel %s: unknown; see `rollbench list kernels`", text);
	((struct torture *)base)->kernel = text;
	return RB_OK;
}

#define AT(member) .at = offsetof(struct torture, member)

static const struct option own[] = {
	{ "runs", "N", "how many", OPTION_LONG, AT(runs), .least = 1, .most = INT32_MAX, .standard = "100" },
	{ "seed", "N", "which ones; run number i of a seed is always the same", OPTION_LONG, AT(seed), .least = 0,
	  .most = INT64_MAX, .standard = "1" },
	{ "first", "N", "begin with number N (default 0)", OPTION_LONG, AT(first), .least = 0, .most = INT32_MAX },
	{ "minutes", "N", "stop after that long, whatever is left (default: no limit)", OPTION_SECONDS, AT(minutes) },
	{ "kernel", "NAME", "only runs of this kernel", OPTION_OWN, .set = set_kernel },
	{ "deadline", "S", "seconds until a run counts as hung", OPTION_SECONDS, AT(deadline), .standard = "60" },
	{ "keep", "DIR", "keep the run folders of bad runs in DIR", OPTION_STRING, AT(keep) },
	{ "workdir", "DIR", "where run folders are made (default $TMPDIR or /tmp)", OPTION_STRING, AT(workdir) },
	{ "dry-run", NULL, "only print the commands", OPTION_FLAG, AT(dry_run) },
	{ .name = NULL },
};

static const struct command command = {
	.usage = "usage: rollbench torture [OPTION ...]\n"
		 "\n"
		 "Make random runs: any kernel, number of roles, policy and interval, with one to four kills of\n"
		 "roles, spares and nodes in any phase, recoveries included. Every run must verify and end in the\n"
		 "state of its failure-free run, bit for bit. If a run does not, the command that repeats it is\n"
		 "printed. With --replace spawn, runs have no spares.\n"
		 "\n",
	.options = FOR_TORTURE,
	.own = own,
	.notes = "\n"
		 "exit status: 0 all ok, 1 some wrong, hung, aborted or out of spares, 2 usage,\n"
		 "130/143 interrupted\n",
};

/* RB_OK with a record, or RB_LOST: interrupted, or a negative status. */
static int run(struct torture *t, struct run_spec *spec, json_t **record, enum run_status *status,
	       struct launch *launch)
{
	struct kernel_plan plan;

	spec->deadline_s = t->deadline;
	RB_TRY(spec_check(spec, &plan, &t->err));
	RB_TRY(launch_run(spec, t->workdir, t->keep ? LAUNCH_RESUMABLE : LAUNCH_DISPOSABLE, launch, &t->err));
	if (launch->end == LAUNCH_INTERRUPTED) {
		launch_remove(launch);
		return RB_LOST;
	}
	*record = record_make(spec, &plan, launch, status);
	return *record ? RB_OK : rb_fail(&t->err, RB_ENOMEM, "out of memory");
}

/* The answer to compare with, once per problem. */
static int refer(struct torture *t, int problem)
{
	struct run_spec spec;
	struct launch launch;
	enum run_status status;
	const char *hash;
	json_t *record;
	int rc;

	if (t->hash[problem][0])
		return RB_OK;
	RB_TRY(torture_reference(&spec, problem, &t->err));
	RB_TRY(run(t, &spec, &record, &status, &launch));
	launch_remove(&launch);
	hash = json_string_value(json_object_get(record, "state_hash"));
	snprintf(t->hash[problem], sizeof t->hash[problem], "%s", hash ? hash : "");
	rc = status == STATUS_OK ? RB_OK : RB_EINVAL;
	if (rc != RB_OK)
		rb_fail(&t->err, rc, "the failure-free run of %s is not ok but %s",
			spec.kernel->name, status_name(status));
	json_decref(record);
	return rc;
}

static void say_bad(const struct torture *t, const struct run_spec *spec, int64_t i,
		    enum run_status status, const char *message, const struct launch *launch)
{
	char command[COMMAND_TEXT];

	command_of(spec, command);
	printf("%s: run %" PRId64 ": %s\n  %s\n", status_name(status), i, message ? message : "",
	       command);
	if (t->keep)
		printf("  run folder: %s\n", launch->dir);
	fflush(stdout);
}

/* A spare that is to die needs spares, so such kills are left out. */
static int make(struct torture *t, int64_t i, struct run_spec *spec, int *problem)
{
	size_t kept = 0;

	RB_TRY(torture_make(spec, (uint64_t)t->seed, i, problem, &t->err));
	spec->replace = t->asked.replace;
	for (size_t k = 0; k < spec->plan.count; k++)
		if (spec->replace == FT_SPARE || spec->plan.kill[k].who != INJECT_SPARE)
			spec->plan.kill[kept++] = spec->plan.kill[k];
	spec->plan.count = kept;
	return RB_OK;
}

static int torture_one(struct torture *t, int64_t i)
{
	struct sweep_run named = { .reference = -1 };
	struct run_spec *spec = &named.spec;
	const char *hash, *message;
	struct launch launch;
	enum run_status status;
	json_t *record;
	int problem;

	RB_TRY(make(t, i, spec, &problem));
	if (t->kernel && strcmp(t->kernel, spec->kernel->name) != 0)
		return RB_OK;
	RB_TRY(refer(t, problem));
	RB_TRY(run(t, spec, &record, &status, &launch));
	hash = json_string_value(json_object_get(record, "state_hash"));
	message = json_string_value(json_object_get(record, "message"));
	if (status == STATUS_OK && (!hash || strcmp(hash, t->hash[problem]) != 0)) {
		status = STATUS_WRONG;
		message = "the final state differs from the failure-free run's";
	}
	if (status != STATUS_OK)
		say_bad(t, spec, i, status, message, &launch);
	if (status == STATUS_OK || !t->keep)
		launch_remove(&launch);
	tally_add(&t->tally, &named, status, false);
	json_decref(record);
	return RB_OK;
}

static int print_commands(struct torture *t)
{
	char command[COMMAND_TEXT];
	struct kernel_plan plan;
	struct run_spec spec;
	int problem;

	for (int64_t i = t->first; i < t->first + t->runs; i++) {
		RB_TRY(make(t, i, &spec, &problem));
		if (t->kernel && strcmp(t->kernel, spec.kernel->name) != 0)
			continue;
		RB_TRY(spec_check(&spec, &plan, &t->err));
		command_of(&spec, command);
		printf("%s\n", command);
	}
	return RB_OK;
}

static int torture(struct torture *t)
{
	double end = clock_monotonic() + 60 * t->minutes;
	int64_t i = t->first;

	launch_catch_signals();
	tally_start(&t->tally, (size_t)t->runs);
	if (t->keep && mkdir(t->keep, 0777) != 0 && errno != EEXIST)
		return rb_fail(&t->err, RB_EIO, "--keep %s: %s", t->keep, strerror(errno));
	if (t->keep)
		t->workdir = t->keep;
	for (; i < t->first + t->runs; i++) {
		int rc = launch_signal() ? RB_LOST : torture_one(t, i);

		if (rc != RB_OK)
			return rc;
		t->tally.done = (size_t)(i + 1 - t->first);
		tally_progress(&t->tally, i + 1 == t->first + t->runs);
		if (t->minutes > 0 && clock_monotonic() > end) {
			printf("time is up after %" PRId64 " of %" PRId64 " runs; go on with --first "
			       "%" PRId64 "\n", i + 1 - t->first, t->runs, i + 1);
			break;
		}
	}
	tally_table(&t->tally, stdout);
	return RB_OK;
}

int cmd_torture(int argc, char **argv)
{
	struct torture t = { .runs = 100, .seed = 1, .deadline = 60 };
	int rc = command_parse(&command, argc, argv, &t.asked, &t, &t.err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK)
		rc = t.dry_run ? print_commands(&t) : torture(&t);
	if (rc == RB_LOST) {
		fprintf(stderr, "\nrollbench torture: interrupted after %zu runs; no process is left. Go "
			"on with --first %" PRId64 "\n", t.tally.done,
			t.first + (int64_t)t.tally.done);
		return interrupted_status(launch_signal());
	}
	if (rc < 0)
		return refused_status("torture", &t.err);
	return t.tally.all.count[STATUS_OK] == t.tally.all.total ? 0 : STATUS_WRONG;
}
