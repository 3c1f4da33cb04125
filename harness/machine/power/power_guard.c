/* The guardian: a process beside the worker. It does nothing until the worker has ended, for
 * whatever reason. Then it restores the settings that the worker has left changed, and ends, too.
 * It outlives signals to the job (it has its own session and blocks all signals that can be
 * blocked). It keeps no file of the job open, since mpirun waits for these files. If it is killed
 * as well, the file of the journal stays for the next power_open(). */
#include "harness/machine/power/power_inside.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* One guardian per process, because the worker's end of the pipe closes when the process ends. */
static struct power_file mine = { .fd = -1 };
static pid_t owner;

/* 1, or 0 if the other end is closed. */
static ssize_t read_byte(int fd, char *byte)
{
	ssize_t n;

	do
		n = read(fd, byte, 1);
	while (n < 0 && errno == EINTR);
	return n;
}

static void detach(int in, int journal, int ready)
{
	const char byte = 1;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, POWER_GUARD_NAME);
	if (dup2(in, 0) < 0 || dup2(journal, 1) < 0)
		_exit(1); /* the lock of the worker is enough to show that it lives */
	if (chdir("/") != 0 || write(ready, &byte, 1) != 1)
		_exit(1);
	closefrom(2);
}

static void guard(int in, int ready, const struct power_file *f)
{
	struct power_journal *j = f->journal;
	char byte, text[POWER_TEXT];
	struct rb_error err;
	int folder;

	detach(in, f->fd, ready);
	read_byte(0, &byte);
	if (j->changed && !power_write(j, false, text))
		_exit(1); /* the file stays, and the doctor names it */
	j->changed = 0;
	folder = power_folder_enter(&err);
	unlink(f->path);
	if (folder >= 0)
		power_folder_leave(folder);
	_exit(0);
}

/* Descriptors 0 to 2 may be closed in the caller. The ends of the pipe must not get these
 * numbers. */
static int open_pipe(int ends[2])
{
	int raw[2];

	if (pipe2(raw, O_CLOEXEC) != 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
		close(raw[i]);
	}
	return ends[0] < 0 || ends[1] < 0 ? -1 : 0;
}

/* Wait until the guardian has its name and its own session: before that, who ends the job would end
 * it, too. */
static int await(int ready, struct rb_error *err)
{
	char byte;
	ssize_t n = read_byte(ready, &byte);

	close(ready);
	return n == 1 ? RB_OK
		      : rb_fail(err, RB_EIO, "the process to guard settings has ended at once");
}

static int start(struct power_file *f, struct rb_error *err)
{
	int life[2], ready[2];
	pid_t child;

	if (open_pipe(life) != 0)
		return rb_fail(err, RB_EIO, "a pipe to the guardian: %s", strerror(errno));
	if (open_pipe(ready) != 0) {
		close(life[0]);
		close(life[1]);
		return rb_fail(err, RB_EIO, "a pipe from the guardian: %s", strerror(errno));
	}
	child = fork();
	if (child == 0) {
		close(life[1]); /* else it would keep itself waiting */
		guard(life[0], ready[1], f);
	}
	close(life[0]);
	close(ready[1]);
	/* life[1] stays open until this process ends; this tells the guardian that the process
	 * lives */
	if (child > 0 && await(ready[0], err) == RB_OK)
		return RB_OK;
	close(life[1]);
	if (child > 0)
		return RB_EIO;
	close(ready[0]);
	return rb_fail(err, RB_EIO, "a process to guard settings: %s", strerror(errno));
}

struct power_file *power_guarded(struct rb_error *err)
{
	if (mine.journal && owner == getpid())
		return &mine;
	if (power_file_create(&mine, err) != RB_OK)
		return NULL;
	if (start(&mine, err) != RB_OK) {
		unlink(mine.path);
		power_file_remove(&mine);
		return NULL;
	}
	owner = getpid();
	return &mine;
}

int power_guard(enum power_technique technique, struct rb_error *err)
{
	return !power_sets_core(technique) || power_guarded(err) ? RB_OK : RB_EIO;
}
