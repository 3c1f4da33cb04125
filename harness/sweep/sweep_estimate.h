/* harness/sweep/sweep_estimate.h - how long the runs of a sweep will take: from records, else by a rule. */
#ifndef HARNESS_SWEEP_SWEEP_ESTIMATE_H
#define HARNESS_SWEEP_SWEEP_ESTIMATE_H

#include "harness/sweep/sweep_plan.h"

/* What an estimate is from, the best first. */
enum estimate_source {
	ESTIMATE_OWN,     /* the run's own record */
	ESTIMATE_ALIKE,   /* median of the records that differ only in the kill's role, place and time, or
			     in the repetition */
	ESTIMATE_PROBLEM, /* median of the records of the same kernel, options and np */
	ESTIMATE_RULE,    /* the rule below */
	ESTIMATE_NONE,    /* no record, and a run whose length nobody knows beforehand */
	ESTIMATE_SOURCES,
};
const char *estimate_source_name(enum estimate_source source);

/* The rule, for when there is no record: half a second to start, and in each iteration every role reads
 * its memory once at 4 GB/s, one role after the other on each core of this machine; twice, if the job
 * is started again. An order of magnitude. */
extern const char estimate_rule[];

struct estimate {
	double seconds; /* of the launch, at most the deadline; NAN: ESTIMATE_NONE */
	enum estimate_source source;
	bool done; /* not set by sweep_estimate() */
};

/* out: plan->count. dir: the results folder, which need not be there. RB_OK or RB_ENOMEM. */
int sweep_estimate(const struct sweep_plan *plan, const char *dir, struct estimate *out);

#endif
