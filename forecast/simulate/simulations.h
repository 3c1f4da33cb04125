/* forecast/simulate/simulations.h - all points of a model file, each with a record in a results
 * folder (harness/store). */
#ifndef FORECAST_SIMULATE_SIMULATIONS_H
#define FORECAST_SIMULATE_SIMULATIONS_H

#include "forecast/simulate/simulation.h"
#include "harness/store/store.h"

/* How far a call has come. */
struct simulations {
	char results[SPEC_PATH];
	size_t count; /* points */
	size_t found; /* their records were there */
	size_t made;
	size_t failed;   /* without a record; standard error says why */
	size_t replaced; /* records of another program or model that were kept in STORE_REPLACED */
};

/* Simulate the points that have no record, several at once, and write sweep.json. all: parsed from
 * this command line; its file has points. RB_OK; RB_LOST: interrupted by a signal
 * (launch_signal()), with no process left; or a negative status: refused, or the folder cannot be
 * written. */
int simulations_make(const struct simulation *all, int argc, char **argv, struct simulations *to,
		     struct rb_error *err);

#endif
