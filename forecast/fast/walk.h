/* forecast/fast/walk.h - one iteration of all roles after the other, whatever the last repair has
 * done (private to forecast/fast).
 *
 * A walk keeps the times of one iteration, so its memory does not grow with their number. It can be
 * repeated: the state after a repair (struct since) is not changed by it. */
#ifndef FORECAST_FAST_WALK_H
#define FORECAST_FAST_WALK_H

#include "forecast/fast/point.h"
#include "forecast/programs/log_costs.h"
#include "forecast/time/decision.h"

#define LATER       \
	(INT64_C(1) \
	 << 61) /* what does not happen before the next repair, because a role has died */

/* When messages of an iteration were sent before the last repair; NEVER: they were not, or their
 * receivers have lost them. Kept for repairs that do not stop everybody. */
struct sent_before_row {
	int64_t *sent; /* by message of the program; NULL: none */
	uint32_t messages;
};

struct sent_before {
	struct sent_before_row *row; /* of iteration base, base + 1, ... */
	int64_t base, count;
	size_t room;
};

/* What the last repair has left. */
struct since {
	struct decision now;   /* np 0: there was none */
	int64_t *from, *ready; /* np: the iteration in which a role goes on, and when */
	/* np: what was sent to the role earlier gets there as if it were sent then */
	int64_t *stop;
	int64_t *saved; /* np: its newest checkpoint */
	int64_t *line;  /* np: where duplicates begin */
	/* np: when a role that was not stopped has begun the iteration in which it goes on; NEVER:
	 * it begins that now */
	int64_t *under_way;
	int64_t copies;        /* when duplicates begin */
	int64_t first, last;   /* the iteration in which the first one goes on, and the last one */
	int64_t last_copy;     /* the last one in which a duplicate does anything, or NEVER */
	int64_t stopped_until; /* the last of `stop` */
	const int64_t *high;   /* np: iterations completed at most before the repair */
	/* the largest of them, if their work is not the same again; else 0 */
	int64_t again_until;
	struct sent_before before;
};

/* An iteration of a role, or of its duplicate. */
struct part {
	/* reached: the role could begin it, but for a barrier */
	int64_t reached, begin, saved, start, end, work, waited;
};

struct walk {
	const struct model *m;
	const struct since *since;
	const int64_t *died; /* np: what a role sends later gets nowhere; NEVER: lives */
	struct programs *programs;
	struct log_costs *logs;
	int64_t iter;                  /* the next one */
	const struct program *program; /* of the last one, and when its segments began */
	/* np: of the last one; `end` stays for those that have no part in it */
	struct part *own, *copy;
	int64_t *sent, *sent_by_copy;
	size_t room;
	/* np: the roles in the order in which they take part; NULL: all do */
	int32_t *sorted;
	int active; /* how many do so far */
	bool plain; /* all that the last repair has done is over: only `end` counts */
	/* of the ends of all roles that have begun; most: but for LATER */
	int64_t least, most;
};

int walk_init(struct walk *w, const struct model *m, const struct since *since, const int64_t *died,
	      /* RB_OK or RB_ENOMEM; walk_free() in any case */
	      struct programs *programs, struct log_costs *logs);
void walk_free(struct walk *w);
/* Begin again behind the last repair (RB_OK or RB_ENOMEM), or where all roles have completed `row`
 * iterations at these ticks. */
int walk_restart(struct walk *w);
void walk_restart_at(struct walk *w, int64_t row, const double *end);
/* Role number i of those that take part: i < active. */
static inline int walk_role(const struct walk *w, int i)
{
	return w->sorted ? w->sorted[i] : i;
}
/* Execute the next iteration. RB_OK; RB_ENOMEM; RB_EINVAL. */
int walk_row(struct walk *w, struct rb_error *err);

/* Of a walk: when a role goes on by itself, and when it begins the iteration that comes next. */
int64_t walk_resume(const struct walk *w, int role);
int64_t walk_reached(const struct walk *w, int role);
/* Does the duplicate of the role do anything in this iteration? */
bool since_has_copy(const struct since *s, int role, int64_t iter);
int64_t since_last_of_copy(const struct since *s, int role);

#endif
