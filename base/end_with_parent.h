/* base/end_with_parent.h - a process that does not outlive the one that began it. */
#ifndef BASE_END_WITH_PARENT_H
#define BASE_END_WITH_PARENT_H

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* From now on the death of the calling process's parent ends it by SIGKILL, across exec, too. `parent` is whom
 * the caller takes for its parent: the kernel sends nothing for a death before the signal was asked for, so
 * where that process is the parent no longer, this ends at once. */
static inline void end_with_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
}

#endif
