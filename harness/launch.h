/* harness/launch.h - start one run, watch its deadline, and leave no process behind. */
#ifndef HARNESS_LAUNCH_H
#define HARNESS_LAUNCH_H

#include "harness/spec.h"

#include <stdbool.h>

enum launch_end {
	LAUNCH_EXITED,      /* mpirun ended by itself */
	LAUNCH_LINGERED,    /* all roles had written their result, but the job did not end */
	LAUNCH_DEADLINE,    /* ended by us: the deadline passed */
	LAUNCH_INTERRUPTED, /* ended by us: SIGINT or SIGTERM came */
};

struct launch {
	char dir[SPEC_PATH];    /* run folder: spec, ledgers, checkpoints, mpirun.log */
	char shared[64];        /* where the MPI puts its shared memory; "" if wherever it likes */
	enum launch_end end;
	double wall_s;
	bool oversubscribed;
};

/* Catch SIGINT and SIGTERM from here on; returns the signal that came, or 0. */
void launch_catch_signals(void);
int launch_signal(void);

/* Create the run folder in `parent` (NULL: $TMPDIR or /tmp), run mpirun to its end or to the
 * deadline. RB_OK whatever became of the run; RB_EIO if it could not be started. */
int launch_run(const struct run_spec *spec, const char *parent, struct launch *launch,
	       struct rb_error *err);
/* Remove the run folder and all in it. */
void launch_remove(const struct launch *launch);

#endif
