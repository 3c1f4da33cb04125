/* harness/job/reap.h - end everything that this process has started. */
#ifndef HARNESS_JOB_REAP_H
#define HARNESS_JOB_REAP_H

#include <sys/types.h>

/* The name of processes beside the jobs, which go on from one job to the next (--load of
 * torture). */
#define LOAD_NAME "rollbench-load"
/* The keeper of a meter's command (harness/watts/meter_command.h). */
#define METER_COMMAND_NAME "rollbench-watts"

/* Ask `first` (0: no process) to end, give it two seconds, then kill every descendant of this
 * process but cleaners, load and the keepers of commands, and collect them. The caller is a child
 * subreaper, so orphans become its children. */
void reap_all(pid_t first);

#endif
