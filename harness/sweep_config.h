/* harness/sweep_config.h - an experiment file: YAML, checked against a schema by libcyaml. */
#ifndef HARNESS_SWEEP_CONFIG_H
#define HARNESS_SWEEP_CONFIG_H

#include "base/error.h"

#include "harness/hosts.h"

#include <stdbool.h>
#include <stdint.h>

/* Which failures a set of runs has: one kill per run, every combination. */
struct sweep_kill {
	char **roles; /* numbers, or "all" */
	unsigned roles_count;
	char *iterations; /* "0..24" or "3,7,11" */
	char **phases;    /* names, or "all" */
	unsigned phases_count;
};

struct sweep_entry {
	char *kernel;
	char **options; /* "name=value" */
	unsigned options_count;
	int32_t np;
	int32_t *spares; /* NULL: as many as kills */
	int64_t interval;
	int32_t *node_size; /* NULL: as the host names say */
	char *ckpt;         /* levels (ft/levels.h); NULL: the default */
	char *ckpt_lag;     /* "async", "sync" or iterations; NULL: the default */
	bool restart;       /* each kill also with --strategy restart, besides the policies */
	char **policies;
	unsigned policies_count;
	char **power;       /* techniques (harness/power.h), each with every policy; none: "none" */
	unsigned power_count;
	char *meters;       /* "off", "phases" or "iterations"; NULL: the default */
	struct sweep_kill *kill; /* NULL: failure-free only */
};

struct sweep_config {
	char *name;
	double *deadline;      /* seconds a run; NULL: the default */
	char *power_model;     /* a file (harness/power_model.h), seen from this one; NULL: none */
	int32_t *repetitions;  /* of every run; NULL: 1 */
	int32_t *restart_repetitions; /* of runs with --strategy restart; NULL: as all others */
	const struct hosts *hosts; /* not from the file: where all of it runs; NULL: here */
	struct sweep_entry *runs;
	unsigned runs_count;
};

/* RB_OK, or RB_EINVAL / RB_EIO with "file:line: what is wrong". */
int sweep_config_load(const char *path, struct sweep_config **out, struct rb_error *err);
void sweep_config_free(struct sweep_config *config);

#endif
