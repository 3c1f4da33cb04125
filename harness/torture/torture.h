/* harness/torture/torture.h - a torture: random runs, each one compared with a failure-free run,
 * counted, and kept if it is bad.
 *
 * What a run is, is the kind's business: a run of the engine (harness/cli/cmd_torture.c), or a
 * program under event-logging checkpoints (harness/elc/elc_torture.c). */
#ifndef HARNESS_TORTURE_TORTURE_H
#define HARNESS_TORTURE_TORTURE_H

#include "harness/options/command.h"
#include "harness/torture/journal.h"
#include "harness/torture/load.h"
#include "harness/torture/tally.h"

enum { TORTURE_HASH = 40 };

/* A run that has been drawn. */
struct torture_case {
	char row[TALLY_NAME]; /* of the table */
	int problem;          /* runs of one problem have equal answers */
	bool left_out;        /* the options leave it out */
};

/* How a run ended. Runs that are as expected have no message. */
struct torture_made {
	struct outcome outcome;
	json_t *record;      /* the caller's */
	const char *message; /* NULL, or valid as long as the record */
};

/* All functions get `of`. Those below draw() are about the run that was drawn last. */
struct torture_kind {
	void *of;
	/* Run number i: the same each time. RB_OK or RB_EINVAL. */
	int (*draw)(void *of, int64_t i, struct torture_case *c, struct rb_error *err);
	/* Check it as far as that is possible without a run. RB_OK or RB_EINVAL. */
	int (*check)(void *of, struct rb_error *err);
	/* The command that repeats it. */
	void (*command)(void *of, char out[COMMAND_TEXT]);
	/* The hash of the result of its failure-free run, which is made. RB_OK, RB_LOST:
	 * interrupted, or a negative status. */
	int (*refer)(void *of, char hash[TORTURE_HASH], struct rb_error *err);
	/* Make it. After RB_OK its folder is there until remove() or keep(). */
	int (*make)(void *of, const char *hash, struct torture_made *made, struct rb_error *err);
	void (*remove)(void *of);
	/* Move the folder of the run to a path that does not exist. After a failure it stays where
	 * it is, and folder() says where. */
	int (*keep)(void *of, const char *to, struct rb_error *err);
	const char *(*folder)(void *of);
	/* On what the runs of a results folder depend besides the seed, the load and the program:
	 * an object. New reference. */
	json_t *(*terms)(void *of);
	bool elc; /* of runs with --protocol (harness/torture/tally.h) */
	/* What the summary adds; NULL: nothing. */
	void (*say)(void *of);
};

struct torture {
	struct torture_kind kind;
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
