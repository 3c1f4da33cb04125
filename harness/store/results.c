#include "harness/store/results.h"

#include "base/status.h"
#include "harness/store/store.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is told whom. */
struct telling {
	const char *option;
	results_visit *visit;
	void *ctx;
	struct rb_error *err;
};

/* Takes the reference to record. NULL: it was read and is not JSON. */
static int tell(const struct telling *t, const char *name, json_t *record)
{
	int rc = t->visit(t->ctx, name, record, record ? NULL : "not JSON", t->err);

	json_decref(record);
	return rc;
}

static int tell_stored(const struct telling *t, const struct store *s, const char *id)
{
	struct store_file file;
	enum store_state state = store_read(s, id, &file);
	int rc;

	if (state == STORE_ABSENT)
		rc = t->visit(t->ctx, id, NULL, "of the sweep, but not there", t->err);
	else if (state == STORE_CHANGED)
		rc = t->visit(t->ctx, id, NULL,
			      "not the file that was written, according to the manifest", t->err);
	else
		rc = tell(t, id, json_loadb(file.text, file.size, 0, NULL));
	store_file_free(&file);
	return rc;
}

/* The runs of a sweep. */
static int tell_sweep(const struct telling *t, const char *dir)
{
	struct store s;
	json_t *sweep = NULL;
	const json_t *id;
	size_t i;
	int rc = store_open_to_read(&s, dir, t->err);

	if (rc == RB_OK)
		rc = store_find_sweep(&s, &sweep, t->err);
	json_array_foreach(json_object_get(sweep, "runs"), i, id)
		if (rc == RB_OK && json_is_string(id))
			rc = tell_stored(t, &s, json_string_value(id));
	json_decref(sweep);
	store_close(&s);
	return rc;
}

static int is_record(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && strcmp(dot, ".json") == 0 && d->d_name[0] != '.';
}

static int tell_folder(const struct telling *t, const char *dir)
{
	struct dirent **list;
	char path[SPEC_PATH];
	int count = scandir(dir, &list, is_record, alphasort), rc = RB_OK;

	if (count < 0)
		return rb_fail(t->err, RB_EIO, "%s %s: cannot be read", t->option, dir);
	for (int i = 0; i < count; i++) {
		if (rc == RB_OK &&
		    snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name) < (int)sizeof path)
			rc = tell(t, path, json_load_file(path, 0, NULL));
		free(list[i]);
	}
	free(list);
	return rc;
}

static bool has(const char *dir, const char *name)
{
	char path[SPEC_PATH];

	return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path &&
	       access(path, F_OK) == 0;
}

int results_each(const char *option, const char *path, results_visit *visit, void *ctx,
		 struct rb_error *err)
{
	const struct telling t = { option, visit, ctx, err };
	struct stat about;

	if (stat(path, &about) != 0)
		return rb_fail(err, RB_EINVAL, "%s %s: not there", option, path);
	if (!S_ISDIR(about.st_mode))
		return tell(&t, path, json_load_file(path, 0, NULL));
	if (has(path, STORE_SWEEP ".json"))
		return tell_sweep(&t, path);
	if (has(path, "runs.jsonl"))
		return rb_fail(
			err, RB_EINVAL,
			"%s %s: results of torture, which keeps no records: there are no counts in "
			"its runs.jsonl. `rollbench torture --dry-run` prints its commands; with "
			"--json FILE behind them they write records",
			option, path);
	return tell_folder(&t, path);
}
