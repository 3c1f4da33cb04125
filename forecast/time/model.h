/* forecast/time/model.h - how long a run takes that meets failures: the model that all engines
 * compute.
 *
 * docs/simulator.md describes it in full. In short: a role executes its program
 * (contract/pattern.h) iteration by iteration. An iteration begins with a checkpoint if one is due,
 * and with the cost of logging; then come its sends and waits in program order, and its work last.
 * A send takes no time of the sender. A message arrives after the latency and its bytes divided by
 * the bandwidth; links are never busy. A wait ends when all messages that were posted before it are
 * there.
 *
 * A failure stops roles and sends them back, or has duplicates compute, as the engine of a run does
 * it: the closure, the cone and the logs are those of ft/ (forecast/time/decision.h).
 *
 * Times are whole ticks of 2^-30 s, so that sums and maxima are exact and all engines agree to the
 * bit. Failures come in the middle between two ticks, so nothing else happens at the same time. */
#ifndef FORECAST_TIME_MODEL_H
#define FORECAST_TIME_MODEL_H

#include "ft/config.h"
#include "ft/log/policy.h"
#include "ft/log/schedule.h"
#include "contract/pattern.h"
#include "forecast/time/platform.h"

#include <stdbool.h>
#include <stdint.h>

#define TICKS_PER_SECOND ((double)(1 << 30))
enum { WORK_KNOTS_MAX = 33 };
/* No time may be later, so that a double holds every time exactly (97 days). */
#define TICKS_MAX (INT64_C(1) << 53)

/* Of the ticks of all roles, which may be more than 2^63. */
__extension__ typedef __int128 tick_sum;

enum line_kind {
	LINE_FREE,    /* all take the same checkpoints, each role when it gets there */
	LINE_BARRIER, /* all wait for each other before a checkpoint */
	LINE_OWN,     /* role r takes them r mod `interval` iterations later; policy `all` only */
};

/* Whom a repair stops. */
enum repair_reach {
	REPAIR_ALL,      /* every role gives up its iteration and takes part, as with ULFM */
	REPAIR_AFFECTED, /* only those that go back or compute on duplicates; all others go on */
};

enum energy_state {
	STATE_COMPUTE, /* work, checkpoints, logging */
	STATE_WAIT,    /* in a wait, in a repair, or at the end for others */
	STATE_CAPPED,  /* in the first wait behind a recovery, of a role that did not go back */
	STATE_OFF,     /* from a death until the repair is over */
	STATES,
};
const char *energy_state_name(enum energy_state s);

/* The work of an iteration, by quantiles. Role and iteration determine it, so a repeated iteration
 * takes as long as the first time, but for costs.replay_speed. */
struct work {
	/* 1: always the same; else at probabilities 0, 1/(knots-1), ..., 1 */
	int knots;
	double seconds[WORK_KNOTS_MAX]; /* ascending */
	uint64_t seed;
};

struct costs {
	double latency_s;
	double bytes_per_s;     /* of a message */
	double log_bytes_per_s; /* of copying a message into the log; 0: takes no time */
	double checkpoint_s;    /* of each role */
	double detect_s;        /* from a death until the others stop */
	double repair_s;        /* from then until all may go on */
	double restore_s;       /* of a role that loads a checkpoint, also into a duplicate */
	/* how many times as fast a role works in an iteration that it has completed before, or that
	 * its duplicate computes; 0: as fast as the first time */
	double replay_speed;
};

struct situation;
struct decision;

struct model {
	const struct pattern *pattern;
	int64_t steps;
	struct policy policy; /* role and np are filled in for each role */
	enum ft_recompute recompute;
	struct schedule schedule;
	enum line_kind line;
	enum repair_reach reach;
	struct work work;
	struct costs costs;
	double watts[STATES]; /* of a role */
	/* what roles share. Only simulate_simgrid() (forecast/simgrid/engine.h) */
	struct platform platform;
	/* Called for each repair with the state in which it found the roles and what it decided, if
	 * it is not NULL. Not by simulate_simgrid(). simulate_fast() leaves messages out of
	 * decision.gap that no duplicate or receiver asks for. */
	void (*watch)(void *watched, const struct situation *s, const struct decision *d);
	void *watched;
};

