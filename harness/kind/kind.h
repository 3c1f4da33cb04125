/* harness/kind/kind.h - a run, for those who make runs and need not know what is run: it is
 * described by options, checked, made with all its jobs, compared, and has a record.
 *
 * There are two kinds. `engine` (harness/kind/engine): a kernel is protected by the engine in ft/.
 * `elc` (harness/kind/elc): a plain MPI program, or a kernel as one, is protected by event-logging
 * checkpoints. `rollbench run` and `sweep` find them in a list (harness/cli/kinds.c); what torture
 * draws of a kind is a struct torture_source. */
#ifndef HARNESS_KIND_KIND_H
#define HARNESS_KIND_KIND_H

#include "base/error.h"
#include "harness/job/launch.h"
#include "harness/options/command.h"
#include "harness/options/yaml.h"
#include "harness/record/compare.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What all runs have. A kind's own struct begins with it. */
struct run {
	const struct kind *kind;
	const char *workdir; /* where the run folder is made; NULL: $TMPDIR or /tmp */
	const char *from;    /* the folder of the run that this one goes on with; NULL: it is new */
	struct run_reference reference;

	/* options of `rollbench run` (run_options) */
	const char *json;            /* file of the record, or "-"; NULL: none */
	const char *trace;           /* file of its trace events; NULL: none */
	const char *reference_asked; /* --reference; NULL: what is usual for the kind */
	bool keep, quiet;

	/* energy that its record gets as modelled, and as wattmeters read it. Runs of a sweep share
	 * these. NULL: none, or the kind has none */
	struct power_model *model;
	struct watts *watts;

	char *words; /* what its options point to, where nobody else has it; NULL: none */
};

/* How much of a run its name says. */
enum run_name {
	NAME_PROBLEM, /* what is computed, by how many processes */
	NAME_ALIKE,   /* and what protects it */
	NAME_WHOLE,   /* and what happens to it */
};

/* What is known of a run's length before it is made. */
struct run_size {
	int np;
	int64_t iterations; /* -1: not known */
	double bytes_per_role;
	bool twice; /* a job is started again */
	double deadline_s;
};

/* What a run of an experiment file does not say itself. */
struct run_setting {
	const struct hosts *hosts; /* NULL: this machine */
	bool kills;                /* its entry has runs with kills */
};

/* Functions get a struct of the kind. Those that return a status fill *err if it is negative. */
struct kind {
	const char *word;   /* in records */
	bool has_energy;    /* its records can have it as modelled, and as wattmeters read it */
	bool restarts_jobs; /* whoever dies, the job is started again; there are no spares */
	/* Is this command line of `rollbench run` one of the kind? */
	bool (*takes)(int argc, char **argv);
	/* Read it: *run is a new run, which the caller frees with free(), whatever this returns.
	 * RB_OK; RB_EINVAL or RB_ENOMEM; 1: help was asked for, and has been printed. */
	int (*parse)(struct run **run, int argc, char **argv, struct rb_error *err);
	void (*free)(struct run *run); /* takes NULL */
	/* Read a run from its folder and the spec.json in it, to go on with it: *run is a new run,
	 * as of parse(). RB_OK; RB_EINVAL: it is of another version, or nothing is there with which
	 * it could go on; RB_ECORRUPT; RB_ENOMEM. */
	int (*load)(struct run **run, const char *dir, json_t *spec, struct rb_error *err);
	/* Its processes are to note what they do, for run->trace. false: this one is gone on with
	 * and its first processes did not. NULL: the kind has no such notes. */
	bool (*notes)(struct run *run);
	/* Where it has the hosts on which it is to run; NULL there: this machine. */
	const struct hosts **(*hosts)(struct run *run);
	/* Check it, as far as that is possible before it is made. It may be checked again. RB_OK,
	 * RB_EINVAL, RB_EIO or RB_ENOMEM. */
	int (*check)(struct run *run, struct rb_error *err);
	/* The shell command that repeats it. */
	void (*command)(const struct run *run, char out[COMMAND_TEXT]);
	/* Does `rollbench run` compare it with its failure-free run where the user does not say? */
	bool (*is_compared)(const struct run *run);
	/* The same problem without what could happen to it: *plain is a new run, checked, which the
	 * caller frees with free(), whatever this returns. RB_OK, or as check(). */
	int (*make_plain)(struct run **plain, const struct run *run, struct rb_error *err);
	/* Make it, with all jobs that are started again; or go on with it (run->from), which needs
	 * no other use than LAUNCH_KEPT. After RB_OK, whatever the result, its
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
	/* Can `rollbench resume` go on with a run of this end? */
	bool (*is_resumable)(const struct run *run, enum run_status status);
	const char *(*folder)(const struct run *run);
	void (*remove)(struct run *run);
	void (*leave)(struct run *run);
	/* Move the folder to a path that does not exist. RB_OK, or RB_EIO: it stays where folder()
	 * says. */
	int (*keep)(struct run *run, const char *to, struct rb_error *err);

