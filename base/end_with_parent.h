/* base/end_with_parent.h - a process that does not outlive its parent. */
#ifndef BASE_END_WITH_PARENT_H
#define BASE_END_WITH_PARENT_H

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* From now on the death of the parent ends the calling process by SIGKILL, also after exec.
 * `parent` is the process that the caller takes for its parent. The kernel sends no signal for a
 * death that happened before this call. So if that process is not the parent any more, the caller
 * ends at once. */
static inline void end_with_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
}

#endif
