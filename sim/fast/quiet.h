/* sim/fast/quiet.h - many iterations of all roles while nothing of a failure is left (private to sim/fast). */
#ifndef SIM_FAST_QUIET_H
#define SIM_FAST_QUIET_H

#include "sim/fast/log_costs.h"

enum { QUIET_ROWS = 64 };

/* All roles have completed `row` iterations. */
struct point {
	double *end;         /* np: when, in ticks */
	int64_t row;
	int64_t least, most; /* of `end` */
	tick_sum computed;   /* in state compute, since the repair or the beginning */
};

struct quiet {
	const struct model *m;
	struct programs *programs;
	struct log_costs *logs;
	int threads;
	double *sent;        /* by segment */
	size_t room;
};

void quiet_free(struct quiet *q);
/* Go `rows` iterations on, at most QUIET_ROWS, from one point to another, whose `end` is another array. RB_OK, RB_ENOMEM, RB_EINVAL. */
int quiet_advance(struct quiet *q, const struct point *from, struct point *to, int64_t rows, struct rb_error *err);
/* When a role has taken its checkpoint in the iteration that follows a point. */
int64_t quiet_saved(const struct model *m, const struct point *at, int role);

#endif
