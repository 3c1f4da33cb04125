#include "harness/job/clockwork.h"

#include "base/status.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

bool clockwork_sleep_until(struct clockwork *c, double at)
{
	const struct timespec then = { (time_t)at, (long)(1e9 * (at - (double)(time_t)at)) };
	bool stop;
	int rc = 0;

	pthread_mutex_lock(&c->mutex);
	while (!c->stop && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&c->wake, &c->mutex, &then);
	stop = c->stop;
	pthread_mutex_unlock(&c->mutex);
	return !stop;
}

static void release(struct clockwork *c)
{
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->mutex);
}

int clockwork_start(struct clockwork *c, void *(*body)(void *ctx), void *ctx, const char *what,
		    struct rb_error *err)
{
	pthread_condattr_t attributes;
	sigset_t all, before;
	int rc;

	c->stop = false;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&c->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	rc = pthread_create(&c->thread, NULL, body, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		return RB_OK;
	release(c);
	return rb_fail(err, RB_EIO, "%s: cannot start a thread: %s", what, strerror(rc));
}

void clockwork_stop(struct clockwork *c)
{
	pthread_mutex_lock(&c->mutex);
	c->stop = true;
	pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->mutex);
	pthread_join(c->thread, NULL);
	release(c);
}
