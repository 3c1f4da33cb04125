#include "harness/record/power_model.h"

#include "base/json.h"
#include "base/status.h"
#include "harness/options/yaml.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AT(member) .at = offsetof(struct power_model, member), .required = true

static const struct option fields[] = {
	{ .name = "name", .type = OPTION_STRING, AT(name) },
	{ .name = "note", .type = OPTION_STRING, AT(note) },
	{ .name = "busy_w", .type = OPTION_AMOUNT, AT(busy_w) }, /* watts of a core */
	{ .name = "idle_w", .type = OPTION_AMOUNT, AT(idle_w) },
	{ .name = NULL },
};

static int read_profile(struct yaml_file *file, struct power_model *m, struct rb_error *err)
{
	RB_TRY(yaml_read(file, file->root, fields, NULL, m, err));
	if (m->idle_w > m->busy_w)
		return rb_fail(err, RB_EINVAL, "%s:%d: idle_w: %g: more than busy_w, %g",
			       file->path, yaml_get(file->root, "idle_w")->line, m->idle_w,
			       m->busy_w);
	return RB_OK;
}

int power_model_load(const char *path, struct power_model **out, struct rb_error *err)
{
	struct yaml_file *file;
	int rc;

	*out = NULL;
	RB_TRY(yaml_load(path, "docs/energy.md", &file, err));
	*out = yaml_alloc(file, sizeof **out);
	rc = *out ? read_profile(file, *out, err)
		  : rb_fail(err, RB_ENOMEM, "%s: out of memory", path);
	if (rc == RB_OK) {
		(*out)->file = file;
		return RB_OK;
	}
	yaml_free(file);
	*out = NULL;
	return rc;
}

void power_model_free(struct power_model *model)
{
	if (model)
		yaml_free(model->file);
}

/* Phases of record["roles"][i]["used"] that lie before or after the time-step loop. */
static bool outside_loop(const char *phase)
{
	return strcmp(phase, "setup") == 0 || strcmp(phase, "verify") == 0 ||
	       strcmp(phase, "close") == 0;
}

/* CPU seconds of a role in the loop; NaN: not measured. */
static double cpu_of(const json_t *role)
{
	const json_t *used = json_object_get(role, "used"), *span;
	const char *phase;
	double sum = 0;

	if (!json_is_object(used))
		return NAN;
	json_object_foreach((json_t *)used, phase, span) {
		const json_t *cpu = json_object_get(span, "cpu_s");

		if (!json_is_object(span) || outside_loop(phase))
			continue; /* "lost" is a number */
		if (!json_is_number(cpu))
			return NAN;
		sum += json_number_value(cpu);
	}
	return sum;
}

static bool has_lost(const json_t *role)
{
	return json_integer_value(json_object_get(json_object_get(role, "used"), "lost")) > 0;
}

/* The entry of the core to which a role is bound; it is made for the first role of the core. */
static json_t *core_of(json_t *cores, const json_t *role)
{
	const char *host = text_of(role, "host"), *binding = text_of(role, "binding");
	json_t *core;
	size_t i;

	json_array_foreach(cores, i, core)
		if (strcmp(text_of(core, "host"), host) == 0 &&
		    strcmp(text_of(core, "binding"), binding) == 0)
			return core;
	core = json_pack("{s:s, s:s, s:[], s:f, s:n, s:n, s:n, s:n}", "host", host, "binding",
			 binding, "roles", "cpu_s", 0.0, "busy_s", "idle_s", "energy_j", "reason");
	json_array_append_new(cores, core);
	return core;
}

/* Add a role to its core. RB_EINVAL: this run cannot be modelled, for the reason in err. */
static int place(json_t *cores, json_t *unmeasured, const json_t *role, struct rb_error *err)
{
	const char *binding = text_of(role, "binding");
	int number = (int)json_integer_value(json_object_get(role, "role"));
	double cpu = cpu_of(role);
	json_t *core;

	if (isnan(cpu))
		return rb_fail(err, RB_EINVAL, "role %d has no CPU time (--meters off)", number);
	if (!binding[0] || strncmp(binding, "unbound", 7) == 0)
		return rb_fail(
			err, RB_EINVAL,
			"role %d is bound to no core, so it is unknown which core it kept busy",
			number);
	core = core_of(cores, role);
	json_array_append_new(json_object_get(core, "roles"), json_integer(number));
	cpu += json_real_value(json_object_get(core, "cpu_s"));
	json_object_set_new(core, "cpu_s", json_real(cpu));
	if (has_lost(role)) {
		char reason[96];

		snprintf(reason, sizeof reason,
			 "role %d lost a process: what that used after its "
			 "last sample is unknown",
			 number);
		json_array_append_new(unmeasured, json_integer(number));
		json_object_set_new(core, "reason", json_string(reason));
		json_object_set_new(core, "lost", json_string(reason));
	}
	return RB_OK;
}

