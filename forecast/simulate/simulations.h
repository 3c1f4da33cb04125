/* forecast/simulate/simulations.h - all points of a model file, each with a record in a results
 * folder (harness/store). */
#ifndef FORECAST_SIMULATE_SIMULATIONS_H
#define FORECAST_SIMULATE_SIMULATIONS_H

#include "forecast/simulate/simulation.h"
#include "harness/store/store.h"

/* What is simulated: each point is a simulation and has a record. */
struct simulations_list {
	size_t count;
	const void *of; /* of the functions */
	/* What its record is called: a name that a file can have. */
	const char *(*id)(const void *of, size_t i);
	/* Read its options. As simulation_parse(); simulation_free() after RB_OK. */
	int (*parse)(const void *of, size_t i, struct simulation *s, struct rb_error *err);
	json_t *sweep;       /* sweep.json; simulations_list() takes the reference to it */
	const char *results; /* folder; NULL: no records are kept */
	int jobs;            /* points that are simulated at once */
	/* Called with each record, in any order. NULL: not called */
	void (*take)(void *ctx, size_t i, const json_t *record);
	void *ctx;
};

/* How far a call has come. */
struct simulations {
	char results[SPEC_PATH];
	size_t count; /* points */
	size_t found; /* their records were there */
	size_t made;
	size_t failed;   /* without a record; standard error says why */
	size_t replaced; /* records of another program or model that were kept in STORE_REPLACED */
};

/* Simulate the points that have no record, several at once, and write sweep.json. RB_OK; RB_LOST:
 * interrupted by a signal (launch_signal()), with no process left; or a negative status: refused,
 * or the folder cannot be written. */
int simulations_list(const struct simulations_list *list, struct simulations *to,
		     struct rb_error *err);
/* The same for the points of a file. all: parsed from this command line; its file has points. */
int simulations_make(const struct simulation *all, int argc, char **argv, struct simulations *to,
		     struct rb_error *err);

#endif
