/* forecast/fast/state.h - a simulation of engine `fast` under way (private to forecast/fast). */
#ifndef FORECAST_FAST_STATE_H
#define FORECAST_FAST_STATE_H

#include "forecast/fast/sent_before.h"
#include "forecast/fast/failure_free.h"
#include "forecast/fast/walk.h"

struct totals {
	tick_sum computed, capped;
	int64_t repeated, supported;
};

enum { POINTS = 4 };

struct state {
	const struct model *m;
	int np;
	const struct failure *list;
	size_t count;
	bool *over; /* count: has happened */
	/* count: when it happens; NEVER: not known, or not since the last repair */
	int64_t *fails_at;
	/* count: of a failure that does not happen by the clock, the iteration in which it may */
	int64_t *fails_in;
	struct programs programs;
	struct log_costs logs;
	struct failure_free failure_free;
	struct since since;
	struct walk walk;
	bool walks;            /* `walk` is set up */
	double *rows;          /* 2 np: for tiles, once there are any */
	double *spare[POINTS]; /* arrays for points */
	/* base.end NULL: behind the last repair. No failure happens before the base. */
	struct point base, now;
	bool started;                        /* `now` is one */
	struct totals until_base, until_now; /* since the last repair */
	/* np each: */
	int64_t *died;     /* when, since the last repair; NEVER: lives */
	int64_t *until;    /* how long the role has lived in what is looked at */
	bool *dead, *past; /* past: has an iteration that ends later */
	int open;          /* roles that are not, and have iterations left */
	/* iterations completed; at most so far, before any role went back */
	int64_t *front, *high;
	/* the iteration in which the failure finds the role, if it has one left */
	struct part *at;
	/* the newest checkpoint when the others stop, and the line that follows */
	int64_t *saved, *line;
	/* its first iteration behind a recovery for which it did not go back; NEVER */
	int64_t *capped;
	int64_t *off;    /* until when its time off has been counted */
	int64_t highest; /* of `high` */
	/* the last recovery is over when all roles that it stopped have completed so many */
	int64_t target;
	tick_sum sum[STATES];
	struct result *r;
};

/* Note which failures by iteration happen in the iteration that the walk has just executed. */
void note_failures_of_walk(struct state *s);
/* Account for the iteration that the walk has just executed, up to the ticks in `until`. */
void account_row(struct state *s, struct totals *t);
/* Find out where failures find the roles: walk from the base until all are past. RB_OK, RB_ENOMEM,
 * RB_EINVAL. */
int locate(struct state *s, int64_t stop, struct totals *t, struct sent_before *before,
	   struct rb_error *err);
/* What changes when the others stop, behind locate(). RB_OK, RB_ENOMEM, RB_EINVAL. */
int recover(struct state *s, int64_t stop, struct sent_before *before, struct rb_error *err);

#endif
