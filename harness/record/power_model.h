/* harness/record/power_model.h - energy without a meter: an estimate from CPU time, which is
 * labelled as modelled.
 *
 * A profile says how many watts a core takes when it computes and when it is idle. The model
 * multiplies these with the seconds of both that a run measured. All its results are under the key
 * "modelled" of the record, apart from what was measured (docs/energy.md). */
#ifndef HARNESS_RECORD_POWER_MODEL_H
#define HARNESS_RECORD_POWER_MODEL_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* The contents of the YAML file; its keys are the first four members. */
struct power_model {
	const char *name;
	const char *note;       /* where the watts come from; never empty */
	double busy_w, idle_w;  /* watts of a core, 0 <= idle_w <= busy_w */
	struct yaml_file *file; /* the owner of all texts here */
};

/* RB_OK; RB_EIO or RB_EINVAL with "file:line: what is wrong". The caller frees. */
int power_model_load(const char *path, struct power_model **out, struct rb_error *err);
void power_model_free(struct power_model *model); /* NULL is fine */

/* Set record["modelled"] from the record itself (its roles' CPU time, bindings and hosts, and its
 * loop_s), in place of any that is there; nothing else is touched:
 *   {"profile": {"name", "busy_w", "idle_w", "note"}, "energy_j": of all cores below, or null,
 *    "reason": null or why energy_j is null, "by_core": [{"host", "binding", "roles": [...],
 *    "cpu_s", "busy_s", "idle_s", "energy_j", "reason"}], "unmeasured": [roles], "note": "..."}
 * A core is busy for the CPU time of all its roles, at most for the whole loop, and idle for the
 * rest of the loop. A role that lost a process is unmeasured, because it is unknown what that
 * process used after its last sample, and for how long the core was idle. That core has null and is
 * left out. With model NULL the function does nothing. */
void power_model_add(const struct power_model *model, json_t *record);
/* Was record["modelled"] made with this profile? */
bool power_model_is_in(const struct power_model *model, const json_t *record);

#endif
