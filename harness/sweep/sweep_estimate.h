/* harness/sweep/sweep_estimate.h - how long the runs of a sweep will take, from records of runs
 * like them or by a rule. */
#ifndef HARNESS_SWEEP_SWEEP_ESTIMATE_H
#define HARNESS_SWEEP_SWEEP_ESTIMATE_H

#include "harness/sweep/sweep_plan.h"

/* Where an estimate is from, the best first. */
enum estimate_source {
	ESTIMATE_OWN,     /* the run's own record */
	ESTIMATE_ALIKE,   /* records that differ in the kill's role, place and time, or in the
			   * repetition */
	ESTIMATE_PROBLEM, /* records of the same kernel, options and np */
	ESTIMATE_RULE,
	ESTIMATE_UNKNOWN, /* the length of the run is not known before it ends */
	ESTIMATE_SOURCES,
};

/* "its record", "records like it" ... */
const char *estimate_source_name(enum estimate_source source);
/* What the rule is. */
extern const char estimate_rule[];

struct estimate {
	double seconds; /* NAN: unknown */
	enum estimate_source source;
};

/* The estimates of runs, which are first entered, all of them. */
struct estimates;

/* NULL: out of memory. */
struct estimates *estimates_new(size_t runs);
void estimates_free(struct estimates *e);
/* Enter the next run. recorded_s: the seconds of its record; NAN: there is none. false: out of
 * memory. */
bool estimates_enter(struct estimates *e, const struct sweep_run *of, const struct run *run,
		     double recorded_s);
/* The estimate of the i-th run. */
struct estimate estimates_of(struct estimates *e, size_t i);

#endif
