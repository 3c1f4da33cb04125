/* forecast/fast/failure_free.h - many iterations of all roles while nothing of a failure is left
 * (private to forecast/fast). */
#ifndef FORECAST_FAST_FAILURE_FREE_H
#define FORECAST_FAST_FAILURE_FREE_H

#include "forecast/fast/point.h"
#include "forecast/fast/walk.h"

struct failure_free {
	const struct model *m;
	struct programs *programs;
	struct log_costs *logs;
	int threads;
	double *time; /* by slot (forecast/programs/waves.h) */
	size_t room;
	int32_t *behind; /* of roles: see forecast/fast/doubling.c; NULL: not needed yet */
};

void failure_free_free(struct failure_free *q);
/* How many iterations to go on from a point in one step, 1 to `rows`. If it is known how long they
 * last, no more than end before tick `at`, unless this is NEVER. */
int64_t failure_free_rows(const struct failure_free *q, const struct point *from, int64_t rows,
			  int64_t at);
/* Go `rows` iterations on, as many as failure_free_rows() says or fewer, from one point to another,
 * whose `end` is another array. RB_OK, RB_ENOMEM, RB_EINVAL. */
int failure_free_advance(struct failure_free *q, const struct point *from, struct point *to,
			 int64_t rows, struct rb_error *err);
/* When a role begins the iteration that follows a point, has taken its checkpoint and starts its
 * program. RB_OK, RB_ENOMEM, RB_EINVAL. */
int failure_free_begin(struct failure_free *q, const struct point *at, int role, struct part *p,
		       struct rb_error *err);

#endif
