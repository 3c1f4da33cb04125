/* harness/job/launch_job.h - one MPI job of this program: started, watched, and nothing left of it. */
#ifndef HARNESS_JOB_LAUNCH_JOB_H
#define HARNESS_JOB_LAUNCH_JOB_H

#include "base/error.h"
#include "harness/spec/spec.h"

#include <stdbool.h>

enum launch_end {
	LAUNCH_EXITED,      /* mpirun ended by itself */
	LAUNCH_LINGERED,    /* there was nothing left to do for it, but the job did not end */
	LAUNCH_DEADLINE,    /* ended by us: the deadline passed */
	LAUNCH_INTERRUPTED, /* ended by us: SIGINT or SIGTERM came */
};

/* Catch SIGINT and SIGTERM from here on; returns the signal that came, or 0. */
void launch_catch_signals(void);
int launch_signal(void);

struct launch_job {
	const char *dir;    /* receives mpirun.log and MPI's own files */
	const char *shared; /* where the MPI puts its shared memory; "": wherever it likes */
	const char *placement; /* a host for each process, one a line; NULL: as the MPI likes */
	int np;             /* processes */
	bool with_ft;       /* the job survives the death of a process */
	bool oversubscribed;
	const char *const *worker;   /* arguments of this program in each process; ends with NULL */
	double begun_s, deadline_s;  /* CLOCK_MONOTONIC, and how long after that it may last */
	bool (*over)(void *ctx);     /* nothing left to do: asked about once a second */
	void *ctx;
};

/* Do the user's own arguments to mpirun ($ROLLBENCH_MPIRUN_ARGS) speak of other hosts? */
bool launch_names_hosts(void);
/* RB_OK whatever became of the job; RB_EIO if it could not be started. */
int launch_job(const struct launch_job *job, enum launch_end *end, struct rb_error *err);

/* The log of the jobs in that folder, and how many bytes it has so far. */
enum { LAUNCH_PATH = SPEC_PATH + 16 };
void launch_log_path(const char *dir, char out[LAUNCH_PATH]);
long launch_log_size(const char *dir);
/* From the log of a job that left no result, which begins at byte `from`: a worker's last words, or else MPI's. */
enum { LAUNCH_WORDS = 400 };
void launch_last_words(const char *dir, long from, char out[LAUNCH_WORDS]);

#endif
