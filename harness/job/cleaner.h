/* harness/job/cleaner.h - a process that removes the folders of a run if the harness is killed. */
#ifndef HARNESS_JOB_CLEANER_H
#define HARNESS_JOB_CLEANER_H

#include <sys/types.h>

#define CLEANER_NAME "rollbench-clean" /* of its process; reap_all() lets it be */

struct cleaner {
	int socket; /* the other end belongs to the cleaner; -1: there is none */
	pid_t pid;
};

/* Start a cleaner. It waits for the end of the calling process and then removes these folders and all in them
 * ("": none). If it cannot be started, there is none, and what a kill leaves stays. */
void cleaner_start(struct cleaner *c, const char *one, const char *other);
/* End the cleaner; the caller removes the folders again. There may be no cleaner. */
void cleaner_stop(struct cleaner *c);

#endif
