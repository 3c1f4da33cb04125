#include "harness/sweep_config.h"

#include "harness/yaml_file.h"

enum { MANY = 100000 };

static const cyaml_schema_value_t text = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};

static const cyaml_schema_field_t kill_fields[] = {
	CYAML_FIELD_SEQUENCE("roles", CYAML_FLAG_POINTER, struct sweep_kill, roles, &text, 1, MANY),
	CYAML_FIELD_STRING_PTR("iterations", CYAML_FLAG_POINTER, struct sweep_kill, iterations, 1,
			       CYAML_UNLIMITED),
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
	CYAML_FIELD_INT("np", CYAML_FLAG_DEFAULT, struct sweep_entry, np),
	CYAML_FIELD_INT_PTR("spares", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct sweep_entry,
			    spares),
	CYAML_FIELD_INT("interval", CYAML_FLAG_DEFAULT, struct sweep_entry, interval),
	CYAML_FIELD_INT_PTR("node_size", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			    struct sweep_entry, node_size),
	CYAML_FIELD_STRING_PTR("ckpt", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct sweep_entry, ckpt, 1, CYAML_UNLIMITED),
	CYAML_FIELD_STRING_PTR("ckpt_lag", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct sweep_entry, ckpt_lag, 1, CYAML_UNLIMITED),
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
	CYAML_FIELD_SEQUENCE("runs", CYAML_FLAG_POINTER, struct sweep_config, runs, &entry, 1,
			     MANY),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t config_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct sweep_config, config_fields),
};

int sweep_config_load(const char *path, struct sweep_config **out, struct rb_error *err)
{
	return yaml_file_load(path, &config_schema, "docs/experiments.md", (cyaml_data_t **)out, err);
}

void sweep_config_free(struct sweep_config *config)
{
	yaml_file_free(&config_schema, config);
}
