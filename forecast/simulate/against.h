/* forecast/simulate/against.h - the simulator held against the record of a run. */
#ifndef FORECAST_SIMULATE_AGAINST_H
#define FORECAST_SIMULATE_AGAINST_H

#include "base/error.h"

#include <jansson.h>

enum agreement {
	/* the simulated run has the same deaths, fronts and checkpoints, and the same counts and
	   sets */
	AGREES,
	/* the roles were elsewhere; what the simulator decides for where they were is what the run
	   did */
	AGREES_THERE,
	LEFT_OUT, /* there is nothing to compare */
	DIFFERS,
	AGREEMENTS,
};

struct against {
	enum agreement answer;
	/* LEFT_OUT: why. AGREES_THERE: what is not as simulated. DIFFERS: in what, with both
	 * values */
	char why[160];
};

/* Simulate the run of a record (rollbench-run-1) with its planned kills, and decide each of its
 * recoveries for the fronts and the checkpoint in the record. RB_OK or RB_ENOMEM. */
int against_record(struct against *a, json_t *record, struct rb_error *err);

/* All records at a path: the results of a sweep, a folder of records, or one. Prints how many
 * agree, and why others do not or are left out. 0; 1: one differs, or none can be compared;
 * RB_EINVAL, RB_EIO or RB_ENOMEM. */
int simulate_against(const char *path, struct rb_error *err);

#endif
