/* harness/kind/engine/engine_run.h - runs of a kernel under the engine in ft/: schema
 * "rollbench-run-1" (docs/record.md). */
#ifndef HARNESS_KIND_ENGINE_ENGINE_RUN_H
#define HARNESS_KIND_ENGINE_ENGINE_RUN_H

#include "harness/kind/kind.h"
#include "harness/options/spec.h"
#include "harness/record/power_model.h"
#include "harness/watts/watts.h"

struct engine_run {
	struct run run;
	struct run_spec spec;
	struct kernel_plan plan; /* once checked */
	struct launch launch;    /* once made */

	/* options of `rollbench run` */
	const char *profile, *source;
	double min_w;
	bool summary;
	struct power_model *model; /* NULL: none */
	struct watts *watts;       /* NULL: none */
};

extern const struct kind engine_kind;

/* New reference: record_make() of a run that has just ended; NULL: out of memory. */
json_t *launch_record(const struct run_spec *spec, const struct kernel_plan *plan,
		      const struct launch *launch, enum run_status *status);

/* --- engine_say.c --- */

/* Warnings and the outcome of one run, for people. */
void say_plan(const struct run_spec *spec, const struct kernel_plan *plan, FILE *to);
void say_outcome(const json_t *record, FILE *to);
/* Figures of merit as lines "name: value unit", for programs that look for such lines; "-" is no
 * unit. A value that was not measured has no line. */
void say_summary(const json_t *record, FILE *to);

#endif
