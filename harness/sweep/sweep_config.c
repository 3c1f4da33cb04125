#include "harness/sweep/sweep_config.h"

#include "base/status.h"

#define AT(type, member) .at = offsetof(type, member)
#define LIST(type, member)                                                                       \
	.shape = YAML_LIST, AT(type, member), .count_at = offsetof(type, member##_count)

static const struct yaml_field kill_fields[] = {
	{ "roles", YAML_STRING, LIST(struct sweep_kill, roles), .required = true },
	{ "iterations", YAML_STRING, LIST(struct sweep_kill, iterations), .required = true },
	{ "phases", YAML_STRING, LIST(struct sweep_kill, phases), .required = true },
	{ 0 },
};

static const struct yaml_field entry_fields[] = {
	{ "kernel", YAML_STRING, AT(struct sweep_entry, kernel), .required = true },
	{ "options", YAML_STRING, LIST(struct sweep_entry, options), .may_be_empty = true },
	{ "np", YAML_INT32, LIST(struct sweep_entry, np), .required = true },
	{ "spares", YAML_INT32, YAML_POINTER, AT(struct sweep_entry, spares) },
	{ "interval", YAML_INT64, LIST(struct sweep_entry, interval), .required = true },
	{ "node_size", YAML_INT32, YAML_POINTER, AT(struct sweep_entry, node_size) },
	{ "ckpt", YAML_STRING, LIST(struct sweep_entry, ckpt) },
	{ "ckpt_lag", YAML_STRING, LIST(struct sweep_entry, ckpt_lag) },
	{ "power", YAML_STRING, LIST(struct sweep_entry, power) },
	{ "meters", YAML_STRING, AT(struct sweep_entry, meters) },
	{ "restart", YAML_BOOL, AT(struct sweep_entry, restart) },
	{ "policies", YAML_STRING, LIST(struct sweep_entry, policies), .required = true },
	{ "kill", YAML_STRUCT, YAML_POINTER, AT(struct sweep_entry, kill), .fields = kill_fields,
	  .size = sizeof(struct sweep_kill) },
	{ 0 },
};

static const struct yaml_field config_fields[] = {
	{ "name", YAML_STRING, AT(struct sweep_config, name), .required = true },
	{ "deadline", YAML_DOUBLE, YAML_POINTER, AT(struct sweep_config, deadline) },
	{ "power_model", YAML_STRING, AT(struct sweep_config, power_model) },
	{ "repetitions", YAML_INT32, YAML_POINTER, AT(struct sweep_config, repetitions) },
	{ "restart_repetitions", YAML_INT32, YAML_POINTER, AT(struct sweep_config, restart_repetitions) },
	{ "warm_up", YAML_INT32, YAML_POINTER, AT(struct sweep_config, warm_up) },
	{ "order", YAML_STRING, AT(struct sweep_config, order) },
	{ "seed", YAML_INT64, YAML_POINTER, AT(struct sweep_config, seed) },
	{ "budget", YAML_STRING, AT(struct sweep_config, budget) },
	{ "runs", YAML_STRUCT, LIST(struct sweep_config, runs), .required = true, .fields = entry_fields,
	  .size = sizeof(struct sweep_entry) },
	{ 0 },
};

int sweep_config_load(const char *path, struct sweep_config **out, struct rb_error *err)
{
	struct yaml_file *file;
	int rc;

	*out = NULL;
	RB_TRY(yaml_load(path, "docs/experiments.md", &file, err));
	*out = yaml_alloc(file, sizeof **out);
	rc = *out ? yaml_fill(file, file->root, config_fields, *out, err) :
		    rb_fail(err, RB_ENOMEM, "%s: out of memory", path);
	if (rc == RB_OK) {
		(*out)->file = file;
		return RB_OK;
	}
	yaml_free(file);
	*out = NULL;
	return rc;
}

void sweep_config_free(struct sweep_config *config)
{
	if (config)
		yaml_free(config->file);
}
