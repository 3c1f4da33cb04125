/* harness/torture/tally.h - counts of runs by how they ended, and the progress of a sweep. */
#ifndef HARNESS_TORTURE_TALLY_H
#define HARNESS_TORTURE_TALLY_H

#include "harness/record/record.h"

#include <stddef.h>

enum { TALLY_ROWS = 128, TALLY_NAME = 96 };

struct tally_row {
	char name[TALLY_NAME]; /* kernel, policy, with or without failures */
	int count[STATUS_COUNT];
	/* of those that are ok: a job was started again because a repair did not close */
	int escalated;
	int refused;  /* of those that were aborted: as the documentation says */
	int restarts; /* of jobs, after planned deaths */
	int total;
};

/* How a run ended. */
struct outcome {
	enum run_status status;
	bool expected; /* nothing is wrong with that */
	bool escalated;
	bool resumed; /* it had been made before */
	bool refused; /* it was aborted with a message that the documentation names */
	int restarts;
};

struct tally {
	struct tally_row row[TALLY_ROWS];
	int rows;
	struct tally_row all;
	/* bad: not as expected; controls: wrong, as they should be */
	size_t runs, done, resumed, bad, controls;
	double begin, said; /* CLOCK_MONOTONIC */
	/* runs with --protocol: they are refused and started again, and know neither spares nor
	 * escalation */
	bool elc;
};

void tally_start(struct tally *t, size_t runs);
/* name: of its row, which is made if there is none. */
void tally_add(struct tally *t, const char *name, const struct outcome *outcome);
/* Write a line on standard error with the number of finished runs and the time left. On a terminal
 * the line is redrawn. */
void tally_progress(struct tally *t, bool last);
void tally_table(const struct tally *t, FILE *to);

#endif
