/* forecast/simulate/best_interval.h - the best interval between checkpoints by simulation, beside
 * those of Young and Daly: `rollbench interval --simulate`.
 *
 * All intervals and methods meet the same failures (the seeds), so they are compared in pairs.
 * Everything here is modelled. */
#ifndef FORECAST_SIMULATE_BEST_INTERVAL_H
#define FORECAST_SIMULATE_BEST_INTERVAL_H

#include "forecast/optimal_interval.h"
#include "forecast/simulate/simulation.h"

/* An interval that was tried. */
struct attempt {
	int64_t interval;   /* iterations */
	char id[48];        /* of its record */
	double *makespan_s; /* by method, and for each by seed; NULL: not simulated yet */
};

struct best_interval {
	const struct simulation *asked;
	int argc; /* its command line */
	char **argv;
	int seeds;
	double *difference; /* seeds: of the pairs that are compared */
	/* What the formulas need: of a run without failures and checkpoints, and of the model. */
	double free_s[SIMULATION_METHODS]; /* how long it takes */
	struct interval_costs costs[SIMULATION_METHODS];
	double mtbf_s;         /* of the whole system */
	struct attempt *tried; /* in ascending order */
	size_t attempts, room;
};

/* Search. asked: parsed from this command line, which must live as long as b. Tried are Daly's
 * optimum times 1/8 to 8, further ones while the best may be at an end, and steps of 19 % where it
 * may be. RB_OK; RB_LOST: interrupted by a signal; RB_EINVAL, RB_EIO or RB_ENOMEM. Call
 * best_interval_free() in any case. */
int best_interval_search(struct best_interval *b, const struct simulation *asked, int argc,
			 char **argv, struct rb_error *err);
void best_interval_free(struct best_interval *b);

/* Young's and Daly's optimum in whole iterations of the run. */
int64_t best_interval_young(const struct best_interval *b, size_t method);
int64_t best_interval_daly(const struct best_interval *b, size_t method);
/* The attempt with the least mean, and the ends of the range of attempts around it that are not
 * worse by a paired permutation test over the seeds (5 %, each for itself): places in b->tried. */
struct interval_range {
	size_t best, first, last;
};
struct interval_range best_interval_range(const struct best_interval *b, size_t method);
/* The times of a method at an attempt, by seed. */
static inline const double *best_interval_times(const struct best_interval *b, size_t at,
						size_t method)
{
	return b->tried[at].makespan_s + method * (size_t)b->seeds;
}

/* New reference: the record, "rollbench-interval-2" (docs/simulator.md). NULL: out of memory. */
json_t *best_interval_json(const struct best_interval *b);
void best_interval_say(const json_t *record, FILE *to);

#endif
