/* harness/job/launch_job.h - one MPI job of this program: start it, watch it, and leave nothing of
 * it. */
#ifndef HARNESS_JOB_LAUNCH_JOB_H
#define HARNESS_JOB_LAUNCH_JOB_H

#include "base/error.h"
#include "harness/options/spec.h"

#include <stdbool.h>

enum launch_end {
	LAUNCH_EXITED,      /* mpirun ended by itself */
	LAUNCH_CUT,         /* mpirun was ended by a signal, and not by the harness */
	LAUNCH_LINGERED,    /* the job had nothing left to do, but did not end */
	LAUNCH_STUCK,       /* the harness ended it: it would not have gone on */
	LAUNCH_DEADLINE,    /* the harness ended it: the deadline passed */
	LAUNCH_INTERRUPTED, /* the harness ended it: SIGINT or SIGTERM came */
};

static inline bool launch_ended(enum launch_end end)
{
	return end == LAUNCH_EXITED || end == LAUNCH_CUT;
}

/* Catch SIGINT and SIGTERM from now on. Returns the signal that came, or 0. */
void launch_catch_signals(void);
int launch_signal(void);

/* What a job does, as far as the harness can see from outside. */
enum job_state {
	JOB_RUNS,
	JOB_OVER,  /* nothing is left to do */
	JOB_STUCK, /* it will not go on */
};

struct launch_job {
	const char *dir;    /* receives mpirun.log and MPI's own files */
	const char *shared; /* the folder for the shared memory of the MPI; "": the MPI chooses */
	const char *placement; /* what hosts_place() has written; NULL: the MPI chooses */
	int np;                /* processes */
	bool with_ft;          /* the job survives the death of a process */
	/* processes on a core that share it, and so nap while they wait; 0: each has its own */
	double per_core;
	const char *const *worker;  /* arguments of this program in each process; ends with NULL */
	double begun_s, deadline_s; /* CLOCK_MONOTONIC, and how long after that it may last */
	enum job_state (*look)(void *ctx); /* called about once a second */
	/* the deadline has passed, and the job is ended next; NULL: not called */
	void (*late)(void *ctx);
	void *ctx;
};

/* RB_OK whatever the result of the job; RB_EIO if it could not be started, RB_EINVAL from
 * mpirun_check(). */
int launch_job(const struct launch_job *job, enum launch_end *end, struct rb_error *err);

/* Do processes share cores, so that they nap while they wait (launch_job.per_core)? hosts: NULL:
 * all are on this machine. The hosts of a virtual cluster share its cores, too. */
bool launch_oversubscribed(const struct hosts *hosts, int np, int spares);
/* Processes for each core, or 1 where the slots of the hosts say how many there are. */
double launch_per_core(const struct hosts *hosts, int processes);

#endif