/* A role is bound to the core of its number on any host, so the process that died may have been on
 * another host than its replacement. If cores are shared, it may have kept another listed core
 * busy. Such cores are marked as unknown, too. */
static void spread_doubt(json_t *cores)
{
	json_t *core, *other;
	size_t i, k;

	json_array_foreach(cores, i, core)
		json_array_foreach(cores, k, other)
			if (json_is_string(json_object_get(core, "lost")) &&
			    json_is_null(json_object_get(other, "reason")) &&
			    strcmp(text_of(core, "binding"), text_of(other, "binding")) == 0)
				json_object_set_new(
					other, "reason",
					json_string("a process that died may have run here"));
}

/* Fill in the energy of the cores and return the sum; NaN: none is known. */
static double weigh(const struct power_model *m, json_t *cores, double loop_s)
{
	double sum = NAN;
	json_t *core;
	size_t i;

	json_array_foreach(cores, i, core) {
		double busy = json_real_value(json_object_get(core, "cpu_s")), idle, joules;

		json_object_del(core, "lost");
		if (json_is_string(json_object_get(core, "reason"))) {
			json_object_set_new(core, "cpu_s", json_null());
			continue;
		}
		/* this is one core: two threads at a time are not two cores */
		busy = fmin(busy, loop_s);
		idle = loop_s - busy;
		joules = m->busy_w * busy + m->idle_w * idle;
		json_object_set_new(core, "busy_s", json_real(busy));
		json_object_set_new(core, "idle_s", json_real(idle));
		json_object_set_new(core, "energy_j", json_real(joules));
		sum = isnan(sum) ? joules : sum + joules;
	}
	return sum;
}

static json_t *profile(const struct power_model *m)
{
	return json_pack("{s:s, s:f, s:f, s:s}", "name", m->name, "busy_w", m->busy_w, "idle_w",
			 m->idle_w, "note", m->note);
}

/* Gather the cores, and the roles that lost a process. RB_EINVAL with the reason why the run cannot
 * be modelled. */
static int gather(const json_t *record, json_t *cores, json_t *unmeasured, struct rb_error *err)
{
	const json_t *roles = json_object_get(record, "roles"), *role;
	size_t i;

	if (!json_is_number(json_object_get(record, "loop_s")))
		return rb_fail(err, RB_EINVAL, "the run did not finish");
	json_array_foreach(roles, i, role)
		RB_TRY(place(cores, unmeasured, role, err));
	if (json_is_true(json_object_get(record, "oversubscribed")))
		spread_doubt(cores);
	return RB_OK;
}

void power_model_add(const struct power_model *model, json_t *record)
{
	static const char note[] =
		"modelled, not measured: watts of the profile times measured CPU time, and idle "
		"watts for the rest of the loop; cores that no role is bound to, and cores of "
		"roles that lost a process, are left out";
	struct rb_error why = { "every core had a role that lost a process" };
	json_t *cores, *unmeasured;
	double joules = NAN;

	if (!model)
		return;
	cores = json_array();
	unmeasured = json_array();
	if (gather(record, cores, unmeasured, &why) == RB_OK)
		joules = weigh(model, cores, json_number_value(json_object_get(record, "loop_s")));
	else
		json_array_clear(cores);
	json_object_set_new(record, "modelled",
			    json_pack("{s:o, s:o, s:o, s:o, s:o, s:s}", "profile", profile(model),
				      "energy_j", isnan(joules) ? json_null() : json_real(joules),
				      "reason", isnan(joules) ? json_string(why.text) : json_null(),
				      "by_core", cores, "unmeasured", unmeasured, "note", note));
}

bool power_model_is_in(const struct power_model *model, const json_t *record)
{
	json_t *mine = profile(model);
	bool same =
		json_equal(mine, json_object_get(json_object_get(record, "modelled"), "profile"));

	json_decref(mine);
	return same;
}
