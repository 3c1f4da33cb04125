#include "base/status.h"
#include "harness/store/store_verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

int store_merge_check(const struct store *into, const struct store *from, struct rb_error *err)
{
	json_t *ours = store_sweep(into), *theirs = store_sweep(from);
	struct store_file file;
	enum store_state state = store_read(from, STORE_SWEEP, &file);
	int rc = RB_OK;

	store_file_free(&file);
	if (state == STORE_CHANGED)
		rc = rb_fail(err, RB_EINVAL, "%s: sweep.json was changed since it was written; nothing was "
			     "merged. See rollbench store verify", from->dir);
	else if (!theirs)
		rc = rb_fail(err, RB_EINVAL, "%s: no sweep.json; expected the results folder of a sweep",
			     from->dir);
	else if (ours && strcmp(text_of(ours, "name"), text_of(theirs, "name")) != 0)
		rc = rb_fail(err, RB_EINVAL, "%s: its experiment is %s, that of %s is %s; nothing was "
			     "merged", from->dir, text_of(theirs, "name"), into->dir,
			     text_of(ours, "name"));
	else if (!ours && !store_is_new(into))
		rc = rb_fail(err, RB_EINVAL, "%s: it has records, or what was one, but no sweep.json that can be "
			     "read; nothing was merged", into->dir);
	json_decref(ours);
	json_decref(theirs);
	return rc;
}

static bool among(const json_t *ids, const char *id)
{
	json_t *other;
	size_t i;

	json_array_foreach(ids, i, other)
		if (json_is_string(other) && strcmp(json_string_value(other), id) == 0)
			return true;
	return false;
}

/* Merge the lists of runs, those of INTO first. */
static int merge_sweeps(struct store *into, const json_t *theirs, struct rb_error *err)
{
	json_t *sweep = store_sweep(into), *ids, *id;
	bool fresh = !sweep;
	size_t i, before;
	char *text;
	int rc = RB_OK;

	if (fresh)
		sweep = json_deep_copy(theirs);
	ids = json_object_get(sweep, "runs");
	before = json_array_size(ids);
	json_array_foreach(json_object_get(theirs, "runs"), i, id)
		if (json_is_string(id) && !among(ids, json_string_value(id)))
			json_array_append(ids, id);
	text = fresh || json_array_size(ids) > before ? record_text(sweep) : NULL;
	if (text)
		rc = store_put_bytes(into, STORE_SWEEP, text, strlen(text), json_object(), err);
	free(text);
	json_decref(sweep);
	return rc;
}

struct both {
	const char *id;
	struct store_file ours, theirs;
	json_t *record; /* theirs */
	const json_t *line; /* theirs; NULL if FROM has no manifest */
};

static int take(struct store *into, const struct both *b, struct rb_error *err)
{
	json_t *entry = b->line ? json_deep_copy(b->line) : json_object();

	json_object_del(entry, "before"); /* what it replaced there */
	return store_put_bytes(into, b->id, b->theirs.text, b->theirs.size, entry, err);
}

/* Compare two final states. If both runs ended without one, it is unknown whether they are the same. */
static const char *compare_states(const char *ours, const char *theirs)
{
	if (!*ours && !*theirs)
		return "neither has a final state";
	if (!*ours || !*theirs)
		return *ours ? "only ours has a final state" : "only the other has a final state";
	return strcmp(ours, theirs) == 0 ? "the same final state" : "ANOTHER final state";
}

static int settle(struct store *into, const struct both *b, struct store_merge *m, FILE *to,
		  struct rb_error *err)
{
	json_t *ours = json_loadb(b->ours.text, b->ours.size, 0, NULL);
	bool same_key = strcmp(text_of(ours, "key"), text_of(b->record, "key")) == 0;

