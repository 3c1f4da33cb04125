#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Passed on to the child, and what a terminal sends to both. */
static const int signals[] = { SIGTERM, SIGHUP, SIGINT };
enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t running, came;

static void pass_on(int sig)
{
	came = sig;
	if (running > 0 && sig != SIGINT)
		kill((pid_t)running, sig);
}

int child_signal(void)
{
	return came;
}

/* Those that are not ignored, as under nohup. */
static void handle(struct sigaction before[SIGNALS])
{
	const struct sigaction handler = { .sa_handler = pass_on };

	for (int i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &handler, NULL);
	}
}

static void restore(const struct sigaction before[SIGNALS])
{
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

/* None comes between the fork and what handles it. */
static pid_t start(void (*body)(void *ctx), void *ctx, struct sigaction before[SIGNALS])
{
	sigset_t held, mask;
	pid_t child;

	sigemptyset(&held);
	for (int i = 0; i < SIGNALS; i++)
		sigaddset(&held, signals[i]);
	sigprocmask(SIG_BLOCK, &held, &mask);
	child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		body(ctx);
		_exit(CHILD_NOT_FOUND);
	}
	running = child;
	handle(before);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return child;
}

int child_run(void (*body)(void *ctx), void *ctx)
{
	struct sigaction before[SIGNALS];
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = start(body, ctx, before);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	running = 0;
	restore(before);
	if (child < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
