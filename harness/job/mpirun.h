/* harness/job/mpirun.h - the mpirun that starts jobs, and the user's own arguments to it.
 *
 * $ROLLBENCH_MPIRUN is its path (otherwise the one of $PATH). $ROLLBENCH_MPIRUN_ARGS is added to its
 * arguments, with blanks between them. */
#ifndef HARNESS_JOB_MPIRUN_H
#define HARNESS_JOB_MPIRUN_H

#include "base/error.h"

#include <stdbool.h>

/* Of the words of a command, MPIRUN_OWN may be the user's. */
enum { MPIRUN_TEXT = 8192, MPIRUN_WORDS = 256, MPIRUN_OWN = 200 };

/* The command line of a job, which ends with NULL. */
struct mpirun_command {
	const char *word[MPIRUN_WORDS];
	int count;
	char own[MPIRUN_TEXT]; /* the user's words */
};

/* Begin with the program and with what all jobs need, and with_ft what a job needs to survive the death of a process
 * (docs/ulfm-notes.md says why). */
void mpirun_begin(struct mpirun_command *c, bool with_ft);
/* What a job on this machine alone needs, and one whose ranks share cores. */
extern const char *const mpirun_loopback[], *const mpirun_naps[];
void mpirun_add(struct mpirun_command *c, const char *word);
void mpirun_add_all(struct mpirun_command *c, const char *const *words); /* words: they end with NULL */
/* The user's own arguments; mpirun_check() has said that they fit. */
void mpirun_add_own(struct mpirun_command *c);

const char *mpirun_program(void);
/* Are the user's own arguments short enough to be used? RB_OK or RB_EINVAL. */
int mpirun_check(struct rb_error *err);
/* Do they name hosts, or networks other than the loopback? */
bool mpirun_names_hosts(void);
/* Both variables, as they were given. */
void mpirun_text(char out[MPIRUN_TEXT]);
/* The same without names of hosts and addresses of networks, which say where a job ran and not how
 * (docs/record.md). "" if the user set nothing. */
void mpirun_shape(char out[MPIRUN_TEXT]);

#endif