	m->conflicts++;
	fprintf(to, "%s.json: %s; %s; %s\n", b->id,
		same_key ? "the same run made twice" : "made by another program, or otherwise described",
		compare_states(text_of(ours, "state_hash"), text_of(b->record, "state_hash")),
		m->prefer == PREFER_FROM ? "replaced" : m->prefer == PREFER_INTO ? "left out" :
		"ours stays, the other is in " STORE_CONFLICTS "/");
	json_decref(ours);
	if (m->prefer == PREFER_FROM)
		return take(into, b, err);
	return m->prefer == PREFER_INTO ? RB_OK : store_keep(into, STORE_CONFLICTS, b->id, &b->theirs, err);
}

static int merge_one(struct store *into, const struct both *b, enum store_state ours,
		     struct store_merge *m, FILE *to, struct rb_error *err)
{
	char path[SPEC_PATH], aside[SPEC_PATH];

	if (ours == STORE_CHANGED) {
		RB_TRY(store_path(into, b->id, ".json", path, err));
		RB_TRY(store_path(into, b->id, ".json.changed", aside, err));
		if (rename(path, aside) != 0)
			return rb_fail(err, RB_EIO, "%s: %s", path, strerror(errno));
		fprintf(to, "%s: not the file that was written; it is %s now\n", path, aside);
		m->changed++;
	} else if (ours != STORE_ABSENT && strcmp(b->ours.hash, b->theirs.hash) == 0) {
		m->equal++;
		return ours == STORE_SOUND ? RB_OK : take(into, b, err);
	} else if (ours != STORE_ABSENT) {
		return settle(into, b, m, to, err);
	}
	m->added++;
	return take(into, b, err);
}

/* Why the record must not be taken, or NULL. */
static const char *objection(const struct store *from, const struct both *b, enum store_state theirs)
{
	if (theirs == STORE_CHANGED)
		return "changed since it was written";
	if (theirs == STORE_UNLISTED && from->manifest.there)
		return "not in its manifest";
	if (strcmp(text_of(b->record, "schema"), "rollbench-run-1") != 0 || !*text_of(b->record, "key") ||
	    strcmp(text_of(b->record, "id"), b->id) != 0)
		return "not the record of this run";
	return NULL;
}

static int merge_id(struct store *into, const struct store *from, const char *id,
		    struct store_merge *m, FILE *to, struct rb_error *err)
{
	struct both b = { .id = id };
	enum store_state theirs = store_read(from, id, &b.theirs), ours;
	const char *why;
	int rc = RB_OK;

	if (theirs == STORE_ABSENT)
		return RB_OK;
	/* the entry of the existing file, and not of the one that a crash kept from replacing it */
	b.line = manifest_find(&from->manifest, id);
	if (theirs == STORE_OLDER)
		b.line = json_object_get(b.line, "before");
	if (b.theirs.text)
		b.record = json_loadb(b.theirs.text, b.theirs.size, 0, NULL);
	why = objection(from, &b, theirs);
	ours = store_read(into, id, &b.ours);
	if (why) {
		fprintf(to, "%s/%s.json: refused: %s\n", from->dir, id, why);
		m->refused++;
	} else {
		rc = merge_one(into, &b, ours, m, to, err);
	}
	store_file_free(&b.ours);
	store_file_free(&b.theirs);
	json_decref(b.record);
	return rc;
}

int store_merge(struct store *into, const struct store *from, struct store_merge *m, FILE *to,
		struct rb_error *err)
{
	json_t *sweep, *id;
	int rc = store_merge_check(into, from, err);
	size_t i;

	if (rc != RB_OK)
		return rc;
	sweep = store_sweep(from);
	rc = merge_sweeps(into, sweep, err);
	json_array_foreach(json_object_get(sweep, "runs"), i, id) {
		if (rc != RB_OK)
			break;
		/* the id becomes the name of a file */
		if (json_is_string(id) && !strchr(json_string_value(id), '/'))
			rc = merge_id(into, from, json_string_value(id), m, to, err);
	}
	json_decref(sweep);
	return rc;
}
