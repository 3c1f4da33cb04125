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
	const char *profile, *source; /* of run.model and run.watts, which are its own then */
	double min_w;
};

extern const struct kind engine_kind;

/* --- engine_experiment.c: functions of engine_kind --- */

int engine_check_keys(const struct yaml_node *options, struct rb_error *err);
bool engine_is_inner(const char *key);
bool engine_is_idle(const struct yaml_node *options, const char *key);
const char *engine_phase(const char *role, int i);
int engine_complete(struct run *run, const struct run_setting *in, struct rb_error *err);
size_t engine_run_name(const struct run *run, enum run_name part, char *out, size_t size);
bool engine_is_plain(const struct run *run);
json_t *engine_describe(const struct run *run, struct rb_error *err);
struct run_size engine_size(const struct run *run);
void engine_row(const struct run *run, char *out, size_t size);
bool engine_is_expected(const struct run *run, const json_t *record);

/* --- engine_say.c --- */

/* Warnings and the outcome of one run, for people. */
void say_plan(const struct run_spec *spec, const struct kernel_plan *plan, FILE *to);
void say_outcome(const json_t *record, FILE *to);

#endif
