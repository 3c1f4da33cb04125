/* harness/record/power_model.h - energy where there is no meter: an estimate from CPU time, labelled as such.
 *
 * A profile says how many watts a core takes when it computes and when it idles; the model multiplies
 * them with the seconds of both that a run measured. Everything it yields is under the record's key
 * "modelled", apart from what was measured (docs/energy.md). */
#ifndef HARNESS_RECORD_POWER_MODEL_H
#define HARNESS_RECORD_POWER_MODEL_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* The YAML file, with the first four as its keys. */
struct power_model {
	const char *name;
	const char *note;            /* where the watts come from; never empty */
	double busy_w, idle_w; /* watts of a core, 0 <= idle_w <= busy_w */
	struct yaml_file *file; /* owns all of this */
};

/* RB_OK; RB_EIO or RB_EINVAL with "file:line: what is wrong". The caller frees. */
int power_model_load(const char *path, struct power_model **out, struct rb_error *err);
void power_model_free(struct power_model *model); /* NULL is fine */

/* Set record["modelled"] from the record itself (its roles' CPU time, bindings and hosts, and its
 * loop_s), in place of any that is there; nothing else is touched:
 *   {"profile": {"name", "busy_w", "idle_w", "note"}, "energy_j": of all cores below, or null,
 *    "reason": null or why energy_j is null, "by_core": [{"host", "binding", "roles": [...],
 *    "cpu_s", "busy_s", "idle_s", "energy_j", "reason"}], "unmeasured": [roles], "note": "..."}
 * A core is busy for as long as the CPU time of all its roles, at most for the whole loop, and idle
 * for the rest of the loop. A role that lost a process is unmeasured: what that used after its last
 * sample nobody knows, nor for how long its core was idle. That core has null and is left out.
 * model NULL: does nothing. */
void power_model_add(const struct power_model *model, json_t *record);
/* Whether record["modelled"] was made with this profile. */
bool power_model_is_in(const struct power_model *model, const json_t *record);

#endif
