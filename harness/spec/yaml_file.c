#include "harness/spec/yaml_file.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

/* libcyaml tells what is wrong, and where, in several messages; ours is one. */
struct complaint {
	char what[256];
	int line;
};

static void on_message(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char message[512];
	const char *at, *start;

	if (level < CYAML_LOG_ERROR)
		return;
	vsnprintf(message, sizeof message, fmt, args);
	message[strcspn(message, "\n")] = '\0';
	at = strstr(message, "line: ");
	if (at && c->line == 0)
		sscanf(at, "line: %d", &c->line);
	start = strncmp(message, "Load: ", 6) == 0 ? message + 6 : message;
	if (!c->what[0] && !strstr(start, "Backtrace") && strncmp(start, "  in", 4) != 0)
		snprintf(c->what, sizeof c->what, "%.255s", start);
}

/* libcyaml names the line of the last thing it could use; a key it could not use comes later. */
static int line_of(const struct yaml_index *index, const struct complaint *c)
{
	int line = c->line > 0 ? c->line : 1;
	char key[128];

	if (sscanf(c->what, "Unexpected key: %126s", key) != 1)
		return line;
	return yaml_index_key(index, key, line);
}

int yaml_file_load(const char *path, const cyaml_schema_value_t *schema, const char *const *lists,
		   const char *doc, cyaml_data_t **out, struct yaml_index **index, struct rb_error *err)
{
	struct complaint complaint = { .line = 0 };
	const cyaml_config_t cyaml = {
		.log_fn = on_message, .log_ctx = &complaint, .mem_fn = cyaml_mem,
		.log_level = CYAML_LOG_ERROR, .flags = CYAML_CFG_NO_ALIAS,
	};
	cyaml_err_t rc;

	*out = NULL;
	RB_TRY(yaml_index_read(path, lists, index, err));
	rc = cyaml_load_data((uint8_t *)(*index)->text, (*index)->length, &cyaml, schema, out, NULL);
	if (rc == CYAML_OK && *out)
		return RB_OK;
	rb_fail(err, RB_EINVAL, "%s:%d: %s%s%s (the keys are in %s)", path, line_of(*index, &complaint),
		complaint.what, complaint.what[0] ? ": " : "",
		rc == CYAML_OK ? "the file is empty" : cyaml_strerror(rc), doc);
	yaml_index_free(*index);
	*index = NULL;
	return RB_EINVAL;
}

void yaml_file_free(const cyaml_schema_value_t *schema, cyaml_data_t *data)
{
	const cyaml_config_t cyaml = { .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR };

	cyaml_free(&cyaml, schema, data, 0);
}
