/* forecast/study/study.h - `rollbench study`: what profiles say about the balance of a program's
 * communication, and what memory- constrained message logging would cost it (docs/study.md). */
#ifndef FORECAST_STUDY_STUDY_H
#define FORECAST_STUDY_STUDY_H

#include "base/error.h"
#include "profile/command/of_kernel.h"
#include "forecast/study/effort.h"
#include "forecast/study/strategy.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	STUDY_FILES = 64,
	STUDY_CAPS = 32,
	STUDY_STRATEGIES = 16,
	STUDY_CLUSTERS = 32,
	STUDY_CELLS_MAX = 1024,
	STUDY_SETS_MAX = 1024
};

/* The most ranks for which every one is a victim of the chain, and how many are drawn otherwise. */
enum { STUDY_ALL_VICTIMS = 16384, STUDY_SOME_VICTIMS = 64 };

/* What was asked for. */
struct study {
	const char *file[STUDY_FILES];
	int files;
	const char *records; /* NULL, or of whose kernels; there are no files then */
	bool of_kernel;      /* the next four are used, and there are no files */
	struct run_spec spec;
	struct iteration_range iterations;
	bool copies;              /* profile_of_kernel() */
	char **words;             /* the command line behind the command's name */
	double theta[STUDY_CAPS]; /* percent */
	int thetas;
	struct strategy strategy[STUDY_STRATEGIES];
	int strategies;
	bool caps_asked; /* --caps or --strategy were given */
	int cluster[STUDY_CLUSTERS];
	int clusters;  /* 0: 2, 4, 8, ... */
	int64_t phase; /* -1: all */
	int victims;   /* 0: as above */
	uint64_t seed;
	struct timing timing;
	int cells;        /* 0: no matrix in the record */
	bool sets;        /* have the record contain the rollback set of each victim */
	const char *json; /* NULL: none */
};

/* Fill in what the command line says. RB_OK; RB_EINVAL; 1: help was asked for. */
int study_parse(struct study *s, int argc, char **argv, struct rb_error *err);
/* Study one file, or the kernel (path: NULL). New reference: its part of the record; NULL: refused
 * or out of memory, with a message. */
json_t *study_one(struct study *s, const char *path, struct rb_error *err);
/* The studies of the kernels of recorded runs under budget:PERCENT% in which a role died at the end
 * of an interval between checkpoints: of that interval, with the caps and policies of these runs,
 * the strategies on the finished matrix beside them, and all sets. New reference: a list; NULL:
 * there are no such records, or out of memory, with a message. */
json_t *study_records(const struct study *s, struct rb_error *err);
/* The profile of a file or of the kernel, and what the record says about it, which is a new
 * reference; the caller frees both. s->iterations is completed. RB_OK or a negative status, with a
 * message. */
int study_open(struct study *s, const char *path, struct profile *p, json_t **about,
	       struct rb_error *err);
/* strategy_apply() for `budget`, which is played on the kernel's pattern. *cap: in bytes, as a run
 * has it. s->spec.log_peak is completed. RB_OK or a negative status, with a message. */
int study_budget(struct study *s, const struct strategy *g, double theta, const struct exchange *e,
		 bool *off, bool *lost, int64_t *log, int64_t *cap, struct rb_error *err);
/* The part of a record that is about the channels: coverage, load, Lorenz curve, Gini index, cells.
 * RB_OK or RB_ENOMEM. */
int study_balance(const struct study *s, const struct exchange *e, json_t *to);
/* Print it for people. */
void study_say(const json_t *one);

/* The command; returns its exit status. */
int study_main(int argc, char **argv);

#endif
