/* harness/job/reap.h - make sure that nothing this process started is left. */
#ifndef HARNESS_JOB_REAP_H
#define HARNESS_JOB_REAP_H

#include <sys/types.h>

/* Ask `first` (0: nobody) to end, give it two seconds, then kill every descendant of this process but a cleaner
 * and collect them. The caller is a child subreaper, so orphans come to it. */
void reap_all(pid_t first);

#endif
