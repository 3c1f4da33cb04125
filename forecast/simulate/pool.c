#include "forecast/simulate/pool.h"

#include "base/end_with_parent.h"
#include "base/status.h"
#include "base/whole.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int pool_open(struct pool *p, int size, pool_work *work, void *ctx, struct rb_error *err)
{
	*p = (struct pool){ .process = calloc((size_t)size, sizeof *p->process),
			    .size = size,
			    .work = work,
			    .ctx = ctx };
	return p->process ? RB_OK : rb_fail(err, RB_ENOMEM, "out of memory");
}

/* The answer is the text, or the message of an error; the exit status says which. */
static void compute(const struct pool *p, size_t task, int fd, pid_t parent)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct rb_error err = { "out of memory" };
	char *text = NULL;
	int rc;

	end_with_parent(parent);
	setpgid(0, 0);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	rc = p->work(p->ctx, task, &text, &err);
	if (rc != RB_OK || !text)
		_exit(write_whole(fd, err.text, strlen(err.text)) ? 1 : 2);
	_exit(write_whole(fd, text, strlen(text)) ? 0 : 2);
}

int pool_start(struct pool *p, size_t task, struct rb_error *err)
{
	struct pool_process *free_one = p->process;
	const pid_t parent = getpid();

	while (free_one->pid > 0)
		free_one++;
	*free_one =
		(struct pool_process){ .fd = memfd_create("answer", MFD_CLOEXEC), .task = task };
	fflush(NULL); /* or the child would have it, too */
	free_one->pid = free_one->fd >= 0 ? fork() : -1;
	if (free_one->pid == 0)
		compute(p, task, free_one->fd, parent);
	if (free_one->pid > 0) {
		p->busy++;
		return RB_OK;
	}
	if (free_one->fd >= 0)
		close(free_one->fd);
	free_one->pid = 0;
	return rb_fail(err, RB_EIO,
		       "a process for a point cannot be started: %s; try a smaller --jobs",
		       strerror(errno));
}

/* All that the process has written. NULL: out of memory. */
static char *answer_text(int fd)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
	off_t at = 0;

	while (text && at < size) {
		ssize_t n = pread(fd, text + at, (size_t)(size - at), at);

		if (n <= 0 && errno != EINTR)
			break;
		at += n > 0 ? n : 0;
	}
	if (text)
		text[at] = '\0';
	return text;
}

static void read_answer(const struct pool_process *from, int status, struct pool_answer *answer)
{
	char *text = answer_text(from->fd);

	*answer = (struct pool_answer){ .task = from->task };
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && text) {
		answer->text = text;
		return;
	}
	if (WIFSIGNALED(status))
		answer->rc = rb_fail(&answer->err, RB_EIO, "its process was ended by signal %d%s",
				     WTERMSIG(status),
				     WTERMSIG(status) == SIGKILL
					     ? "; is there enough memory for so many --jobs?"
					     : "");
	else if (WEXITSTATUS(status) == 1 && text)
		answer->rc = rb_fail(&answer->err, RB_EINVAL, "%.500s", text);
	else
		answer->rc = rb_fail(&answer->err, RB_ENOMEM, "out of memory");
	free(text);
}

bool pool_ended(struct pool *p, struct pool_answer *answer)
{
	for (int i = 0; i < p->size; i++) {
		struct pool_process *at = &p->process[i];
		int status;

		if (at->pid <= 0 || waitpid(at->pid, &status, WNOHANG) != at->pid)
			continue;
		read_answer(at, status, answer);
		close(at->fd);
		at->pid = 0;
		p->busy--;
		return true;
	}
	return false;
}

void pool_close(struct pool *p)
{
	for (int i = 0; p->process && i < p->size; i++)
		if (p->process[i].pid > 0)
			kill(p->process[i].pid, SIGKILL);
	for (int i = 0; p->process && i < p->size; i++) {
		if (p->process[i].pid <= 0)
			continue;
		while (waitpid(p->process[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		close(p->process[i].fd);
	}
	free(p->process);
	*p = (struct pool){ .process = NULL };
}
