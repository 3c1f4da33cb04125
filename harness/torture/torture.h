/* harness/torture/torture.h - a torture: random runs, each one compared with a failure-free run,
 * counted, and kept if it is bad.
 *
 * Runs are made by their kind (harness/kind/kind.h). Which ones are drawn is the business of a
 * source: harness/kind/engine/engine_torture.h, harness/kind/elc/elc_torture.h. */
#ifndef HARNESS_TORTURE_TORTURE_H
#define HARNESS_TORTURE_TORTURE_H

#include "harness/kind/kind.h"
#include "harness/torture/journal.h"
#include "harness/torture/load.h"
#include "harness/torture/tally.h"

/* How processes die. */
enum torture_kills {
	/* one to four of them at points of the program, as --kill says (inject/plan.h) */
	TORTURE_PLANNED,
	/* one to three of them by the clock, as --kill-at says (inject/outside.h) */
	TORTURE_CLOCK,
	TORTURE_BOTH,     /* half of the runs in each way */
	TORTURE_BY_HOSTS, /* the user does not say: planned on several hosts, else both */
};

/* Its word; NULL: there are no more that a user can say. */
const char *torture_kills_word(int kills);

/* A run that has been drawn. */
struct torture_case {
	char row[TALLY_NAME]; /* of the table */
	int problem;          /* runs of one problem have equal answers */
	bool left_out;        /* the options leave it out */
};

/* All functions get `of`. */
struct torture_source {
	void *of;
	struct run *run; /* that was drawn last */
	/* Describe run number i: the same each time. RB_OK or RB_EINVAL. */
	int (*draw)(void *of, int64_t i, struct torture_case *c, struct rb_error *err);
	/* May the run end so, by its record? */
	struct outcome (*judge)(void *of, const json_t *record, enum run_status status);
	/* On what the runs of a results folder depend besides the seed, the load and the program:
	 * an object. New reference. */
	json_t *(*terms)(void *of);
	bool elc; /* of runs with --protocol (harness/torture/tally.h) */
	/* What the summary adds; NULL: nothing. */
	void (*say)(void *of);
};

struct torture {
	struct torture_source source;
	int64_t runs, first;
	uint64_t seed;
	double minutes; /* 0: no limit */
	const char *keep, *results, *workdir;
	bool dry_run;
	struct load load;
	struct journal journal;
	struct tally tally;
	char in_results[SPEC_PATH]; /* the folder of bad runs in --results */
	struct rb_error err;
};

/* Returns the exit status of `rollbench torture`. */
int torture_main(struct torture *t);

#endif
