#include "profile/command/profile_main.h"

#include "base/status.h"
#include "profile/command/request.h"
#include "harness/options/command.h"

#include <stdio.h>
#include <string.h>

enum { REFUSED = 2 }; /* exit status of a command that was refused */

static int set_iterations(void *base, const char *text, struct rb_error *err)
{
	return iteration_range_parse(&((struct request *)base)->iterations, text, err);
}

#define AT(member) .at = offsetof(struct request, member)

static const struct option own[] = {
	{ "out", "FILE",
	  "where the profile goes; it is compressed if the name ends in .gz. -: standard output, "
	  "of a kernel only",
	  OPTION_STRING, AT(out) },
	{ "iterations", "N|A..B",
	  "of a kernel: count the first N iterations, or those from A to B (default: all)",
	  OPTION_OWN, .set = set_iterations },
	{ "self-messages", NULL,
	  "of a kernel: count what a role copies to itself, where the algorithm has a message "
	  "between other roles, as a message to itself, as programs like NPB-CG send it",
	  OPTION_FLAG, AT(copies) },
	{ .name = NULL },
};

static const char usage[] =
	"usage: rollbench profile KERNEL --out FILE [OPTION ...]\n"
	"       rollbench profile --out FILE -- COMMAND [ARGUMENT ...]\n"
	"\n"
	"Write who sends how many messages and bytes to whom (docs/profile.md). Of a kernel, this follows from its pattern,\n"
	"and nothing is run. Otherwise the command, for instance mpirun -n 256 ./program, is run with a library\n"
	"that counts the calls of MPI in each of its processes. If the program dies, what was counted until then is kept,\n"
	"and the file says what is missing. The exit status is that of the command.\n"
	"\n";

static const struct command of_kernel = {
	.usage = usage,
	.options = FOR_PROFILE,
	.kernel = true,
	.own = own,
	.notes =
		"\n"
		"The processes of the command must be on this machine, or mpirun must pass on the environment: with\n"
		"Open MPI by -x LD_PRELOAD -x ROLLBENCH_PROFILE. FILE must then be in a folder that all hosts see.\n",
};

static const struct command of_program = { .usage = usage, .own = own };

/* The index of "--" before the command; 0: there is none. */
static int command_at(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return i;
	return 0;
}

static int parse_program(struct request *r, int argc, char **argv, int dashes, struct rb_error *err)
{
	RB_TRY(command_parse(&of_program, dashes, argv, NULL, r, err));
	if (dashes + 1 == argc)
		return rb_fail(err, RB_EINVAL,
			       "expected a command behind --, for instance mpirun -n 4 ./program");
	if (r->iterations.to > 0 || r->copies)
		return rb_fail(
			err, RB_EINVAL,
			"--iterations, --self-messages: these are for the profile of a kernel; a "
			"program is profiled as it is");
	return RB_OK;
}

/* Write the profile of a kernel. words: what was asked for, without the command's name. */
static int profile_kernel(const struct request *r, const struct run_spec *spec, char **words,
			  struct rb_error *err)
{
	struct iteration_range range = r->iterations;
	struct profile p;
	int rc = RB_OK;

	RB_TRY(profile_of_kernel(&p, spec, &range, r->copies, "rollbench profile", words, err));
	if (strcmp(r->out, "-") == 0)
		profile_print(&p, stdout);
	else
		rc = profile_write(&p, r->out, err);
	profile_free(&p);
	return rc;
}

/* 1: help was asked for. */
static int profile(int argc, char **argv, struct rb_error *err)
{
	const int dashes = command_at(argc, argv);
	struct request r = { .out = NULL };
	struct run_spec spec;

	if (dashes > 0)
		RB_TRY(parse_program(&r, argc, argv, dashes, err));
	else
		RB_TRY(command_parse(&of_kernel, argc, argv, &spec, &r, err));
	if (!r.out)
		return rb_fail(err, RB_EINVAL,
			       "--out FILE is missing: where is the profile to be written?");
	return dashes > 0 ? profile_program(&r, argv + dashes + 1, err)
			  : profile_kernel(&r, &spec, argv + 1, err);
}

int profile_main(int argc, char **argv)
{
	struct rb_error err = { "out of memory" };
	const bool help = argc > 1 && command_at(argc, argv) == 0 && command_help_asked(argc, argv);
	const int rc = profile(argc, argv, &err);

	if (rc >= 0)
		return help ? 0 : rc;
	fprintf(stderr, "rollbench profile: %s\n", err.text);
	return REFUSED;
}
