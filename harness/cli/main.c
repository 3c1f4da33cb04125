/* The `rollbench` command. */
#include "build_info.h"
#include "harness/barrier/barrier.h"
#include "harness/cli/commands.h"
#include "harness/doctor/doctor.h"
#include "harness/doctor/doctor_hosts.h"
#include "harness/lines/lines.h"
#include "harness/profile/profile_main.h"
#include "harness/study/study.h"
#include "harness/transport/settings.h"
#include "harness/transport/transport.h"

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
	"  report             a page and a PDF of all results: verdict, machine, figures, times\n"
	"  store ...          verify or merge the results of sweeps; the harness's own overhead\n"
	"  export             records as tables for R, pandas and others\n"
	"  explain KERNEL ... which roles will roll back, replay and wait, without running anything\n"
	"  partners KERNEL    from whom each role receives, and so who replays to it, for up to 2^20 roles\n"
	"  torture            random failures in random runs, each checked bit for bit\n"
	"  interval KERNEL    how far apart checkpoints should be, for each strategy\n"
	"  barrier            what waiting for a late rank costs, with each way to save power\n"
	"  simulate PATTERN   how long a run with failures takes on a machine that is not here, by method\n"
	"  profile WHAT       who sends how much to whom: of a kernel without running it, or of any MPI program\n"
	"  study FILE ...     what a profile means for message logging: balance, rollback sets under a cap\n"
	"  model WHAT         what local, data-flow and memory-constrained rollback save, by the papers' models\n"
	"  papers ...         each figure, table and number of the five papers: its command, its data, a verdict\n"
	"  list [WHAT]        kernels, policies, checkpoint levels, phases, options\n"
	"  doctor             what this machine can and cannot do, with remedies\n"
	"\n"
	"  --help, --version  also COMMAND --help\n";

static int cmd_worker(int argc, char **argv)
{
	return argc == 2 ? worker_main(argv[1]) : STATUS_USAGE; /* started by `run` only */
}

static int cmd_barrier_worker(int argc, char **argv)
{
	return argc == 2 ? barrier_worker_main(argv[1]) : STATUS_USAGE; /* by `barrier` only */
}

static int cmd_line_worker(int argc, char **argv)
{
	if (argc == 3) /* by `run` with --line, --hostfile */
		return line_hosts_answer(argv[1], argv[2]);
	return argc == 2 ? line_worker_main(argv[1]) : STATUS_USAGE; /* by `run` with --line */
}

static int cmd_doctor_worker(int argc, char **argv)
{
	return argc == 2 ? doctor_worker_main(argv[1]) : STATUS_USAGE; /* by `doctor` only */
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
	{ "store", cmd_script },
	{ "export", cmd_script },
	{ "explain", cmd_explain },
	{ "partners", partners_main },
	{ "torture", cmd_torture },
	{ "interval", cmd_interval },
	{ "barrier", cmd_barrier },
	{ "simulate", cmd_simulate },
	{ "profile", profile_main },
	{ "study", study_main },
	{ "model", cmd_script },
	{ "papers", cmd_script },
	{ "list", cmd_list },
	{ "doctor", doctor_main },
	{ "worker", cmd_worker },
	{ "barrier-worker", cmd_barrier_worker },
	{ "line-worker", cmd_line_worker },
	{ "doctor-worker", cmd_doctor_worker },
};

int main(int argc, char **argv)
{
	transport_ask_with(settings_in_force);
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("rollbench " BUILD_VERSION " (" BUILD_COMMIT ")");
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
