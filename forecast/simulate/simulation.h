/* forecast/simulate/simulation.h - what `rollbench simulate` is asked for, its methods (methods.c),
 * and its runs and their record. */
#ifndef FORECAST_SIMULATE_SIMULATION_H
#define FORECAST_SIMULATE_SIMULATION_H

#include "forecast/calibrate/calibration.h"
#include "forecast/simulate/engines.h"
#include "harness/experiment/points.h"
#include "harness/options/options.h"
#include "harness/options/yaml.h"
#include "forecast/pattern/stencil_pattern.h"
#include "forecast/time/draw.h"
#include "forecast/time/model.h"

#include <jansson.h>

enum {
	SIMULATION_METHODS = 16,
	SIMULATION_FAILURES = 4096,
	SIMULATION_OPTIONS = 64,
	SIMULATION_TEXT = MEASURED_TEXT
};

/* Which messages are kept, and how the others come back. */
struct method {
	char name[SIMULATION_TEXT]; /* as it was asked for */
	struct policy policy;
	enum ft_recompute recompute;
};

/* The options of one command line or file. */
struct simulation {
	/* as given */
	const char *what;                                /* a pattern, or a model file */
	char value[KERNEL_MAX_OPTIONS][SIMULATION_TEXT]; /* of a kernel's options */
	int np;                                          /* 0: by --grid */
	int grid[STENCIL_AXES], axes;                    /* axes 0: not given */
	bool periodic;
	int width;     /* of a stencil */
	int64_t steps; /* 0: not given */
	int64_t interval, ckpt_first;
	double bytes[STENCIL_AXES];
	struct work work;
	/* while options are read, NAN: not given. Likewise no knots of `work` */
	struct costs costs;
	enum line_kind line;
	enum repair_reach stops;
	double watts[STATES];
	struct platform platform;
	struct failure_law law; /* mtbf_s 0: no failures are drawn */
	struct failure failure[SIMULATION_FAILURES];
	size_t failures;
	const char *methods;
	int seeds;
	uint64_t seed; /* the first */
	enum engine engine;
	int threads;
	const char *json, *goal;
	const char *against; /* records; then there is nothing else */
	const char *from;    /* records from which costs are taken; NULL: none */
	/* with `from`: predict some of these records by the others */
	bool predict;
	bool recoveries; /* the record has a list of them */
	/* folder for the records of all points of a file; NULL: not given */
	const char *results;
	int jobs;    /* points that are simulated at once */
	bool quiet;  /* no progress */
	bool strict; /* quantities must have units, as in a file */

	/* what follows from that */
	struct yaml_file *file; /* NULL: there is none, or it is another's */
	struct points points;   /* of the file; without a file there are none */
	struct option table[SIMULATION_OPTIONS];
	struct kernel_args args;
	struct kernel_pattern kernel;
	struct stencil_pattern stencil;
	const struct pattern *pattern;
	const char *name; /* "stencil1d", "lulesh" */
	struct method method[SIMULATION_METHODS];
	size_t count;
	struct calibration *calibration; /* NULL: there is none */
};

/* "global", "local", "dataflow", "flat", or POLICY, POLICY+dataflow, POLICY+dataflow:flat,
 * separated by commas. RB_OK or RB_EINVAL. Called when the pattern and the schedule are known. */
int simulation_methods(struct simulation *s, const char *list, struct rb_error *err);

/* The kernel, profile or other pattern of that name that has options of its own; NULL: none. */
const struct kernel_ops *simulation_kernel(const char *name);

/* The model of a method. */
struct model simulation_model(const struct simulation *s, const struct method *m, uint64_t seed);

/* What is simulated, as records have it. New reference. */
json_t *simulation_model_json(const struct simulation *s);
/* All methods and seeds, with progress on standard error. New reference: the record. NULL:
 * failed. */
json_t *simulation_run(const struct simulation *s, struct rb_error *err);

#endif
