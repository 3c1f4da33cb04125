/* The program rollbench_simgrid: `rollbench simulate --engine simgrid` becomes this program, since
 * SimGrid's library must not be linked into one that uses another MPI. */
#include "harness/cli/commands.h"

int main(int argc, char **argv)
{
	return argc > 1 ? cmd_simulate(argc - 1, argv + 1) : STATUS_USAGE;
}
