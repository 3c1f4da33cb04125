/* A library to be preloaded: a process that makes the folder of a run is killed with SIGKILL at the
 * moment the folder is there, as by somebody else while a slow disk makes it. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int mkdir(const char *path, mode_t mode)
{
	const long made = syscall(SYS_mkdirat, AT_FDCWD, path, mode);

	if (made == 0 && strstr(path, "/rollbench-run-"))
		raise(SIGKILL);
	return (int)made;
}
