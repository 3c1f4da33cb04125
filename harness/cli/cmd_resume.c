#include "base/status.h"
#include "ft/ledger.h"
#include "harness/cli/commands.h"
#include "harness/kind/engine/engine_run.h"
#include "harness/options/command.h"

#include <stdlib.h>

struct request {
	const char *dir, *json;
	bool keep, quiet;
};

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_STRING, AT(dir) },
	{ "json", "FILE", "write the record to FILE; '-': alone on standard output", OPTION_STRING,
	  AT(json) },
	{ "keep", NULL, "keep the run folder when the run has ended well", OPTION_FLAG, AT(keep) },
	{ "quiet", NULL, "say nothing but errors", OPTION_FLAG, AT(quiet) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench resume RUN [OPTION ...]\n"
		"\n"
		"Continue a run whose job, or whose machine, died. RUN is its run folder (`run --keep`, or what\n"
		"a killed `run` has left in its --workdir), or a copy of that folder on another machine. The run\n"
		"starts from the newest checkpoint that all roles can read.\n"
		"\n",
	.options = FOR_HOSTS,
	.own = own,
	.notes = "\n"
		 "exit status: 0 ok, 1 wrong, 2 usage, 3 hang, 4 abort, 5 out of spares\n",
};

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

static int resume(const struct request *r, const struct hosts *hosts, struct rb_error *err)
{
	struct kernel_plan plan;
	enum run_status status;
	struct launch launch;
	struct levels levels;
	struct run_spec spec;
	json_t *record;

	RB_TRY(spec_load(&spec, r->dir, err));
	spec.hosts = hosts;
	spec.resumed = true;
	RB_TRY(levels_parse(&levels, spec.ckpt, err));
	if (!levels.file)
		return rb_fail(
			err, RB_EINVAL,
			"%s: its checkpoints (--ckpt %s) were in memory and are gone with the job; "
			"only the level file can be resumed",
			r->dir, spec.ckpt);
	RB_TRY(spec_check(&spec, &plan, err));
	RB_TRY(check_ledgers(&spec, r->dir, err));
	say_leftovers("resume");
	launch_catch_signals();
	RB_TRY(launch_resume(&spec, r->dir, &launch, err));
	if (launch.end == LAUNCH_INTERRUPTED) {
		fprintf(stderr,
			"rollbench resume: interrupted; no process is left, the run folder "
			"is: %s\n",
			launch.dir);
		return interrupted_status(launch_signal());
	}
	record = launch_record(&spec, &plan, &launch, &status);
	if (!record)
		return rb_fail(err, RB_ENOMEM, "out of memory");
	if (!r->quiet)
		say_outcome(record, record_is_to_stdout(r->json) ? stderr : stdout);
	if (record_deliver(record, r->json, err) != RB_OK)
		status = STATUS_USAGE;
	else if (status == STATUS_OK && !r->keep)
		launch_remove(&launch);
	json_decref(record);
	return status == STATUS_USAGE ? RB_EIO : (int)status;
}

int cmd_resume(int argc, char **argv)
{
	struct request r = { .keep = false };
	struct run_spec asked;
	struct rb_error err;
	int rc = command_parse(&command, argc, argv, &asked, &r, &err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK)
		rc = launch_find_hosts(&asked.hosts, &err);
	if (rc == RB_OK)
		rc = r.dir ? resume(&r, asked.hosts, &err)
			   : rb_fail(&err, RB_EINVAL, "expected a run folder");
	return rc < 0 ? refused_status("resume", &err) : rc;
}
