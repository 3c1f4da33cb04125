#include "harness/watts/meter_command.h"

#include "base/end_with_parent.h"
#include "base/status.h"
#include "harness/job/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SOCKET = 3, OUTPUT, MESSAGES, MINE };
enum { PATIENCE_MS = 1000, STEP_MS = 10, OUTPUT_MOST = 256 << 20, LINE = 192 };

/* The keeper has no other file of the harness: locks and pipes end with the harness. */
static void detach(const struct meter_command *c, int socket)
{
	const int keep[] = { socket, c->output, c->messages };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), high[3];

	setsid();
	prctl(PR_SET_NAME, METER_COMMAND_NAME);
	/* so that what the command leaves in the background is not taken for a part of the job */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < 3; i++)
		high[i] = fcntl(keep[i], F_DUPFD, 64);
	for (int i = 0; i < 3; i++)
		if (dup2(null, i) < 0 || dup2(high[i], SOCKET + i) < 0)
			_exit(1);
	closefrom(MINE);
}

static void become_command(const char *text, pid_t keeper)
{
	const struct rlimit limit = { OUTPUT_MOST, OUTPUT_MOST };

	setpgid(0, 0);
	end_with_parent(keeper);
	setrlimit(RLIMIT_FSIZE, &limit);
	if (dup2(OUTPUT, 1) < 0 || dup2(MESSAGES, 2) < 0)
		_exit(126);
	closefrom(SOCKET);
	execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	_exit(127);
}

/* The command stays a zombie, so that its number, which is that of the group, is not given to
 * another process. */
static bool has_exited(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

/* As of waitpid(). */
static int status_of(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	return info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
}

/* Wait until the command or the harness ends. true: it is the command. */
static bool await(int child_fd)
{
	struct pollfd on[] = { { .fd = SOCKET, .events = POLLIN },
			       { .fd = child_fd, .events = POLLIN } };

	while (poll(on, 2, -1) < 0 && errno == EINTR)
		;
	return !on[0].revents;
}

static bool group_is_there(pid_t group)
{
	return kill(-group, 0) == 0;
}

static void end_group(pid_t group)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };

	kill(-group, SIGTERM);
	for (int ms = 0; ms < PATIENCE_MS && !has_exited(group); ms += STEP_MS)
		nanosleep(&step, NULL);
	kill(-group, SIGKILL);
	while (waitpid(group, NULL, 0) < 0 && errno == EINTR)
		;
	for (int ms = 0; ms < PATIENCE_MS && group_is_there(group); ms += STEP_MS) {
		while (waitpid(-1, NULL, WNOHANG) > 0) /* those whose parents ended */
			;
		nanosleep(&step, NULL);
	}
}

/* Tell the harness how the command ended, if it does so before the harness closes its end of the
 * socket. */
static void report(pid_t child)
{
	int fd = (int)syscall(SYS_pidfd_open, child, 0), status = 127 << 8;
	char rest;

	if (child < 0 || (fd >= 0 && await(fd))) {
		status = child < 0 ? status : status_of(child);
		send(SOCKET, &status, sizeof status, MSG_NOSIGNAL);
	}
	while (recv(SOCKET, &rest, sizeof rest, 0) < 0 && errno == EINTR)
		;
}

static void keep(const struct meter_command *c, int socket, const char *text)
{
	pid_t self, child;

	detach(c, socket);
	self = getpid();
	child = fork();
	if (child == 0)
		become_command(text, self);
	if (child > 0)
		setpgid(child, child); /* both do it: neither knows which of them comes first */
	report(child);
	if (child > 0)
		end_group(child);
	_exit(0);
}

int meter_command_start(struct meter_command *c, const char *text, struct rb_error *err)
{
	int ends[2] = { -1, -1 };

	*c = (struct meter_command){ .socket = -1 };
	c->output = memfd_create("output", MFD_CLOEXEC);
	c->messages = memfd_create("messages", MFD_CLOEXEC);
	if (c->output >= 0 && c->messages >= 0 &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0)
		c->keeper = fork();
	if (ends[0] >= 0 && c->keeper == 0) {
		close(ends[1]);
		keep(c, ends[0], text);
	}
	if (ends[0] < 0 || c->keeper < 0) {
		rb_fail(err, RB_EIO, "cannot start a process: %s", strerror(errno));
		if (ends[0] >= 0) {
			close(ends[0]);
			close(ends[1]);
		}
		meter_command_free(c);
		return RB_EIO;
	}
	close(ends[0]);
	c->socket = ends[1];
	return RB_OK;
}

bool meter_command_has_ended(struct meter_command *c)
{
	int status;

	if (!c->ended && c->socket >= 0 &&
	    recv(c->socket, &status, sizeof status, MSG_DONTWAIT) == sizeof status) {
		c->ended = true;
		c->status = status;
	}
	return c->ended;
}

/* Opened again, because the command's position is that of c->output. */
static FILE *open_again(int fd)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return fopen(path, "re");
}

FILE *meter_command_output(const struct meter_command *c)
{
	return open_again(c->output);
}

void meter_command_describe(const struct meter_command *c, char out[METER_COMMAND_TEXT])
{
	FILE *f = open_again(c->messages);
	char line[LINE], last[LINE] = "";

	while (f && fgets(line, sizeof line, f))
		if (line[strspn(line, " \t\r\n")])
			memcpy(last, line, sizeof last);
	if (f)
		fclose(f);
	last[strcspn(last, "\n")] = '\0';
	snprintf(out, METER_COMMAND_TEXT, "%s %d%s%s",
		 WIFSIGNALED(c->status) ? "signal" : "exit status",
		 WIFSIGNALED(c->status) ? WTERMSIG(c->status) : WEXITSTATUS(c->status),
		 last[0] ? ": " : "", last);
}

void meter_command_stop(struct meter_command *c)
{
	if (c->socket < 0)
		return;
	meter_command_has_ended(c);
	close(c->socket);
	c->socket = -1;
	while (waitpid(c->keeper, NULL, 0) < 0 && errno == EINTR)
		;
}

void meter_command_free(struct meter_command *c)
{
	if (c->output >= 0)
		close(c->output);
	if (c->messages >= 0)
		close(c->messages);
	c->output = c->messages = -1;
}
