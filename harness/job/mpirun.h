/* harness/job/mpirun.h - the mpirun that starts jobs, and the user's own arguments to it.
 *
 * $ROLLBENCH_MPIRUN is its path (otherwise the one of $PATH). $ROLLBENCH_MPIRUN_ARGS is added to its
 * arguments, with blanks between them. */
#ifndef HARNESS_JOB_MPIRUN_H
#define HARNESS_JOB_MPIRUN_H

enum { MPIRUN_TEXT = 8192 };

const char *mpirun_program(void);
/* "" if there are none. */
const char *mpirun_arguments(void);
/* Both variables, as they were given. */
void mpirun_text(char out[MPIRUN_TEXT]);
/* The same without names of hosts and addresses of networks, which say where a job ran and not how
 * (docs/record.md). "" if the user set nothing. */
void mpirun_shape(char out[MPIRUN_TEXT]);

#endif
