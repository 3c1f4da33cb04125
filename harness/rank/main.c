/* The program rollbench_worker: a process of a job. Only this program is linked with the MPI, so
 * that the rollbench command, which starts it, works where there is none. */
#include "harness/barrier/barrier.h"
#include "harness/doctor/doctor_hosts.h"
#include "harness/kind/elc/elc_run.h"
#include "harness/rank/worker.h"
#include "harness/transport/settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USAGE = 2 };

static int print_settings(void)
{
	json_t *settings = settings_in_force();
	const bool printed = json_dumpf(settings, stdout, JSON_COMPACT) == 0 && fflush(stdout) == 0;

	json_decref(settings);
	return printed ? 0 : 1;
}

int main(int argc, char **argv)
{
	/* A line at once: glibc 2.41 writes what is longer than 128 bytes to an unbuffered stream
	 * in pieces, and mpirun mixes those of ranks. */
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	if (argc == 4 && strcmp(argv[1], "worker") == 0) /* by `run` and `sweep` */
		return worker_main(argv[2], atoi(argv[3]));
	if (argc == 3 && strcmp(argv[1], "barrier-worker") == 0) /* by `barrier` */
		return barrier_worker_main(argv[2]);
	if (argc == 3 && strcmp(argv[1], "elc-worker") == 0) /* by `run` with --protocol */
		return elc_worker_main(argv[2]);
	if (argc == 4 && strcmp(argv[1], "elc-worker") == 0) /* likewise, with --hostfile */
		return elc_hosts_answer(argv[2], argv[3]);
	if (argc == 3 && strcmp(argv[1], "doctor-worker") == 0) /* by `doctor` */
		return doctor_worker_main(argv[2]);
	if (argc == 2 &&
	    strcmp(argv[1], "nothing") ==
		    0) /* to see whether a process starts on a host (harness/job/launch.c) */
		return 0;
	if (argc == 2 &&
	    strcmp(argv[1], "settings") == 0) /* by all of them (harness/transport/ask.c) */
		return print_settings();
	fputs("rollbench_worker: the rollbench command starts this program; see rollbench --help\n",
	      stderr);
	return USAGE;
}
