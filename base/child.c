#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t running;

static void pass_on(int sig)
{
	if (running > 0)
		kill((pid_t)running, sig);
}

int child_run(void (*body)(void *ctx), void *ctx)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN },
			       forward = { .sa_handler = pass_on };
	struct sigaction interrupt, terminate;
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return -1;
	if (child == 0) {
		body(ctx);
		_exit(CHILD_NOT_FOUND);
	}
	running = child;
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGTERM, &forward, &terminate);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	running = 0;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGTERM, &terminate, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
