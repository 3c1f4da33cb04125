/* harness/kind/kind.h - a run, for those who make runs and need not know what is run: it is
 * described by options, checked, made with all its jobs, compared, and has a record.
 *
 * There are two kinds. `engine` (harness/kind/engine): a kernel is protected by the engine in ft/.
 * `elc` (harness/kind/elc): a plain MPI program, or a kernel as one, is protected by event-logging
 * checkpoints. `rollbench run` finds them in a list (harness/cli/cmd_run.c); what torture draws of
 * a kind is a struct torture_source. */
#ifndef HARNESS_KIND_KIND_H
#define HARNESS_KIND_KIND_H

#include "base/error.h"
#include "harness/job/launch.h"
#include "harness/options/command.h"
#include "harness/record/compare.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What all runs have. A kind's own struct begins with it. */
struct run {
	const struct kind *kind;
	const char *workdir; /* where the run folder is made; NULL: $TMPDIR or /tmp */
	struct run_reference reference;

	/* options of `rollbench run` (run_options) */
	const char *json;            /* file of the record, or "-"; NULL: none */
	const char *reference_asked; /* --reference; NULL: what is usual for the kind */
	bool keep, quiet;
};

/* Functions get a struct of the kind. Those that return a status fill *err if it is negative. */
struct kind {
	/* Is this command line of `rollbench run` one of the kind? */
	bool (*takes)(int argc, char **argv);
	/* Read it: *run is a new run, which the caller frees with free(), whatever this returns.
	 * RB_OK; RB_EINVAL or RB_ENOMEM; 1: help was asked for, and has been printed. */
	int (*parse)(struct run **run, int argc, char **argv, struct rb_error *err);
	void (*free)(struct run *run); /* takes NULL */
	/* Check it, as far as that is possible before it is made. It may be checked again. RB_OK,
	 * RB_EINVAL, RB_EIO or RB_ENOMEM. */
	int (*check)(struct run *run, struct rb_error *err);
	/* The shell command that repeats it. */
	void (*command)(const struct run *run, char out[COMMAND_TEXT]);
	/* Does `rollbench run` compare it with its failure-free run where the user does not say? */
	bool (*is_compared)(const struct run *run);
	/* Make the failure-free run and fill run->reference. Nothing is left of it. RB_OK; RB_LOST:
	 * interrupted; RB_EINVAL: it has no result; else as make(). */
	int (*refer)(struct run *run, struct rb_error *err);
	/* Make it, with all jobs that are started again. After RB_OK, whatever the result, its
	 * folder is there until remove(), leave() or keep(). RB_LOST: interrupted; then folder() is
	 * "", or what `rollbench resume` can go on with. RB_EIO, RB_EINVAL, RB_ENOMEM: it could not
	 * be started, and nothing is left. */
	int (*make)(struct run *run, enum launch_use use, struct rb_error *err);
	/* The record of a run that was made, not compared yet (run_record()). *status: what it
	 * says. New reference; NULL: out of memory. */
	json_t *(*record)(struct run *run, enum run_status *status);
	/* For people: the plan, before it is made (NULL: nothing), and the outcome. */
	void (*say_plan)(const struct run *run, FILE *to);
	void (*say_outcome)(const struct run *run, const json_t *record, FILE *to);
	/* Can `rollbench resume` go on with a run of this end? NULL: never. */
	bool (*is_resumable)(const struct run *run, enum run_status status);
	const char *(*folder)(const struct run *run);
	void (*remove)(struct run *run);
	void (*leave)(struct run *run);
	/* Move the folder to a path that does not exist. RB_OK, or RB_EIO: it stays where folder()
	 * says. */
	int (*keep)(struct run *run, const char *to, struct rb_error *err);
};

/* The options of `rollbench run` that all kinds have (struct command, `shared`). */
extern const struct option run_options[];

/* With --reference, or by a run that is made now: what the run is compared with. RB_OK or as
 * refer(). */
int run_refer(struct run *run, struct rb_error *err);
/* The record of a run that was made, compared with run->reference. *status: what it says. New
 * reference; NULL: out of memory. */
json_t *run_record(struct run *run, enum run_status *status);
/* What records call a failure-free run that was made for the comparison. */
#define RUN_FAILURE_FREE "a failure-free run"

#endif
