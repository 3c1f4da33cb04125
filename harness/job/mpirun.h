/* harness/job/mpirun.h - the mpirun that starts jobs, and the user's own arguments to it.
 *
 * $ROLLBENCH_MPIRUN is its path (otherwise the one of $PATH). $ROLLBENCH_MPIRUN_ARGS is added to
 * its arguments, with blanks between them. */
#ifndef HARNESS_JOB_MPIRUN_H
#define HARNESS_JOB_MPIRUN_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Of the words of a command, MPIRUN_OWN may be the user's. */
enum { MPIRUN_TEXT = 8192, MPIRUN_WORDS = 268, MPIRUN_OWN = 200 };

/* A job to start. */
struct mpirun_job {
	bool with_ft; /* it survives the death of a process */
	/* what hosts_place() has written; NULL: the MPI chooses */
	const char *placement;
	/* the folder for the shared memory of the MPI on this host; NULL or "": the MPI chooses */
	const char *shared;
	/* processes on a core that share it, and so nap while they wait; 0: each has its own */
	double per_core;
	int np;                     /* processes */
	const char *const *program; /* the program, and first arguments of it; it ends with NULL */
	const char *const *arguments; /* further ones; NULL: none */
};

/* The command line of a job, which ends with NULL. */
struct mpirun_command {
	const char *word[MPIRUN_WORDS];
	int count;
	char own[MPIRUN_TEXT]; /* the user's words */
	char np[16], nap_ns[16], order[64];
};

/* The one command line of every job that the harness starts (docs/ulfm-notes.md says why each word
 * is there). It is called in the process that becomes mpirun, which inherits a file of the
 * placement. plan: transport_plan(); it and the job's own words must stay. mpirun_check() has said
 * that the user's words fit. */
void mpirun_build(struct mpirun_command *c, const json_t *plan, const struct mpirun_job *job);
/* Do all its processes run on this machine? */
bool mpirun_is_here(const struct mpirun_job *job);

const char *mpirun_program(void);
/* Are the user's own arguments short enough to be used? RB_OK or RB_EINVAL. */
int mpirun_check(struct rb_error *err);
/* Do they name hosts? Hosts, or networks other than the loopback? */
bool mpirun_lists_hosts(void);
bool mpirun_names_hosts(void);
/* Both variables, as they were given. */
void mpirun_text(char out[MPIRUN_TEXT]);
/* The same without names of hosts and addresses of networks, which say where a job ran and not how
 * (docs/record.md). "" if the user set nothing. */
void mpirun_shape(char out[MPIRUN_TEXT]);
/* What a run follows from besides its own description, for its key: "mpirun", the shape of what was
 * asked for, if that is something, and "transport", how messages travel (transport_shape()). */
void mpirun_describe(json_t *description);

#endif
