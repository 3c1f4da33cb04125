/* harness/job/launch.h - start one run, watch its deadline, and leave no process behind. */
#ifndef HARNESS_JOB_LAUNCH_H
#define HARNESS_JOB_LAUNCH_H

#include "harness/job/cleaner.h"
#include "harness/job/launch_job.h"
#include "harness/job/scratch.h"
#include "harness/spec/spec.h"

#include <stdbool.h>

struct launch {
	char dir[SPEC_PATH];    /* run folder: spec, ledgers, checkpoints, mpirun.log */
	struct shared_memory shared;
	enum launch_end end;
	double wall_s;
	bool oversubscribed;
	bool resumed;           /* by launch_resume() */
	int restarts;           /* jobs started anew after one died */
	struct hosts hosts;     /* spec->hosts, and which were lost; count 0: none given */
	long log;               /* where the last job's part of mpirun.log begins, bytes */
	int lock;               /* of the run folder; -1: none */
	struct cleaner cleaner; /* if the harness is killed */
};

/* What becomes of the run folder if the harness is killed: `rollbench resume` goes on with it, or nobody would. The
 * shared memory is removed in both cases. */
enum launch_use { LAUNCH_RESUMABLE, LAUNCH_DISPOSABLE };

/* What can be known before a start to be impossible on this machine: a power technique that sets cores, with
 * more roles than cores or without the right to. RB_OK or RB_EINVAL. launch_run() asks, too. */
int launch_check(const struct run_spec *spec, struct rb_error *err);
/* Create the run folder in `parent` (NULL: $TMPDIR or /tmp), run mpirun to its end or to the
 * deadline. RB_OK whatever became of the run; RB_EIO if it could not be started; RB_EINVAL
 * from launch_check(). */
int launch_run(const struct run_spec *spec, const char *parent, enum launch_use use, struct launch *launch,
	       struct rb_error *err);
/* Go on with the run in an existing folder. RB_EINVAL: there is none, or somebody is at it. */
int launch_resume(const struct run_spec *spec, const char *dir, struct launch *launch,
		  struct rb_error *err);
/* Remove the run folder and all in it. */
void launch_remove(struct launch *launch);

#endif
