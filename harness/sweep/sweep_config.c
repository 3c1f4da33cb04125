#include "harness/sweep/sweep_config.h"

#include "base/status.h"
#include "harness/spec/yaml_file.h"

enum { MANY = 100000 };

static const cyaml_schema_value_t text = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};

static const cyaml_schema_value_t count = { CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int32_t) };
static const cyaml_schema_value_t length = { CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int64_t) };

/* One value needs no brackets. */
static const char *const lists[] = { "options", "np", "interval", "ckpt", "ckpt_lag", "power", "policies",
				     "roles", "iterations", "phases", NULL };

static const cyaml_schema_field_t kill_fields[] = {
	CYAML_FIELD_SEQUENCE("roles", CYAML_FLAG_POINTER, struct sweep_kill, roles, &text, 1, MANY),
	CYAML_FIELD_SEQUENCE("iterations", CYAML_FLAG_POINTER, struct sweep_kill, iterations, &text,
			     1, MANY),
	CYAML_FIELD_SEQUENCE("phases", CYAML_FLAG_POINTER, struct sweep_kill, phases, &text, 1,
			     MANY),
	CYAML_FIELD_END,
};

/* Not libcyaml's bool: that takes every word it does not know for true. */
static const cyaml_strval_t truths[] = { { "false", false }, { "true", true } };

static const cyaml_schema_field_t entry_fields[] = {
	CYAML_FIELD_STRING_PTR("kernel", CYAML_FLAG_POINTER, struct sweep_entry, kernel, 1,
			       CYAML_UNLIMITED),
	CYAML_FIELD_SEQUENCE("options", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct sweep_entry, options, &text, 0, MANY),
	CYAML_FIELD_SEQUENCE("np", CYAML_FLAG_POINTER, struct sweep_entry, np, &count, 1, MANY),
	CYAML_FIELD_INT_PTR("spares", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct sweep_entry,
			    spares),
	CYAML_FIELD_SEQUENCE("interval", CYAML_FLAG_POINTER, struct sweep_entry, interval, &length, 1,
			     MANY),
	CYAML_FIELD_INT_PTR("node_size", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			    struct sweep_entry, node_size),
	CYAML_FIELD_SEQUENCE("ckpt", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct sweep_entry,
			     ckpt, &text, 1, MANY),
	CYAML_FIELD_SEQUENCE("ckpt_lag", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct sweep_entry, ckpt_lag, &text, 1, MANY),
	CYAML_FIELD_SEQUENCE("power", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct sweep_entry,
			     power, &text, 1, MANY),
	CYAML_FIELD_STRING_PTR("meters", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct sweep_entry, meters, 1, CYAML_UNLIMITED),
	CYAML_FIELD_ENUM("restart", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct sweep_entry,
			 restart, truths, CYAML_ARRAY_LEN(truths)),
	CYAML_FIELD_SEQUENCE("policies", CYAML_FLAG_POINTER, struct sweep_entry, policies, &text,
			     1, MANY),
	CYAML_FIELD_MAPPING_PTR("kill", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
				struct sweep_entry, kill, kill_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t entry = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct sweep_entry, entry_fields),
};

static const cyaml_schema_field_t config_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct sweep_config, name, 1,
			       CYAML_UNLIMITED),
	CYAML_FIELD_FLOAT_PTR("deadline", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			      struct sweep_config, deadline),
	CYAML_FIELD_STRING_PTR("power_model", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct sweep_config, power_model, 1, CYAML_UNLIMITED),
	CYAML_FIELD_INT_PTR("repetitions", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			    struct sweep_config, repetitions),
	CYAML_FIELD_INT_PTR("restart_repetitions", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			    struct sweep_config, restart_repetitions),
	CYAML_FIELD_INT_PTR("warm_up", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct sweep_config,
			    warm_up),
	CYAML_FIELD_STRING_PTR("order", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct sweep_config, order, 1, CYAML_UNLIMITED),
	CYAML_FIELD_INT_PTR("seed", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct sweep_config,
			    seed),
	CYAML_FIELD_STRING_PTR("budget", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct sweep_config, budget, 1, CYAML_UNLIMITED),
	CYAML_FIELD_SEQUENCE("runs", CYAML_FLAG_POINTER, struct sweep_config, runs, &entry, 1,
			     MANY),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t config_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct sweep_config, config_fields),
};

int sweep_config_load(const char *path, struct sweep_config **out, struct rb_error *err)
{
	struct yaml_index *index;

	RB_TRY(yaml_file_load(path, &config_schema, lists, "docs/experiments.md", (cyaml_data_t **)out,
			      &index, err));
	(*out)->index = index;
	return RB_OK;
}

void sweep_config_free(struct sweep_config *config)
{
	if (config)
		yaml_index_free(config->index);
	yaml_file_free(&config_schema, config);
}
