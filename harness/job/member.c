#include "harness/job/member.h"

#include "base/program.h"
#include "base/status.h"
#include "harness/job/proc.h"
#include "harness/machine/power/power.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GENERATIONS = 16, LINE = 4096 };

static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int member_check(struct rb_error *err)
{
	int fd = pidfd_of(getpid());

	if (fd < 0)
		return rb_fail(
			err, RB_EIO,
			"--kill-at: pidfd_open: %s; kills by the clock need Linux 5.3 or newer",
			strerror(errno));
	close(fd);
	return RB_OK;
}

/* Are its arguments PROGRAM, "worker", the run folder and the number of the job? They are separated
 * by zeros. */
static bool is_called_so(pid_t pid, const char *dir)
{
	char line[LINE], middle[LINE];
	const ssize_t n = proc_read(pid, "cmdline", line, sizeof line);
	const int size = snprintf(middle, sizeof middle, "worker%c%s", '\0', dir) + 1;
	const size_t program = n > 0 ? strlen(line) + 1 : 0;
	size_t number;

	if (n <= 0 || size > (int)sizeof middle || (size_t)n <= program + (size_t)size ||
	    memcmp(line + program, middle, (size_t)size) != 0)
		return false;
	number = strspn(line + program + size, "0123456789");
	return number > 0 && (size_t)n == program + (size_t)size + number + 1;
}

/* Is its name a path below the run folder? A program that a worker has become is called so
 * (harness/kind/elc/elc_worker.c). */
static bool is_named_below(pid_t pid, const char *dir)
{
	char line[LINE];
	const size_t length = strlen(dir);
	ssize_t n = proc_read(pid, "cmdline", line, sizeof line);

	return n > (ssize_t)length + 1 && memcmp(line, dir, length) == 0 && line[length] == '/';
}

static bool runs_this_program(pid_t pid)
{
	struct stat own, its;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	return stat("/proc/self/exe", &own) == 0 && stat(path, &its) == 0 &&
	       (program_same(&own, &its) || program_same(&program_ranks()->file, &its));
}

static bool descends_from(pid_t pid, pid_t ancestor)
{
	struct proc_stat process;

	for (int i = 0; i < GENERATIONS && pid > 1 && proc_stat(pid, &process); i++) {
		pid = process.parent;
		if (pid == ancestor)
			return true;
	}
	return false;
}

static bool is_guardian(pid_t pid)
{
	struct proc_stat process;

	return !proc_stat(pid, &process) || strcmp(process.name, POWER_GUARD_NAME) == 0;
}

int member_open(pid_t pid, const char *dir)
{
	/* first: what is read below is then this process's or nobody's */
	int fd = pid > 1 ? pidfd_of(pid) : -1;

	if (fd < 0)
		return -1;
	if (((is_called_so(pid, dir) && runs_this_program(pid) && !is_guardian(pid)) ||
	     is_named_below(pid, dir)) &&
	    descends_from(pid, getpid()))
		return fd;
	close(fd);
	return -1;
}

/* The rank that the launcher has given it; -1: it has no such variable, or its environment cannot
 * be read. */
static int rank_of(pid_t pid)
{
	static const char name[] = "PMIX_RANK=";
	char path[64], *line = NULL;
	size_t room = 0;
	int rank = -1;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	f = fopen(path, "re");
	while (f && rank < 0 && getdelim(&line, &room, '\0', f) > 0)
		if (strncmp(line, name, sizeof name - 1) == 0)
			rank = atoi(line + sizeof name - 1);
	free(line);
	if (f)
		fclose(f);
	return rank;
}

int member_ranks(const char *dir, pid_t *pid, int ranks)
{
	DIR *list = opendir("/proc");
	int count = 0;
	pid_t one;

	memset(pid, 0, (size_t)ranks * sizeof *pid);
	while ((one = proc_next(list))) {
		int fd = member_open(one, dir);
		int rank = fd < 0 ? -1 : rank_of(one);

		if (fd >= 0)
			close(fd);
		if (rank < 0 || rank >= ranks)
			continue;
		count += pid[rank] == 0;
		pid[rank] = one;
	}
	if (list)
		closedir(list);
	return count;
}

bool member_kill(int pidfd)
{
	return syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0;
}
