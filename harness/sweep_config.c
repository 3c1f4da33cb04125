#include "harness/sweep_config.h"

#include "base/status.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
static int line_of_key(const char *path, const struct complaint *c)
{
	char line[1024], key[128];
	FILE *f;
	int n = 0;

	if (sscanf(c->what, "Unexpected key: %126s", key) != 1)
		return c->line;
	strcat(key, ":");
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		const char *at = line + strspn(line, " -");

		if (++n >= c->line && strncmp(at, key, strlen(key)) == 0)
			break;
	}
	if (f)
		fclose(f);
	return n;
}

int sweep_config_load(const char *path, struct sweep_config **out, struct rb_error *err)
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
	rc = cyaml_load_file(path, &cyaml, &config_schema, (cyaml_data_t **)out, NULL);
	if (rc == CYAML_OK)
		return RB_OK;
	return rb_fail(err, RB_EINVAL, "%s:%d: %s%s%s (the keys are in docs/experiments.md)", path,
		       line_of_key(path, &complaint), complaint.what[0] ? complaint.what : "", complaint.what[0] ?
		       ": " : "", cyaml_strerror(rc));
}

void sweep_config_free(struct sweep_config *config)
{
	const cyaml_config_t cyaml = { .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR };

	cyaml_free(&cyaml, &config_schema, config, 0);
}
