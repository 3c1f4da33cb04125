/* The program rollbench_simgrid: `rollbench simulate --engine simgrid` and `interval --simulate`
 * with that engine become this program, since SimGrid's library must not be linked into one that
 * uses another MPI. */
#include "harness/cli/commands.h"

#include <string.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return STATUS_USAGE;
	return strcmp(argv[1], "interval") == 0 ? cmd_interval(argc - 1, argv + 1)
						: cmd_simulate(argc - 1, argv + 1);
}