	/* --- runs of an experiment file: their options are a mapping (run_of_options()) --- */

	/* Is everything there that it must say, and nothing that only a command line can say?
	 * RB_OK, or RB_EINVAL with a message that begins with the key. */
	int (*check_keys)(const struct yaml_node *options, struct rb_error *err);
	/* Is the key an inner axis (harness/experiment/points.h): do its values protect the same
	 * problem in different ways? */
	bool (*is_inner)(const char *key);
	/* Would the run be the same without the option? Of a default this may be false. */
	bool (*is_idle)(const struct yaml_node *options, const char *key);
	/* Phases that `all` means in a kill of this role, from 0; NULL: there are no more. */
	const char *(*phase)(const char *role, int i);
	/* Set what follows from the others, and check it, whatever this machine permits. RB_OK or
	 * RB_EINVAL. */
	int (*complete)(struct run *run, const struct run_setting *in, struct rb_error *err);
	/* What the run is, in a name of a file. Returns the length, as snprintf() does. */
	size_t (*name)(const struct run *run, enum run_name part, char *out, size_t size);
	/* Can other runs of the problem be compared with it? */
	bool (*is_plain)(const struct run *run);
	/* All that its record follows from, besides this program (store_find()). New reference;
	 * NULL with a message. */
	json_t *(*describe)(const struct run *run, struct rb_error *err);
	struct run_size (*size)(const struct run *run);
	/* Its row in a table of runs. */
	void (*row)(const struct run *run, char *out, size_t size);
	/* Did it end as it should? */
	bool (*is_expected)(const struct run *run, const json_t *record);
};

/* The options of `rollbench run` that all kinds have (struct command, `shared`). */
extern const struct option run_options[];

/* The kind of a command line of `rollbench run`. kinds: the list of all; the first one that takes
 * it has it, and the last one takes all. */
const struct kind *run_kind(const struct kind *const *kinds, int argc, char **argv);
/* The same of a run that is described by a mapping of options: its keys are options of `rollbench
 * run` with _ for -, and `kernel` or `program`. NULL, with a message: it does not say what is run.
 */
const struct kind *run_kind_of_options(const struct kind *const *kinds,
				       const struct yaml_node *options, struct rb_error *err);
/* A new run, of zeros but for its kind, for parse() and others. RB_OK or RB_ENOMEM. */
int run_new(struct run **run, const struct kind *kind, size_t size, struct rb_error *err);
/* A run that is gone on with, by the kind that its folder names. RB_OK; RB_EIO: it is no run
 * folder; else as load(). The caller calls run_free(), whatever this returns. */
int run_of_folder(struct run **run, const struct kind *const *kinds, const char *dir,
		  struct rb_error *err);
/* A new run of this kind. RB_OK; RB_EINVAL, with a message that begins with --option; RB_ENOMEM.
 * The caller calls run_free(), whatever this returns. */
int run_of_options(struct run **run, const struct kind *kind, const struct yaml_node *options,
		   struct rb_error *err);
void run_free(struct run *run); /* takes NULL */
/* The text of an option; NULL: it is not there. */
const char *run_option(const struct yaml_node *options, const char *key);

/* With --reference, or by its failure-free run that is made now: what the run is compared with. One
 * that is gone on with has what its folder says (kind elc) or nothing, unless --reference is given.
 * RB_OK; RB_LOST: interrupted; RB_EINVAL: that run has no result; else as make(). */
int run_refer(struct run *run, struct rb_error *err);
/* Make its failure-free run, of which nothing is left, and fill run->reference. Likewise. */
int run_refer_to_plain(struct run *run, struct rb_error *err);
/* Make a run of which nothing is kept but its record. *record: as of run_record(). RB_OK, whatever
 * the result; else as make(). */
int run_make(struct run *run, json_t **record, enum run_status *status, struct rb_error *err);
/* The record of a run that was made, compared with run->reference. *status: what it says. New
 * reference; NULL: out of memory. */
json_t *run_record(struct run *run, enum run_status *status);
/* What records call a failure-free run that was made for the comparison. */
#define RUN_FAILURE_FREE "a failure-free run"

#endif
