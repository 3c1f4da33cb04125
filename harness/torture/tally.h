/* harness/torture/tally.h - how many runs ended how, and how far a sweep has come. */
#ifndef HARNESS_TORTURE_TALLY_H
#define HARNESS_TORTURE_TALLY_H

#include "harness/record/record.h"
#include "harness/sweep/sweep_plan.h"

enum { TALLY_ROWS = 64 };

struct tally_row {
	char name[96]; /* kernel, policy, with or without failures */
	int count[STATUS_COUNT];
	int total;
};

struct tally {
	struct tally_row row[TALLY_ROWS];
	int rows;
	struct tally_row all;
	size_t runs, done, resumed;
	double begin, said; /* CLOCK_MONOTONIC */
};

void tally_start(struct tally *t, size_t runs);
void tally_add(struct tally *t, const struct sweep_run *run, enum run_status status, bool resumed);
/* A line on standard error with what is done and the time left; redrawn on a terminal. */
void tally_progress(struct tally *t, bool last);
void tally_table(const struct tally *t, FILE *to);

#endif