/* Where a role dies that does not die by the clock, as phases of a planned kill (inject/plan.h). */
enum failure_point {
	AT_START = -1,  /* when it begins iteration `iter`, behind its checkpoint */
	AT_SEND = -2,   /* when it has copied its messages into the log, if it does */
	AT_COMMIT = -3, /* a tick before it has completed the iteration */
	/* when it begins the first checkpoint of iteration `iter` or a later one */
	AT_CHECKPOINT = -4,
};
/* "start", "send", "commit", "checkpoint"; NULL: none of them. */
const char *failure_point_name(int64_t at);
/* The point of this name. false: there is none, and *at stays. */
bool failure_point_find(const char *name, int64_t *at);

/* The death of a role, by the clock or in an iteration. */
struct failure {
	int role;
	/* tick: half a tick behind it; or an enum failure_point, when the role gets there for the
	 * first time */
	int64_t at;
	int64_t iter;
};

struct result {
	int np;
	int64_t *end; /* np: when each role has done its last iteration */
	int64_t makespan;
	int64_t failures; /* those before the end of the run */
	int64_t repairs;  /* with one or more failures each */
	int64_t overlaps; /* of these, how many began before the last recovery was over */
	/* iterations: the run's own, again by roles that went back, on duplicates */
	int64_t useful, repeated, supported;
	int64_t stopped;        /* iterations that a repair broke off */
	double state_s[STATES]; /* summed over all roles, from 0 to the makespan */
	double energy_j[STATES];
	/* by SimGrid's own account of its hosts; 0 with other engines and without watts */
	double host_energy_j;
	uint64_t hash; /* XXH3-64 of `end` */
};

/* Seconds in whole ticks, to the nearest. */
static inline int64_t ticks_of(double seconds)
{
	return (int64_t)(seconds * TICKS_PER_SECOND + 0.5);
}

static inline double seconds_of(int64_t ticks)
{
	return (double)ticks / TICKS_PER_SECOND;
}

static inline int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* How much of a piece of `length` ticks that begins at `begin` lies before `limit`. */
static inline int64_t part_before(int64_t begin, int64_t length, int64_t limit)
{
	return limit <= begin ? 0 : smaller(length, limit - begin);
}

/* What a role has computed by then of an iteration that begins, starts its program and ends at
 * these ticks. */
static inline int64_t computed_before(int64_t begin, int64_t start, int64_t end, int64_t work,
				      int64_t limit)
{
	return part_before(begin, start - begin, limit) + part_before(end - work, work, limit);
}

/* From a send until the message is there. */
static inline int64_t message_ticks(const struct costs *c, size_t bytes)
{
	return ticks_of(c->latency_s + (double)bytes / c->bytes_per_s);
}

/* Ticks of work of a role in an iteration. */
int64_t work_ticks(const struct work *w, int role, int64_t iter);

/* Is the work of an iteration the same whenever it is done? */
static inline bool model_repeats_alike(const struct model *m)
{
	return !(m->costs.replay_speed > 0) ||
	       !(m->costs.replay_speed < 1 || m->costs.replay_speed > 1);
}

/* The same, of an iteration that is done again or not. */
static inline int64_t model_work(const struct model *m, int role, int64_t iter, bool again)
{
	const int64_t ticks = work_ticks(&m->work, role, iter);

	return !again || model_repeats_alike(m)
		       ? ticks
		       : (int64_t)((double)ticks / m->costs.replay_speed + 0.5);
}

/* Is a checkpoint due before this iteration of the role? */
static inline bool model_due(const struct model *m, int role, int64_t iter)
{
	return schedule_due(m->schedule,
			    iter - (m->line == LINE_OWN ? role % m->schedule.interval : 0));
}

/* RB_OK or RB_EINVAL: what cannot be simulated, and why. */
int model_check(const struct model *m, struct rb_error *err);

/* Room for a number of 8 bytes of each of so many roles, in huge pages if the system has them:
 * freed by free(). NULL: out of memory. */
void *times_alloc(size_t count);
/* The same with zeros. */
void *times_zero(size_t count);

/* Sums, makespan and hash from `end` and what the engine has counted. RB_OK or RB_ENOMEM. */
int result_init(struct result *r, int np);
void result_close(struct result *r, const struct model *m, const tick_sum state[STATES]);
void result_free(struct result *r);

#endif
