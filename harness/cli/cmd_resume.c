#include "base/status.h"
#include "harness/cli/commands.h"
#include "harness/options/command.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>

/* What is asked for besides what the folder says. */
struct request {
	struct run run;
	const char *dir;
};

static const struct option own[] = {
	{ "", NULL, NULL, OPTION_STRING, .at = offsetof(struct request, dir) },
	{ .name = NULL },
};

static const struct command command = {
	.usage =
		"usage: rollbench resume RUN [OPTION ...]\n"
		"\n"
		"Continue a run whose job, or whose machine, died. RUN is its run folder (`run --keep`, or what\n"
		"a killed `run` has left in its --workdir), or a copy of that folder on another machine. The run\n"
		"starts from the newest checkpoint that all roles can read, or from its newest committed line.\n"
		"Folders of runs that are made for a comparison (--reference run) are beside RUN, or in --workdir.\n"
		"\n",
	.options = FOR_HOSTS,
	.own = own,
	.shared = run_options,
	.notes = "\n"
		 "exit status: 0 ok, 1 wrong, 2 usage, 3 hang, 4 abort, 5 out of spares\n",
};

static int resume(const struct request *asked, const struct hosts *hosts, struct rb_error *err)
{
	char beside[PATH_MAX];
	struct run *run;
	int rc = run_of_folder(&run, all_kinds, asked->dir, err);

	if (rc == RB_OK) {
		run->json = asked->run.json;
		run->trace = asked->run.trace;
		run->reference_asked = asked->run.reference_asked;
		/* of a run that is made for the comparison: all hosts see that place */
		run->workdir = asked->run.workdir             ? asked->run.workdir
			       : realpath(asked->dir, beside) ? dirname(beside)
							      : NULL;
		run->keep = asked->run.keep;
		run->quiet = asked->run.quiet;
		*run->kind->hosts(run) = hosts;
		rc = run_to_its_end(run, err);
	}
	run_free(run);
	return rc;
}

int cmd_resume(int argc, char **argv)
{
	struct request r = { .dir = NULL };
	struct run_spec spec;
	struct rb_error err;
	int rc = command_parse(&command, argc, argv, &spec, &r, &err);

	if (rc == 1)
		return 0;
	if (rc == RB_OK)
		rc = r.dir ? resume(&r, spec.hosts, &err)
			   : rb_fail(&err, RB_EINVAL, "expected a run folder");
	return rc < 0 ? refused_status("resume", &err) : rc;
}
