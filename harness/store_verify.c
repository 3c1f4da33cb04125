#include "harness/store_verify.h"

#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const what[] = {
	[STORE_OLDER] = "older than the manifest says; a sweep died before it was replaced",
	[STORE_UNLISTED] = "not in the manifest",
	[STORE_CHANGED] = "changed: not the file that was written",
	[STORE_ABSENT] = "missing: the manifest has it, the folder has not",
};

static void complain(struct store_verdict *v, FILE *to, const char *id, enum store_state state)
{
	fprintf(to, "%s.json: %s\n", id, what[state]);
	v->bad++;
}

/* A record that says it is another one was copied or renamed by somebody. */
static bool is_itself(const char *id, const json_t *line, const struct store_file *file)
{
	json_t *record = json_loadb(file->text, file->size, 0, NULL);
	const char *says = json_string_value(json_object_get(record, "id"));
	const char *key = json_string_value(json_object_get(record, "key"));
	const char *listed = json_string_value(json_object_get(line, "key"));
	bool same = says && key && listed && strcmp(says, id) == 0 && strcmp(key, listed) == 0;

	json_decref(record);
	return same;
}

static void verify_listed(const struct store *s, struct store_verdict *v, FILE *to)
{
	const char *id;
	json_t *line;

	json_object_foreach(s->manifest.last, id, line) {
		struct store_file file;
		enum store_state state = store_read(s, id, &file);

		if (state != STORE_SOUND) {
			complain(v, to, id, state);
		} else if (strcmp(id, STORE_SWEEP) != 0) {
			v->sound++;
			if (!is_itself(id, line, &file)) {
				fprintf(to, "%s.json: its id or key is not the manifest's\n", id);
				v->bad++;
			}
		}
		store_file_free(&file);
	}
}

static int verify_unlisted(const struct store *s, struct store_verdict *v, FILE *to,
			   struct rb_error *err)
{
	DIR *dir = opendir(s->dir);
	struct dirent *e;

	if (!dir)
		return rb_fail(err, RB_EIO, "%s: %s", s->dir, strerror(errno));
	while ((e = readdir(dir))) {
		size_t length = strlen(e->d_name);
		char id[sizeof e->d_name];

		if (length <= 5 || strcmp(e->d_name + length - 5, ".json") != 0)
			continue;
		snprintf(id, sizeof id, "%.*s", (int)length - 5, e->d_name);
		if (!manifest_find(&s->manifest, id))
			complain(v, to, id, STORE_UNLISTED);
	}
	closedir(dir);
	return RB_OK;
}

/* Runs of the sweep that have no record: not yet run, so nothing is wrong. */
static void count_open(const struct store *s, struct store_verdict *v)
{
	json_t *sweep = store_sweep(s), *ids = json_object_get(sweep, "runs"), *id;
	size_t i;

	v->runs = json_array_size(ids);
	json_array_foreach(ids, i, id)
		v->open += !manifest_find(&s->manifest, json_string_value(id));
	json_decref(sweep);
}

int store_verify(const struct store *s, struct store_verdict *v, FILE *to, struct rb_error *err)
{
	memset(v, 0, sizeof *v);
	if (!s->manifest.there)
		return rb_fail(err, RB_EINVAL, "%s: there is no manifest; expected the results folder of "
			       "a sweep", s->dir);
	if (s->manifest.damaged > 0) {
		fprintf(to, "%s: line %zu is damaged, as are %zu in all; what they say is lost\n",
			s->manifest.path, s->manifest.first_damaged, s->manifest.damaged);
		v->bad += s->manifest.damaged;
	}
	if (s->manifest.torn)
		fprintf(to, "%s: the last line is torn: whatever wrote it was killed. That is no damage: "
			"the run was not recorded\n", s->manifest.path);
	verify_listed(s, v, to);
	RB_TRY(verify_unlisted(s, v, to, err));
	count_open(s, v);
	return RB_OK;
}
