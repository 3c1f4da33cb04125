/* forecast/simulate/pool.h - tasks that are computed at once, each by a process of its own that
 * tells its answer as text.
 *
 * A process that is computing ends when this one ends, however that happens, and a terminal's
 * Ctrl-C does not reach it. */
#ifndef FORECAST_SIMULATE_POOL_H
#define FORECAST_SIMULATE_POOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Called in the process of the task: RB_OK and a text that free() frees, or a negative status with
 * a message. */
typedef int pool_work(void *ctx, size_t task, char **text, struct rb_error *err);

struct pool_process {
	pid_t pid; /* 0: it is free */
	int fd;    /* a file in memory, for the answer */
	size_t task;
};

struct pool {
	struct pool_process *process;
	int size, busy;
	pool_work *work;
	void *ctx; /* of work() */
};

/* What has become of a task. */
struct pool_answer {
	size_t task;
	int rc;     /* of work(), or RB_EIO: the process was killed */
	char *text; /* for free(); NULL unless rc is RB_OK */
	struct rb_error err;
};

/* RB_OK or RB_ENOMEM; pool_close() in any case. */
int pool_open(struct pool *p, int size, pool_work *work, void *ctx, struct rb_error *err);
/* Start a task; p->busy is less than p->size. RB_OK or RB_EIO. */
int pool_start(struct pool *p, size_t task, struct rb_error *err);
/* Has a task ended? If so, its answer. Never waits. */
bool pool_ended(struct pool *p, struct pool_answer *answer);
/* End the processes that are computing; their answers are lost. */
void pool_close(struct pool *p);

#endif
