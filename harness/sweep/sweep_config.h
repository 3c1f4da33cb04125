/* harness/sweep/sweep_config.h - an experiment file: YAML, checked against a schema by libcyaml. */
#ifndef HARNESS_SWEEP_SWEEP_CONFIG_H
#define HARNESS_SWEEP_SWEEP_CONFIG_H

#include "base/error.h"
#include "harness/spec/yaml_index.h"

#include "harness/spec/hosts.h"

#include <stdbool.h>
#include <stdint.h>

/* Which failures a set of runs has: one kill per run, every combination. */
struct sweep_kill {
	char **roles; /* numbers, or "all" */
	unsigned roles_count;
	char **iterations; /* each "0..24" or "3,7,11" */
	unsigned iterations_count;
	char **phases;    /* names, or "all" */
	unsigned phases_count;
};

/* One problem, or the product of the lists. */
struct sweep_entry {
	char *kernel;
	char **options; /* "name=value", or "name=one|another" for several values */
	unsigned options_count;
	int32_t *np;
	unsigned np_count;
	int32_t *spares; /* NULL: as many as kills */
	int64_t *interval;
	unsigned interval_count;
	int32_t *node_size; /* NULL: as the host names say */
	char **ckpt;        /* levels (ft/levels.h); none: the default */
	unsigned ckpt_count;
	char **ckpt_lag;    /* "async", "sync" or iterations; none: the default */
	unsigned ckpt_lag_count;
	bool restart;       /* each kill also with --strategy restart, besides the policies */
	char **policies;
	unsigned policies_count;
	char **power;       /* techniques (harness/power/power.h), each with every policy; none: "none" */
	unsigned power_count;
	char *meters;       /* "off", "phases" or "iterations"; NULL: the default */
	struct sweep_kill *kill; /* NULL: failure-free only */
};

struct sweep_config {
	char *name;
	double *deadline;      /* seconds a run; NULL: the default */
	char *power_model;     /* a file (harness/record/power_model.h), seen from this one; NULL: none */
	int32_t *repetitions;  /* of every run; NULL: 1 */
	int32_t *restart_repetitions; /* of runs with --strategy restart; NULL: as all others */
	int32_t *warm_up;      /* so many repetitions, the first ones, are run but not counted; NULL: 0 */
	char *order;           /* "listed" or "random"; NULL: listed */
	int64_t *seed;         /* of a random order; NULL: 1 */
	char *budget;          /* time (harness/spec/duration.h); NULL: no end to it */
	const struct hosts *hosts; /* not from the file: where all of it runs; NULL: here */
	struct sweep_entry *runs;
	unsigned runs_count;
	struct yaml_index *index; /* not in the file: the lines of all that is */
};

/* RB_OK, or RB_EINVAL / RB_EIO with "file:line: what is wrong". */
int sweep_config_load(const char *path, struct sweep_config **out, struct rb_error *err);
void sweep_config_free(struct sweep_config *config);

#endif
