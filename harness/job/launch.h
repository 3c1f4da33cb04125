/* harness/job/launch.h - start one run, watch its deadline, and leave no process behind it. */
#ifndef HARNESS_JOB_LAUNCH_H
#define HARNESS_JOB_LAUNCH_H

#include "harness/job/job_log.h"
#include "harness/job/killer.h"
#include "harness/job/launch_job.h"
#include "harness/job/queues.h"
#include "harness/job/run_folder.h"
#include "harness/options/spec.h"

#include <stdbool.h>

struct launch {
	struct run_folder folder; /* with spec, ledgers, checkpoints, mpirun.log */
	enum launch_end end;
	double wall_s;
	bool oversubscribed;
	bool resumed; /* by launch_resume() */
	int restarts; /* jobs that were started after one died */
	/* spec->hosts, and which of them were lost; count 0: no hosts were given */
	struct hosts hosts;
	bool unstarted; /* no role began, and not because Rollbench killed one at the start */
	bool lost_host; /* the last job ended because a host was lost */
	/* what queues_say() said at the deadline; "": nothing, or the run did not hang */
	char queues[QUEUES_TEXT];
	/* the byte at which the part of the last job in mpirun.log begins */
	long log;
	char said[JOB_LOG_TEXT]; /* what the jobs said, if not all roles wrote their results */
	int number;              /* of this launch of the run, from 0: it may be a resumption */
	int jobs_before;         /* of earlier launches */
	struct killer *killer;   /* NULL: none, or no job runs */
};

/* What happens to the run folder if the harness is killed: it stays for `rollbench resume`, or it
 * is removed, since nobody would use it. The shared memory is removed in both cases. KEPT: it also
 * stays if the run is interrupted. */
enum launch_use { LAUNCH_RESUMABLE, LAUNCH_DISPOSABLE, LAUNCH_KEPT };

/* Where the user names no hosts, by --hostfile or in the arguments for mpirun, take those of the
 * batch system's allocation if there are several: *hosts is what was given (NULL: nothing), and
 * then they. RB_OK or RB_EINVAL. */
int launch_find_hosts(const struct hosts **hosts, struct rb_error *err);
/* Does this machine permit the run's power technique? Not with more roles than cores or without
 * permission, if it sets cores. RB_OK or RB_EINVAL. */
int launch_check_power(const struct run_spec *spec, struct rb_error *err);
/* Check what is known to be impossible before a start: such a technique, if the run is to be on
 * this machine, kills by the clock elsewhere, and a transport that does not survive a death. RB_OK
 * or RB_EINVAL. launch_run() checks this, too. */
int launch_check(const struct run_spec *spec, struct rb_error *err);
/* Create the run folder in `parent` (NULL: $TMPDIR or /tmp), and run mpirun to its end or to the
 * deadline. RB_OK whatever the result of the run; RB_LOST: interrupted; RB_EIO if it could not be
 * started; RB_EINVAL from launch_check(). The folder is left only with RB_OK, and with RB_LOST of a
 * run that is KEPT (launch->folder.dir is "" if it had none yet). */
int launch_run(const struct run_spec *spec, const char *parent, enum launch_use use,
	       struct launch *launch, struct rb_error *err);
/* Continue the run in an existing folder, which is left there. RB_OK whatever the result; RB_LOST:
 * interrupted; RB_EINVAL: there is none, or another process is running it; else as launch_run(). */
int launch_resume(const struct run_spec *spec, const char *dir, struct launch *launch,
		  struct rb_error *err);
/* Remove the run folder and everything in it; the log of a run that did not start is kept beside
 * it. */
void launch_remove(struct launch *launch);

#endif
