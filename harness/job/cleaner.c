/* The kernel closes the harness's end of the socket however the harness ends; that is what the
 * cleaner waits for. The processes of the job end by themselves then (base/end_with_parent.h).
 * Until they have, the MPI may make its folders again. */
#include "harness/job/cleaner.h"

#include "harness/job/proc.h"
#include "harness/job/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 200, MINE = 3 };

/* It outlives signals to the job, and keeps no file of the harness open: locks and pipes end with
 * the harness. */
static void detach(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, CLEANER_NAME);
	if (null < 0 || dup2(socket, MINE) < 0)
		_exit(1);
	for (int fd = 0; fd < MINE; fd++)
		if (dup2(null, fd) < 0)
			_exit(1);
	closefrom(MINE + 1);
	if (chdir("/") != 0)
		_exit(1);
}

static bool mentions(pid_t pid, const char *run)
{
	char line[8192];
	ssize_t size = proc_read(pid, "cmdline", line, sizeof line);

	return size > 0 && memmem(line, (size_t)size, run, strlen(run)) != NULL;
}

/* Is another process left that has the run folder in its command line? */
static bool job_is_there(const char *run)
{
	const pid_t self = getpid();
	bool there = false;
	DIR *proc = opendir("/proc");
	pid_t pid;

	while (!there && (pid = proc_next(proc)))
		there = pid != self && mentions(pid, run);
	if (proc)
		closedir(proc);
	return there;
}

/* What the harness tells the cleaner; the last one counts. */
struct task {
	bool stop, with_run;
	char run[SPEC_PATH], shared[SPEC_PATH]; /* "": there is none yet */
};

static void clean(int socket)
{
	const struct timespec nap = { 0, 50000000 };
	struct task task = { .stop = false }, next;
	ssize_t size;

	detach(socket);
	while (!task.stop &&
	       ((size = recv(MINE, &next, sizeof next, 0)) > 0 || (size < 0 && errno == EINTR)))
		if (size == sizeof next)
			task = next;
	if (task.stop || !task.run[0])
		_exit(0);
	for (int i = 0; i < LOOKS && job_is_there(task.run); i++)
		nanosleep(&nap, NULL);
	scratch_remove(task.shared);
	if (task.with_run)
		scratch_remove(task.run);
	_exit(0);
}

static void tell(const struct cleaner *c, const struct task *task)
{
	if (c->socket >= 0)
		send(c->socket, task, sizeof *task, MSG_NOSIGNAL);
}

void cleaner_guard(const struct cleaner *c, const char *run, bool with_run, const char *shared)
{
	struct task task = { .with_run = with_run };

	snprintf(task.run, sizeof task.run, "%s", run);
	snprintf(task.shared, sizeof task.shared, "%s", shared);
	tell(c, &task);
}

void cleaner_start(struct cleaner *c)
{
	int ends[2];

	c->socket = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	c->pid = fork();
	if (c->pid == 0) {
		close(ends[1]);
		clean(ends[0]);
	}
	close(ends[0]);
	if (c->pid > 0)
		c->socket = ends[1];
	else
		close(ends[1]);
}

int cleaner_make_run(struct cleaner *c, const char *parent, bool with_run, char dir[SPEC_PATH],
		     struct rb_error *err)
{
	cleaner_start(c);
	RB_TRY(scratch_name(parent, dir, err));
	cleaner_guard(c, dir, with_run, "");
	return scratch_make(dir, err);
}

void cleaner_stop(struct cleaner *c)
{
	if (c->socket < 0)
		return;
	tell(c, &(struct task){ .stop = true });
	close(c->socket);
	waitpid(c->pid, NULL, 0);
	c->socket = -1;
}
