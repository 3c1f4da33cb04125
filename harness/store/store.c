#include "harness/store/store.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static void key_of(const struct store *s, const json_t *of, char out[MANIFEST_HASH])
{
	char *text = json_dumps(of, JSON_SORT_KEYS | JSON_COMPACT), *both = NULL;
	int size;

	size = asprintf(&both, "%s %s", s->program, text ? text : "");
	out[0] = '\0';
	if (text && size >= 0)
		manifest_hash(both, (size_t)size, out);
	if (size >= 0)
		free(both);
	free(text);
}

int store_path(const struct store *s, const char *id, const char *suffix, char out[SPEC_PATH],
	       struct rb_error *err)
{
	if (snprintf(out, SPEC_PATH, "%s/%s%s", s->dir, id, suffix) >= SPEC_PATH)
		return rb_fail(err, RB_EINVAL, "%.60s...: the path is too long", s->dir);
	return RB_OK;
}

/* The entry is written into the manifest first, so that the manifest knows every record that is in
 * place. */
static int write_and_place(struct store *s, struct record_file *file, const char *id,
			   const char *text, size_t size, json_t *entry, struct rb_error *err)
{
	int rc = record_write(file, text, size, err);

	if (rc != RB_OK) {
		json_decref(entry);
		return rc;
	}
	rc = manifest_add(&s->manifest, id, entry, err);
	if (rc != RB_OK) {
		record_discard(file);
		return rc;
	}
	return record_place(file, err);
}

/* List a complete record that the manifest does not have (for instance one of a version without a
 * manifest), or that was to be replaced when its writer was killed. */
static void adopt(struct store *s, const char *id, const struct store_file *file,
		  enum store_state state)
{
	struct rb_error err;
	json_t *entry =
		state == STORE_OLDER
			? json_deep_copy(json_object_get(manifest_find(&s->manifest, id), "before"))
			: json_pack("{s:s}", "xxh3", file->hash);

	if (entry && manifest_add(&s->manifest, id, entry, &err) != RB_OK)
		fprintf(stderr, "%s\n", err.text);
}

/* The new record replaces the one that is there, which a crash may have kept from being replaced
 * before. */
static void adopt_older(struct store *s, const char *id)
{
	struct store_file file;
	enum store_state state;

	if (!manifest_find(&s->manifest, id))
		return;
	state = store_read(s, id, &file);
	if (state == STORE_OLDER)
		adopt(s, id, &file, state);
	store_file_free(&file);
}

/* Write <id>.json. entry: its entry in the manifest; xxh3 is set here. Takes the reference to
 * entry. */
static int put_text(struct store *s, const char *id, const char *text, size_t size, json_t *entry,
		    struct rb_error *err)
{
	struct record_file file = { .to.fd = -1 };
	char path[SPEC_PATH], hash[MANIFEST_HASH];
	int rc = text && entry ? store_path(s, id, ".json", path, err)
			       : rb_fail(err, RB_ENOMEM, "%s: out of memory", id);

	if (rc == RB_OK)
		rc = record_open(&file, path, err);
	if (rc != RB_OK) {
		json_decref(entry);
		return rc;
	}
	adopt_older(s, id);
	manifest_hash(text, size, hash);
	json_object_set_new(entry, "xxh3", json_string(hash));
	return write_and_place(s, &file, id, text, size, entry, err);
}

static int put(struct store *s, const char *id, const json_t *json, json_t *entry,
	       struct rb_error *err)
{
	char *text = record_text(json);
	int rc = put_text(s, id, text, text ? strlen(text) : 0, entry, err);

	free(text);
	return rc;
}

int store_put_file(struct store *s, const char *id, const struct store_file *file, json_t *entry,
		   struct rb_error *err)
{
	return put_text(s, id, file->text, file->size, entry, err);
}

int store_put_sweep(struct store *s, json_t *sweep, struct rb_error *err)
{
	int rc = put(s, STORE_SWEEP, sweep, json_object(), err);

	json_decref(sweep);
	return rc;
}

int store_find_sweep(const struct store *s, json_t **sweep, struct rb_error *err)
{
	struct store_file file;

	*sweep = NULL;
	if (store_read(s, STORE_SWEEP, &file) != STORE_ABSENT && file.text)
		*sweep = json_loadb(file.text, file.size, 0, NULL);
	store_file_free(&file);
	if (json_is_array(json_object_get(*sweep, "runs")))
		return RB_OK;
	json_decref(*sweep);
	*sweep = NULL;
	return rb_fail(err, RB_EINVAL, "%s/%s.json: not the list of a sweep", s->dir, STORE_SWEEP);
}

