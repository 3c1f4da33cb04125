/* A run as JSON: in its folder, in records, and back from there. */
#include "base/status.h"
#include "harness/options/spec_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "mtbf.seed" is the key "seed" of the object "mtbf"; a kernel's options are in "params". */
static json_t *object_of(json_t *root, const struct option *o, const char *path, const char **key)
{
	const char *dot = strchr(path, '.');
	char name[SPEC_TEXT] = "params";
	json_t *object;

	*key = dot ? dot + 1 : path;
	if (dot)
		snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
	else if (!o->of_kernel)
		return root;
	object = json_object_get(root, name);
	if (!object)
		json_object_set_new(root, name, object = json_object());
	return object;
}

static void put(json_t *root, const struct option *o, const char *path, const struct run_spec *spec)
{
	const char *key;
	json_t *object = object_of(root, o, path, &key);

	json_object_set_new(object, key, option_json(o, spec));
}

json_t *spec_plan(const struct run_spec *spec)
{
	json_t *plan = json_array();
	char text[SPEC_TEXT];

	for (size_t k = 0; k < spec->plan.count; k++) {
		inject_format(&spec->plan.kill[k], text, sizeof text);
		json_array_append_new(plan, json_string(text));
	}
	return plan;
}

json_t *spec_json(const struct run_spec *spec)
{
	json_t *json = json_pack("{s:s, s:{}}", "kernel", spec->kernel->name, "params");
	struct option o[OPTIONS_MAX];

	spec_options(spec->kernel, o);
	for (int i = 0; o[i].name; i++)
		if (o[i].key && o[i].type != OPTION_OWN)
			put(json, &o[i], o[i].key, spec);
	json_object_set_new(json, "plan", spec_plan(spec));
	if (spec->hosts)
		json_object_set_new(json, "hosts", hosts_shape_json(spec->hosts));
	return json;
}

/* An option that means none, or has no effect, is not in a record, nor is the default of some. */
static bool is_none(const struct option *options, const struct option *o,
		    const struct run_spec *spec)
{
	const struct option *other = o->needs ? option_find(options, o->needs) : o;

	return (option_is_none(other) || o->part == PART_UNUSUAL) &&
	       option_is_standard(other, spec);
}

void spec_record(const struct run_spec *spec, json_t *record, enum option_part part)
{
	struct option o[OPTIONS_MAX];

	spec_options(spec->kernel, o);
	for (int i = 0; o[i].name; i++)
		if (o[i].part == part && o[i].type != OPTION_OWN && !is_none(o, &o[i], spec))
			put(record, &o[i], o[i].record ? o[i].record : o[i].key, spec);
}

/* record: json is a record, and may be older than some options. */
static int load(struct run_spec *spec, json_t *json, bool record, struct rb_error *err)
{
	const char *name = json_string_value(json_object_get(json, "kernel"));
	const struct kernel_ops *kernel = name ? kernel_find(name) : NULL;
	struct option o[OPTIONS_MAX];

	if (!kernel)
		return rb_fail(err, RB_EINVAL, "no kernel of this version");
	spec_init(spec, kernel);
	spec_options(kernel, o);
	for (int i = 0; o[i].name; i++) {
		const char *key = record && o[i].record ? o[i].record : o[i].key;
		const json_t *value;

		if (!key || o[i].type == OPTION_OWN)
			continue;
		value = json_object_get(object_of(json, &o[i], key, &key), key);
		if (value || !record || o[i].always)
			RB_TRY(option_load(&o[i], spec, value, err));
	}
	return RB_OK;
}

int spec_from_record(struct run_spec *spec, json_t *record, struct rb_error *err)
{
	const char *kind = json_string_value(json_object_get(record, "kind"));
	struct kernel_plan plan;
	struct rb_error why;

	if (kind && strcmp(kind, "elc") == 0)
		return rb_fail(err, RB_EINVAL, "a run with --protocol; expected one of the engine");
	if (!kind)
		return rb_fail(err, RB_EINVAL, "not a record of this version: no kind");
	if (load(spec, record, true, &why) != RB_OK)
		return rb_fail(err, RB_EINVAL, "not a record of this version: %.400s", why.text);
	return spec_check(spec, &plan, err);
}

static void spec_path(const char *dir, char *out, size_t size)
{
	snprintf(out, size, "%s/spec.json", dir);
}

int spec_file_write(const char *dir, const json_t *json, struct rb_error *err)
{
	char path[SPEC_PATH + 16];

	spec_path(dir, path, sizeof path);
	return json_dump_file(json, path, JSON_INDENT(2)) == 0
		       ? RB_OK
		       : rb_fail(err, RB_EIO, "%s: cannot be written: %s", path, strerror(errno));
}

json_t *spec_file_read(const char *dir, struct rb_error *err)
{
	char path[SPEC_PATH + 16];
	json_error_t where;
	json_t *json;

	spec_path(dir, path, sizeof path);
	json = json_load_file(path, 0, &where);
	if (!json)
		rb_fail(err, RB_EIO, "%s:%d: %s", path, where.line, where.text);
	return json;
}

int spec_file_refuse(const char *dir, int rc, const char *why, struct rb_error *err)
{
	char path[SPEC_PATH + 16];

	spec_path(dir, path, sizeof path);
	return rb_fail(err, rc, "%s: not a run of this version: %.400s", path, why);
}

int spec_save(const struct run_spec *spec, const char *dir, struct rb_error *err)
{
	json_t *json = spec_json(spec);
	int rc;

	json_object_set_new(json, "kind", json_string("engine"));
	if (spec->asked[0])
		json_object_set_new(json, "policy_asked", json_string(spec->asked));
	rc = spec_file_write(dir, json, err);
	json_decref(json);
	return rc;
}

int spec_of_file(struct run_spec *spec, json_t *json, const char *dir, struct rb_error *err)
{
	const char *asked = json_string_value(json_object_get(json, "policy_asked"));
	struct rb_error why;
	json_t *kill;
	int rc = load(spec, json, false, &why);
	size_t i;

	if (rc == RB_OK && asked)
		snprintf(spec->asked, sizeof spec->asked, "%s", asked);
	json_array_foreach(json_object_get(json, "plan"), i, kill) {
		const char *text = json_string_value(kill);

		rc = rc != RB_OK ? rc : inject_parse(&spec->plan, text ? text : "", spec->np, &why);
	}
	return rc == RB_OK ? RB_OK : spec_file_refuse(dir, rc, why.text, err);
}

int spec_load(struct run_spec *spec, const char *dir, struct rb_error *err)
{
	json_t *json = spec_file_read(dir, err);
	int rc = json ? spec_of_file(spec, json, dir, err) : RB_EIO;

	json_decref(json);
	return rc;
}
