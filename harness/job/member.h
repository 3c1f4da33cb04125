/* harness/job/member.h - a signal for a process of a job, and for no other. */
#ifndef HARNESS_JOB_MEMBER_H
#define HARNESS_JOB_MEMBER_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Does the kernel have what the next two need (Linux 5.3)? RB_OK or RB_EIO. */
int member_check(struct rb_error *err);
/* A file (pidfd) that stands for a process of this machine if it is a worker of the job with that
 * run folder: it runs this program as `worker DIR JOB`, or another program under a name below DIR,
 * and descends from the calling process. Guardians of power settings are no workers. The file keeps
 * standing for that process when its number is given to another one. The caller closes it. -1:
 * there is no such process, or it is none of the job. */
int member_open(pid_t pid, const char *dir);
/* The processes of the job's initial ranks: pid[r] for rank r (0: there is none yet). Returns how
 * many there are. */
int member_ranks(const char *dir, pid_t *pid, int ranks);
/* Send SIGKILL. false: it had ended. */
bool member_kill(int pidfd);

#endif
