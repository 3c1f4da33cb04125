#include "harness/yaml_file.h"

#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

int yaml_file_line(const char *path, const char *key, int from)
{
	char line[1024];
	FILE *f = fopen(path, "re");
	int n = 0;

	while (f && fgets(line, sizeof line, f)) {
		const char *at = line + strspn(line, " -");

		if (++n >= from && strncmp(at, key, strlen(key)) == 0 && at[strlen(key)] == ':')
			break;
	}
	if (f)
		fclose(f);
	return n;
}

/* libcyaml names the line of the last thing it could use; a key it could not use comes later. */
static int line_of(const char *path, const struct complaint *c)
{
	char key[128];

	if (sscanf(c->what, "Unexpected key: %126s", key) != 1)
		return c->line > 0 ? c->line : 1;
	return yaml_file_line(path, key, c->line);
}

int yaml_file_load(const char *path, const cyaml_schema_value_t *schema, const char *doc,
		   cyaml_data_t **out, struct rb_error *err)
{
	struct complaint complaint = { .line = 0 };
	const cyaml_config_t cyaml = {
		.log_fn = on_message, .log_ctx = &complaint, .mem_fn = cyaml_mem,
		.log_level = CYAML_LOG_ERROR,
	};
	cyaml_err_t rc;

	*out = NULL;
	if (access(path, R_OK) != 0)
		return rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
	rc = cyaml_load_file(path, &cyaml, schema, out, NULL);
	if (rc == CYAML_OK && *out)
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "%s:%d: %s%s%s (the keys are in %s)", path,
		       line_of(path, &complaint), complaint.what,
		       complaint.what[0] ? ": " : "",
		       rc == CYAML_OK ? "the file is empty" : cyaml_strerror(rc), doc);
}

void yaml_file_free(const cyaml_schema_value_t *schema, cyaml_data_t *data)
{
	const cyaml_config_t cyaml = { .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR };

	cyaml_free(&cyaml, schema, data, 0);
}
