#include "harness/torture/torture_result.h"

#include "base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* folders of one run number, of several tortures with the same --keep */
enum { SAME_NUMBER = 1000 };

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

json_t *result_line(int64_t i, const json_t *record, const struct outcome *outcome,
		    const char *command)
{
	const char *message = text_of(record, "message");
	json_t *line =
		json_pack("{s:I, s:s, s:b, s:b, s:O?, s:O*}", "run", (json_int_t)i, "status",
			  status_name(outcome->status), "expected", outcome->expected, "escalated",
			  outcome->escalated, "wall_s", json_object_get(record, "wall_s"),
			  "killed_from_outside", json_object_get(record, "killed_from_outside"));

	if (line && outcome->refused)
		json_object_set_new(line, "refused", json_true());
	if (line && outcome->restarts > 0)
		json_object_set_new(line, "restarts", json_integer(outcome->restarts));
	if (!line || outcome->expected)
		return line;
	json_object_set_new(line, "message", json_string(message ? message : ""));
	json_object_set_new(line, "command", json_string(command));
	return line;
}

struct outcome result_of(const json_t *line)
{
	const char *status = text_of(line, "status");

	return (struct outcome){ .status = status_find(status ? status : ""),
				 .expected = json_is_true(json_object_get(line, "expected")),
				 .escalated = json_is_true(json_object_get(line, "escalated")),
				 .resumed = true,
				 .refused = json_is_true(json_object_get(line, "refused")),
				 .restarts = (int)json_integer_value(
					 json_object_get(line, "restarts")) };
}

/* The first name that is free: run-7, run-7.1, ... */
static int free_name(const char *keep, json_int_t run, char out[SPEC_PATH], struct rb_error *err)
{
	for (int n = 0; n < SAME_NUMBER; n++) {
		char suffix[16] = "";

		if (n > 0)
			snprintf(suffix, sizeof suffix, ".%d", n);
		if (snprintf(out, SPEC_PATH, "%s/run-%" JSON_INTEGER_FORMAT "%s", keep, run,
			     suffix) >= SPEC_PATH)
			return rb_fail(err, RB_EIO, "--keep: the path is too long");
		if (access(out, F_OK) != 0)
			return RB_OK;
	}
	return rb_fail(err, RB_EIO,
		       "%s: has %d folders of run %" JSON_INTEGER_FORMAT " already; remove some",
		       keep, SAME_NUMBER, run);
}

static int write_command(const char *dir, const char *command, struct rb_error *err)
{
	char path[SPEC_PATH + 16];
	FILE *f;

	snprintf(path, sizeof path, "%s/command", dir);
	f = fopen(path, "we");
	if (f) {
		bool ok = fprintf(f, "%s\n", command) >= 0;

		if (fclose(f) == 0 && ok)
			return RB_OK;
	}
	return rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
}

int result_folder(const json_t *line, const char *keep, char to[SPEC_PATH], struct rb_error *err)
{
	return free_name(keep, json_integer_value(json_object_get(line, "run")), to, err);
}

int result_keep(json_t *line, const json_t *record, const char *folder, struct rb_error *err)
{
	char path[SPEC_PATH + 16];

	json_object_set_new(line, "folder", json_string(folder));
	snprintf(path, sizeof path, "%s/record.json", folder);
	RB_TRY(record_deliver(record, path, err));
	return write_command(folder, text_of(line, "command"), err);
}

void result_say(const json_t *line)
{
	const char *folder = text_of(line, "folder");

	printf("%s: run %" JSON_INTEGER_FORMAT ": %s\n  %s\n", text_of(line, "status"),
	       json_integer_value(json_object_get(line, "run")), text_of(line, "message"),
	       text_of(line, "command"));
	if (folder)
		printf("  run folder: %s\n", folder);
	fflush(stdout);
}
