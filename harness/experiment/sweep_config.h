/* harness/experiment/sweep_config.h - an experiment file: what holds for all runs, and its entries.
 */
#ifndef HARNESS_EXPERIMENT_SWEEP_CONFIG_H
#define HARNESS_EXPERIMENT_SWEEP_CONFIG_H

#include "harness/options/hosts.h"
#include "harness/options/yaml.h"

enum { SWEEP_RUNS_MAX = 50000 };

struct sweep_config {
	const char *name;
	/* path of a file (harness/record/power_model.h), relative to this one; NULL: none */
	const char *power_model;
	/* where readings of wattmeters come from (harness/watts/watts.h); NULL: nowhere */
	const char *watts;
	double watts_min;        /* readings of fewer watts are dropped */
	int repetitions;         /* of every other run */
	int references;          /* of failure-free runs */
	int restart_repetitions; /* of runs with --strategy restart */
	int warm_up;             /* the first repetitions, which are run but not counted */
	int random;              /* order of the runs; 0: as listed */
	int64_t seed;            /* of a random order */
	double budget_s;         /* time that one `rollbench sweep` may take; 0: no limit */
	/* a list of at least one entry, which are read by sweep_expand() */
	const struct yaml_node *runs;
	struct yaml_file *file;
	const struct hosts *hosts; /* not from the file: the hosts of all runs; NULL: this one */
};

/* What a file says that yaml_load() has read; the description lives as long as the file. RB_OK, or
 * RB_EINVAL / RB_ENOMEM with "file:line: what is wrong". */
int sweep_config_read(struct yaml_file *file, struct sweep_config **out, struct rb_error *err);

#endif
