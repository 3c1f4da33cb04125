/* harness/job/cleaner.h - a process that removes the folders of a run if the harness is killed. */
#ifndef HARNESS_JOB_CLEANER_H
#define HARNESS_JOB_CLEANER_H

#include "base/error.h"
#include "harness/options/spec.h"

#include <stdbool.h>
#include <sys/types.h>

#define CLEANER_NAME "rollbench-clean" /* of its process; reap_all() lets it be */

struct cleaner {
	int socket; /* the other end is the cleaner's; -1: there is none */
	pid_t pid;
};

/* Start a cleaner, before there is any folder. If it cannot be started, there is none, and what a
 * kill leaves stays. */
void cleaner_start(struct cleaner *c);
/* Tell it what there is now. It waits for the end of the process that started it and of the job,
 * whose processes all have the run folder in their command lines. Then it removes the folder of the
 * shared memory ("": there is none) and, if `with_run`, the run folder. There may be no cleaner. */
void cleaner_guard(const struct cleaner *c, const char *run, bool with_run, const char *shared);
/* Start a cleaner and make a run folder in `parent` (NULL: $TMPDIR or /tmp), whose absolute path
 * `dir` receives. The cleaner knows it before it is there, so that nothing is left however early
 * the harness is killed. RB_OK, or RB_EINVAL or RB_EIO: dir is "". */
int cleaner_make_run(struct cleaner *c, const char *parent, bool with_run, char dir[SPEC_PATH],
		     struct rb_error *err);
/* End it; the folders are the caller's business again. Fine if there is none. */
void cleaner_stop(struct cleaner *c);

#endif