int store_set_aside(const struct store *s, const char *id, char to[SPEC_PATH], struct rb_error *err)
{
	char from[SPEC_PATH], suffix[32] = ".json.changed";

	RB_TRY(store_path(s, id, ".json", from, err));
	RB_TRY(store_path(s, id, suffix, to, err));
	for (int i = 2; access(to, F_OK) == 0; i++) {
		snprintf(suffix, sizeof suffix, ".json.changed-%d", i);
		RB_TRY(store_path(s, id, suffix, to, err));
	}
	return rename(from, to) == 0 ? RB_OK
				     : rb_fail(err, RB_EIO, "%s: %s", from, strerror(errno));
}

/* It is not taken; that it cannot be renamed is no reason to end. */
static void refuse_changed(const struct store *s, const char *id)
{
	char to[SPEC_PATH];
	struct rb_error err;

	if (store_set_aside(s, id, to, &err) != RB_OK)
		return;
	fprintf(stderr,
		"%s/%s.json: not the file that was written (see %s); it is made again, and what "
		"was there is now %s\n",
		s->dir, id, s->manifest.path, to);
}

json_t *store_find(struct store *s, const char *id, const json_t *description)
{
	struct store_file file;
	enum store_state state = store_read(s, id, &file);
	char key[MANIFEST_HASH];
	const char *found;
	json_t *record = NULL;

	if (state == STORE_CHANGED && s->writing)
		refuse_changed(s, id);
	else if (file.text && state != STORE_CHANGED)
		record = json_loadb(file.text, file.size, 0, NULL);
	key_of(s, description, key);
	found = json_string_value(json_object_get(record, "key"));
	if (!found || strcmp(found, key) != 0) {
		json_decref(record);
		record = NULL;
	} else if (state != STORE_SOUND && s->writing) {
		adopt(s, id, &file, state);
	}
	store_file_free(&file);
	return record;
}

/* Keep the record of another program, or of a run with another description, because it cost time,
 * too. */
static int keep_other(struct store *s, const char *id, const char *key, struct rb_error *err)
{
	struct store_file file;
	enum store_state state = store_read(s, id, &file);
	json_t *record = file.text && state != STORE_CHANGED
				 ? json_loadb(file.text, file.size, 0, NULL)
				 : NULL;
	const char *theirs = json_string_value(json_object_get(record, "key"));
	int rc = RB_OK;

	if (file.text && (!theirs || strcmp(theirs, key) != 0)) {
		rc = store_keep(s, STORE_REPLACED, id, &file, err);
		s->replaced += rc == RB_OK;
	}
	json_decref(record);
	store_file_free(&file);
	return rc;
}

int store_put(struct store *s, const char *id, const json_t *description, json_t *record,
	      struct rb_error *err)
{
	double now = clock_monotonic(), took = now - s->since;
	char key[MANIFEST_HASH];

	key_of(s, description, key);
	json_object_set_new(record, "id", json_string(id));
	json_object_set_new(record, "key", json_string(key));
	s->since = now;
	RB_TRY(keep_other(s, id, key, err));
	return put(s, id, record,
		   json_pack("{s:O?, s:f}", "wall_s", json_object_get(record, "wall_s"), "took_s",
			     took),
		   err);
}

int store_replace(struct store *s, const char *id, json_t *record, struct rb_error *err)
{
	json_t *line = manifest_find(&s->manifest, id);

	return put(s, id, record, line ? json_deep_copy(line) : json_object(), err);
}

void store_add_overhead(const struct store *s, struct store_overhead *o)
{
	const char *id;
	json_t *line;

	json_object_foreach(s->manifest.entries, id, line) {
		double wall = number_of(line, "wall_s"), took = number_of(line, "took_s");

		if (strcmp(id, STORE_SWEEP) == 0)
			continue;
		if (isnan(wall) || isnan(took)) {
			o->unknown++;
			continue;
		}
		o->runs++;
		o->inside_s += wall;
		o->outside_s += took - wall;
	}
}

void store_say_overhead(const struct store_overhead *o, FILE *to)
{
	if (o->inside_s > 0)
		fprintf(to,
			"outside mpirun: %.2f s, %.2f %% of the %.2f s that %zu runs took "
			"within it",
			o->outside_s, 100 * o->outside_s / o->inside_s, o->inside_s, o->runs);
	else
		fprintf(to, "outside mpirun: unknown");
	if (o->unknown > 0)
		fprintf(to, "; %zu records without times", o->unknown);
	fprintf(to, "\n");
}
