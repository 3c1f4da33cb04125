/* harness/experiment/experiment.h - an experiment file: what holds for the sweep as a whole. Its
 * other keys are options of runs (harness/experiment/points.h, docs/experiments.md). */
#ifndef HARNESS_EXPERIMENT_EXPERIMENT_H
#define HARNESS_EXPERIMENT_EXPERIMENT_H

#include "harness/options/yaml.h"

enum { SWEEP_RUNS_MAX = 50000 };

struct experiment {
	const char *name; /* key `name`, or the file's name without folder and ending */
	/* path of a file (harness/record/power_model.h), relative to this one; NULL: none */
	const char *power_model;
	/* where readings of wattmeters come from (harness/watts/watts.h); NULL: nowhere */
	const char *watts;
	double watts_min; /* readings of fewer watts are dropped */
	int repetitions;  /* of every other run */
	int references;   /* of failure-free runs */
	int warm_up;      /* the first repetitions, which are run but not counted */
	int random;       /* order of the runs; 0: as listed */
	int64_t order_seed;
	double budget_s; /* time that one `rollbench sweep` may take; 0: no limit */
	struct yaml_file *file;
};

/* What a file says that yaml_load() has read; the description lives as long as the file. RB_OK, or
 * RB_EINVAL / RB_ENOMEM with "file:line: what is wrong". */
int experiment_read(struct yaml_file *file, struct experiment **out, struct rb_error *err);
/* Is it a key of the experiment, and not of its runs? */
bool experiment_has_key(const char *key);
/* What is written in place of a key that there was once; NULL: there was none. */
const char *experiment_key_now(const char *key);

#endif
