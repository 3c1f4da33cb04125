/* The kernel closes the end of the socket that the harness holds, however the harness ends; the cleaner
 * waits for this. The ranks then end by themselves (base/end_with_parent.h), but until they have ended
 * they may still make files. */
#include "harness/job/cleaner.h"

#include "harness/job/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 200, MINE = 3 };

/* Detach the cleaner, so that it outlives signals to the job. It keeps no file of the harness open,
 * because locks and pipes must end with the harness. */
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

static bool is_gone(const char *folder)
{
	return !folder[0] || (access(folder, F_OK) != 0 && errno == ENOENT);
}

static void clean(int socket, const char *one, const char *other)
{
	const struct timespec nap = { 0, 50000000 };
	ssize_t told;
	char byte;

	detach(socket);
	while ((told = read(MINE, &byte, 1)) < 0 && errno == EINTR)
		;
	for (int i = 0; told == 0 && i < ATTEMPTS && !(is_gone(one) && is_gone(other)); i++) {
		if (i > 0)
			nanosleep(&nap, NULL);
		scratch_remove(one);
		scratch_remove(other);
	}
	_exit(0);
}

void cleaner_start(struct cleaner *c, const char *one, const char *other)
{
	int ends[2];

	c->socket = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	c->pid = fork();
	if (c->pid == 0) {
		close(ends[1]);
		clean(ends[0], one, other);
	}
	close(ends[0]);
	if (c->pid > 0)
		c->socket = ends[1];
	else
		close(ends[1]);
}

void cleaner_stop(struct cleaner *c)
{
	if (c->socket < 0)
		return;
	send(c->socket, "", 1, MSG_NOSIGNAL);
	close(c->socket);
	waitpid(c->pid, NULL, 0);
	c->socket = -1;
}
