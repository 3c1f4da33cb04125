/* The program rollbench_worker: a process of a job. Only this program is linked with the MPI, so that the rollbench command, which
 * starts it, works where there is none. */
#include "harness/barrier/barrier.h"
#include "harness/lines/lines.h"

#include <stdio.h>
#include <string.h>

enum { USAGE = 2 };

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "worker") == 0) /* by `run` and `sweep` */
		return worker_main(argv[2]);
	if (argc == 3 && strcmp(argv[1], "barrier-worker") == 0) /* by `barrier` */
		return barrier_worker_main(argv[2]);
	if (argc == 3 && strcmp(argv[1], "line-worker") == 0) /* by `run` with --line */
		return line_worker_main(argv[2]);
	if (argc == 4 && strcmp(argv[1], "line-worker") == 0) /* by `run` with --line, --hostfile */
		return line_hosts_answer(argv[2], argv[3]);
	fputs("rollbench_worker: the rollbench command starts this program; see rollbench --help\n", stderr);
	return USAGE;
}
