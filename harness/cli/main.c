/* The `rollbench` command. */
#include "base/build.h"
#include "base/streams.h"
#include "build_info.h"
#include "harness/cli/commands.h"
#include "harness/doctor/doctor.h"
#include "profile/command/profile_main.h"
#include "forecast/study/study.h"

#include <signal.h>
#include <string.h>

static const char usage[] =
	"usage: rollbench COMMAND [ARGUMENT ...]\n"
	"\n"
	"Find out what happens to a tightly coupled MPI program when a rank dies.\n"
	"\n"
	"  run KERNEL ...     run a kernel once, with failures, into one record\n"
	"  resume RUN         go on with a run whose job died\n"
	"  sweep CONFIG.yaml  run a set of experiments; resumes where it stopped\n"
	"  watch RESULTS      how far a running sweep is, its last runs, its curve\n"
	"  report             a page and a PDF of all results: verdict, findings, papers, runs\n"
	"  store ...          verify or merge the results of sweeps; the harness's own overhead\n"
	"  export             records as tables for R, pandas and others\n"
	"  explain KERNEL ... which roles will roll back, replay and wait, without running anything\n"
	"  partners KERNEL    from whom a role receives, who so replays to it; what it does in an iteration\n"
	"  torture            random failures in random runs, each checked bit for bit\n"
	"  interval KERNEL    how far apart checkpoints should be, for each strategy\n"
	"  barrier            what waiting for a late rank costs, with each way to save power\n"
	"  envelopes          what event logging pays for the envelope of a message\n"
	"  simulate PATTERN   how long a run with failures takes on a machine that is not here, by method\n"
	"  profile WHAT       who sends how much to whom: of a kernel without running it, or of any MPI program\n"
	"  study FILE ...     what a profile means for message logging: balance, rollback sets under a cap\n"
	"  model WHAT         what local, data-flow and memory-constrained rollback save, by the papers' models\n"
	"  papers ...         each figure, table and number of the five papers: its command, its data, a verdict\n"
	"  list [WHAT]        kernels, policies, checkpoint levels, phases, options\n"
	"  doctor             what this machine can and cannot do, with remedies\n"
	"\n"
	"  --help, --version  also COMMAND --help\n";

/* The first line names the version; what may be missing in this build stands below it. */
static void print_version(void)
{
	const char *without = "\nwithout:   ";

	printf("rollbench %s (%s)\ncompiler:  %s\nflags:     %s\ncpu:       %s\nlibraries: %s",
	       BUILD_VERSION, BUILD_COMMIT, BUILD_COMPILER, BUILD_FLAGS, BUILD_CPU,
	       libraries_found);
	for (const struct library *l = libraries; l->name; l++) {
		if (l->here)
			continue;
		printf("%s%s (%s; Debian: %s)", without, l->name, l->use, l->package);
		without = "\n           ";
	}
	putchar('\n');
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "run", cmd_run },
	{ "resume", cmd_resume },
	{ "sweep", cmd_sweep },
	{ "watch", cmd_script },
	{ "report", cmd_script },
	{ "store", cmd_store },
	{ "export", cmd_script },
	{ "explain", cmd_explain },
	{ "partners", partners_main },
	{ "torture", cmd_torture },
	{ "interval", cmd_interval },
	{ "barrier", cmd_barrier },
	{ "envelopes", cmd_envelopes },
	{ "simulate", cmd_simulate },
	{ "profile", profile_main },
	{ "study", study_main },
	{ "model", cmd_script },
	{ "papers", cmd_papers },
	{ "list", cmd_list },
	{ "doctor", doctor_main },
};

static int dispatch(int argc, char **argv)
{
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		print_version();
		return 0;
	}
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (argc > 1)
		fprintf(stderr, "rollbench: %s: unknown command\n\n", argv[1]);
	fputs(usage, stderr);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	streams_open();
	/* A file beyond the limit is an error of a write, which is told. */
	signal(SIGXFSZ, SIG_IGN);
	return streams_end(dispatch(argc, argv));
}
