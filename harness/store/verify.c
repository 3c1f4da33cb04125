#include "harness/store/verify.h"

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"

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

int store_open_listed(struct store *s, const char *dir, struct rb_error *err)
{
	RB_TRY(store_open_to_read(s, dir, err));
	return s->manifest.there
		       ? RB_OK
		       : rb_fail(err, RB_EINVAL,
				 "%s: there is no manifest; expected the results folder of a sweep",
				 dir);
}

static size_t manifest_faults(const struct manifest *m)
{
	manifest_say_damage(m, stdout);
	if (m->torn)
		printf("%s: the last entry is torn: whatever wrote it was killed. That is no "
		       "damage: the run was not recorded\n",
		       m->path);
	return m->damaged;
}

/* Of a record, what a comparison needs. A record that was copied or renamed says that it is another
 * one. */
static size_t enter(json_t *records, const char *id, const struct store_file *file)
{
	json_t *record = json_loadb(file->text, file->size, 0, NULL);
	bool is_itself = strcmp(text_of(record, "id"), id) == 0 &&
			 json_is_string(json_object_get(record, "key"));

	json_object_set_new(records, id,
			    json_pack("{s:O*, s:O*}", "state_hash",
				      json_object_get(record, "state_hash"), "compared",
				      json_object_get(record, "compared")));
	json_decref(record);
	if (!is_itself)
		printf("%s.json: it says that it is another record\n", id);
	return !is_itself;
}

/* Of the files that the manifest lists. Enters the records that are as they were written. */
static size_t listed_faults(const struct store *s, json_t *records)
{
	size_t wrong = 0;
	const char *id;
	json_t *entry;

	json_object_foreach(s->manifest.entries, id, entry) {
		struct store_file file;
		enum store_state state = store_read(s, id, &file);

		if (state != STORE_SOUND) {
			printf("%s.json: %s\n", id, what[state]);
			wrong++;
		} else if (strcmp(id, STORE_SWEEP) != 0) {
			wrong += enter(records, id, &file);
		}
		store_file_free(&file);
	}
	return wrong;
}

/* A comparison may be out of date although each record is as it was written: the reference was made
 * again, or came from another machine. */
static size_t compared_faults(const json_t *records)
{
	size_t wrong = 0;
	const char *id;
	json_t *record;

	json_object_foreach((json_t *)records, id, record) {
		json_t *compared = json_object_get(record, "compared");
		const char *name = text_of(compared, "reference");
		json_t *reference = json_object_get(records, name);
		const char *state = text_of(record, "state_hash");
		bool equal = state[0] && strcmp(state, text_of(reference, "state_hash")) == 0;

		if (!reference || equal == json_is_true(json_object_get(compared, "equal")))
			continue;
		printf("%s.json: says that its final state %s that of %s.json, and it %s; the "
		       "sweep compares again\n",
		       id, equal ? "is not" : "equals", name, equal ? "is" : "does not");
		wrong++;
	}
	return wrong;
}

static const char ending[] = ".json";

static int is_json(const struct dirent *d)
{
	return text_ends_with(d->d_name, ending) && strcmp(d->d_name, ending) != 0;
}

static int unlisted_faults(const struct store *s, size_t *wrong, struct rb_error *err)
{
	struct dirent **list;
	int count = scandir(s->dir, &list, is_json, alphasort);

	if (count < 0)
		return rb_fail(err, RB_EIO, "%s: %s", s->dir, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *name = list[i]->d_name;

		name[strlen(name) - strlen(ending)] = '\0';
		if (!manifest_find(&s->manifest, name)) {
			printf("%s.json: %s\n", name, what[STORE_UNLISTED]);
			(*wrong)++;
		}
		free(list[i]);
	}
	free(list);
	return RB_OK;
}

/* How many of the sweep's runs have no record, as text behind the counts. */
static void say_left(const struct store *s)
{
	json_t *sweep, *id;
	struct rb_error none;
	size_t left = 0, i;

	if (store_find_sweep(s, &sweep, &none) != RB_OK)
		return;
	json_array_foreach(json_object_get(sweep, "runs"), i, id)
		left += !json_is_string(id) || !manifest_find(&s->manifest, json_string_value(id));
	if (left > 0)
		printf("; %zu of the sweep's %zu runs have no record yet", left,
		       json_array_size(json_object_get(sweep, "runs")));
	json_decref(sweep);
}

static int verify(const struct store *s, size_t *wrong, struct rb_error *err)
{
	json_t *records = json_object();
	int rc;

	*wrong = manifest_faults(&s->manifest) + listed_faults(s, records);
	*wrong += compared_faults(records);
	rc = unlisted_faults(s, wrong, err);
	if (rc == RB_OK) {
		printf("%zu records as written, %zu things wrong", json_object_size(records),
		       *wrong);
		say_left(s);
		putchar('\n');
	}
	json_decref(records);
	return rc;
}

int store_verify(const char *dir, size_t *wrong, struct rb_error *err)
{
	struct store s;
	int rc = store_open_listed(&s, dir, err);

	if (rc == RB_OK)
		rc = verify(&s, wrong, err);
	store_close(&s);
	return rc;
}
