/* harness/job/cleaner.h - a process that removes the folders of a run if the harness is killed. */
#ifndef HARNESS_JOB_CLEANER_H
#define HARNESS_JOB_CLEANER_H

#include <sys/types.h>

#define CLEANER_NAME "rollbench-clean" /* of its process; reap_all() lets it be */

struct cleaner {
	int socket; /* the other end is the cleaner's; -1: there is none */
	pid_t pid;
};

/* Begin one that waits for the end of the calling process and then removes these folders and all in them
 * ("": none). If it cannot be begun, there is none: what a kill leaves then stays. */
void cleaner_start(struct cleaner *c, const char *one, const char *other);
/* End it; the folders are the caller's business again. Fine if there is none. */
void cleaner_stop(struct cleaner *c);

#endif
