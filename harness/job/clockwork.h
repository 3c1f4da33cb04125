/* harness/job/clockwork.h - a thread of the harness that does something at given times until it is
 * told to end.
 *
 * Signals to the harness are for its first thread; this one blocks them. It ends with the harness,
 * however that ends. */
#ifndef HARNESS_JOB_CLOCKWORK_H
#define HARNESS_JOB_CLOCKWORK_H

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>

struct clockwork {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	bool stop;
};

/* Begin body(ctx) in a thread. RB_OK, and clockwork_stop() must follow; RB_EIO: `what` cannot be
 * done here, and nothing is left. */
int clockwork_start(struct clockwork *c, void *(*body)(void *ctx), void *ctx, const char *what,
		    struct rb_error *err);
/* For the thread: sleep until that time (CLOCK_MONOTONIC). false: it is to end. */
bool clockwork_sleep_until(struct clockwork *c, double at);
/* Tell the thread to end, and wait until it has. */
void clockwork_stop(struct clockwork *c);

#endif
