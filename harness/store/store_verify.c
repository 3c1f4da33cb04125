#include "harness/store/store_verify.h"

#include "base/status.h"
#include "harness/record/compare.h"

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

/* Does the record say that it is this one, and has it a key? If not, it was copied or renamed. */
static bool is_itself(const char *id, const json_t *record)
{
	const char *says = json_string_value(json_object_get(record, "id"));

	return says && json_is_string(json_object_get(record, "key")) && strcmp(says, id) == 0;
}

/* told: id -> the part of the record that verify_compared() needs. */
static void verify_record(const char *id, const struct store_file *file, json_t *told, struct store_verdict *v,
			  FILE *to)
{
	json_t *record = json_loadb(file->text, file->size, 0, NULL);

	v->sound++;
	if (!is_itself(id, record)) {
		fprintf(to, "%s.json: it says that it is another record\n", id);
		v->bad++;
	}
	json_object_set_new(told, id, json_pack("{s:O?, s:O?}", "state_hash",
						json_object_get(record, "state_hash"), "compared",
						json_object_get(record, "compared")));
	json_decref(record);
}

/* A comparison may be out of date although each record is as it was written: the reference was made again,
 * or came from another machine. */
static void verify_compared(json_t *told, struct store_verdict *v, FILE *to)
{
	const char *id;
	json_t *one;

	json_object_foreach(told, id, one) {
		const json_t *compared = json_object_get(one, "compared");
		const char *reference = json_string_value(json_object_get(compared, "reference"));
		const json_t *other = reference ? json_object_get(told, reference) : NULL;
		bool equal = compare_equal(json_string_value(json_object_get(one, "state_hash")),
					   json_string_value(json_object_get(other, "state_hash")));

		if (!other || equal == json_is_true(json_object_get(compared, "equal")))
			continue;
		fprintf(to, "%s.json: says that its final state %s that of %s.json, and it %s; the sweep "
			"compares again\n", id, equal ? "is not" : "equals", reference,
			equal ? "is" : "does not");
		v->bad++;
	}
}

static void verify_listed(const struct store *s, struct store_verdict *v, FILE *to)
{
	json_t *told = json_object();
	const char *id;
	json_t *line;

	json_object_foreach(s->manifest.entries, id, line) {
		struct store_file file;
		enum store_state state = store_read(s, id, &file);

		if (state != STORE_SOUND)
			complain(v, to, id, state);
		else if (strcmp(id, STORE_SWEEP) != 0)
			verify_record(id, &file, told, v, to);
		store_file_free(&file);
	}
	verify_compared(told, v, to);
	json_decref(told);
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

/* Count the runs of the sweep that have no record. These are not yet made, so nothing is wrong. */
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
		fprintf(to, "%s: the last entry is torn: whatever wrote it was killed. That is no damage: "
			"the run was not recorded\n", s->manifest.path);
	verify_listed(s, v, to);
	RB_TRY(verify_unlisted(s, v, to, err));
	count_open(s, v);
	return RB_OK;
}
