#include "harness/store/merge.h"

#include "base/json.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct source {
	struct store store;
	json_t *sweep; /* its sweep.json */
};

struct merge {
	struct store into;
	json_t *sweep; /* its sweep.json; NULL: it has none yet */
	json_t *runs;  /* an object with the ids of its runs */
	enum merge_prefer prefer;
	struct merge_counts *counts;
};

static bool has_same(const json_t *a, const json_t *b, const char *key)
{
	return strcmp(text_of(a, key), text_of(b, key)) == 0;
}

/* The list of a sweep's runs, and the name of the experiment. New reference; NULL: there is none.
 */
static json_t *find_sweep(const struct store *s)
{
	struct rb_error none;
	json_t *sweep;

	if (store_find_sweep(s, &sweep, &none) == RB_OK &&
	    json_is_string(json_object_get(sweep, "name")))
		return sweep;
	json_decref(sweep);
	return NULL;
}

/* Has it no records? It may contain what a writer left that was killed before sweep.json was in
 * place. */
static bool is_new(const struct store *s)
{
	struct store_file file;
	enum store_state state = store_read(s, STORE_SWEEP, &file);
	size_t records = json_object_size(s->manifest.entries);

	store_file_free(&file);
	records -= manifest_find(&s->manifest, STORE_SWEEP) != NULL;
	return records == 0 && s->manifest.damaged == 0 && state == STORE_ABSENT;
}

/* Open a folder to merge from, and read the list of its runs. */
static int open_source(struct source *s, const char *dir, struct rb_error *err)
{
	struct store_file file;
	enum store_state state;

	RB_TRY(store_open_to_read(&s->store, dir, err));
	manifest_say_damage(&s->store.manifest, stderr);
	state = store_read(&s->store, STORE_SWEEP, &file);
	store_file_free(&file);
	if (state == STORE_CHANGED)
		return rb_fail(err, RB_EINVAL,
			       "%s: sweep.json was changed since it was written; nothing was "
			       "merged. See rollbench store verify",
			       dir);
	s->sweep = find_sweep(&s->store);
	return s->sweep ? RB_OK
			: rb_fail(err, RB_EINVAL,
				  "%s: no sweep.json; expected the results folder of a sweep", dir);
}

/* Is a source of the experiment `sweep`, that of the folder `of`? */
static int check_experiment(const struct source *s, const json_t *sweep, const char *of,
			    struct rb_error *err)
{
	if (!has_same(sweep, s->sweep, "name"))
		return rb_fail(err, RB_EINVAL,
			       "%s: its experiment is %s, that of %s is %s; nothing was merged",
			       s->store.dir, text_of(s->sweep, "name"), of, text_of(sweep, "name"));
	if (!has_same(sweep, s->sweep, "schema") || !has_same(sweep, s->sweep, "kind"))
		return rb_fail(err, RB_EINVAL,
			       "%s: its sweep.json is %s %s, that of %s is %s %s; nothing was "
			       "merged. A sweep in a folder writes it anew",
			       s->store.dir, text_of(s->sweep, "schema"), text_of(s->sweep, "kind"),
			       of, text_of(sweep, "schema"), text_of(sweep, "kind"));
	return RB_OK;
}

/* Can this entry of a list of runs be the name of a record? */
static bool is_name(const json_t *id)
{
	const char *text = json_string_value(id);

	return text && text[0] && !strpbrk(text, "/\\\n") && strcmp(text, STORE_SWEEP) != 0;
}

/* Add the runs of a sweep to those of INTO, behind them. */
static int merge_sweep(struct merge *m, const json_t *theirs, struct rb_error *err)
{
	bool new = !m->sweep;
	json_t *id;
	size_t i;

	if (new) {
		m->sweep = json_deep_copy(theirs);
		json_array_clear(json_object_get(m->sweep, "runs"));
	}
	json_array_foreach(json_object_get(theirs, "runs"), i, id) {
		if (!is_name(id) || json_object_get(m->runs, json_string_value(id)))
			continue;
		json_object_set_new(m->runs, json_string_value(id), json_true());
		json_array_append(json_object_get(m->sweep, "runs"), id);
		new = true;
	}
	return new ? store_put_sweep(&m->into, json_incref(m->sweep), err) : RB_OK;
}

/* If both runs ended without a final state, it is unknown whether they are the same. */
static const char *compare_states(const char *ours, const char *theirs)
{
	if (!ours[0] && !theirs[0])
		return "neither has a final state";
	if (!ours[0] || !theirs[0])
		return ours[0] ? "only ours has a final state" : "only the other has a final state";
	return strcmp(ours, theirs) == 0 ? "the same final state" : "ANOTHER final state";
}

/* A record to merge. */
struct candidate {
	const char *id;
	struct store_file file;
	json_t *record; /* NULL: it is no JSON */
	json_t *entry;  /* what the manifest of its folder says of it */
};

/* Two different records of one run. */
static int settle(struct merge *m, const struct store_file *ours, const struct candidate *c,
		  struct rb_error *err)
{
	static const char *const end[] = {
		[MERGE_BOTH] = "ours stays, the other is in " STORE_CONFLICTS "/",
		[MERGE_INTO] = "left out",
		[MERGE_FROM] = "replaced",
	};
	json_t *record = ours->text ? json_loadb(ours->text, ours->size, 0, NULL) : NULL;

	m->counts->conflicts++;
	printf("%s.json: %s; %s; %s\n", c->id,
	       has_same(record, c->record, "key")
		       ? "the same run made twice"
		       : "made by another program, or otherwise described",
	       compare_states(text_of(record, "state_hash"), text_of(c->record, "state_hash")),
	       end[m->prefer]);
	json_decref(record);
	if (m->prefer == MERGE_FROM)
		return store_put_file(&m->into, c->id, &c->file, json_incref(c->entry), err);
	return m->prefer == MERGE_BOTH ? store_keep(&m->into, STORE_CONFLICTS, c->id, &c->file, err)
				       : RB_OK;
}

static int set_aside(struct merge *m, const char *id, struct rb_error *err)
{
	char to[SPEC_PATH];

	RB_TRY(store_set_aside(&m->into, id, to, err));
	printf("%s/%s.json: not the file that was written; it is %s now\n", m->into.dir, id, to);
	m->counts->changed++;
	return RB_OK;
}

static bool is_same_file(const struct store_file *a, const struct store_file *b)
{
	return a->text && a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static int merge_record(struct merge *m, const struct candidate *c, struct rb_error *err)
{
	struct store_file ours;
	enum store_state state = store_read(&m->into, c->id, &ours);
	bool put = true;
	int rc = RB_OK;

	if (state == STORE_CHANGED)
		rc = set_aside(m, c->id, err);
	if (state == STORE_CHANGED || state == STORE_ABSENT) {
		m->counts->added++;
	} else if (is_same_file(&ours, &c->file)) {
		m->counts->equal++;
		put = state != STORE_SOUND;
	} else {
		rc = settle(m, &ours, c, err);
		put = false;
	}
	if (rc == RB_OK && put)
		rc = store_put_file(&m->into, c->id, &c->file, json_incref(c->entry), err);
	store_file_free(&ours);
	return rc;
}

/* Is it a record of a run of this sweep? */
static bool is_of_sweep(const json_t *record, const char *id, const json_t *sweep)
{
	const char *schema = strcmp(text_of(sweep, "schema"), "rollbench-simulations-1") == 0
				     ? "rollbench-simulate-1"
				     : "rollbench-run-1";

	return strcmp(text_of(record, "schema"), schema) == 0 && has_same(record, sweep, "kind") &&
	       strcmp(text_of(record, "id"), id) == 0 && text_of(record, "key")[0];
}

/* Why a record must not be taken, or NULL. */
static const char *objection(const struct source *s, const struct candidate *c,
			     enum store_state state)
{
	if (state == STORE_CHANGED)
		return "changed since it was written";
	if (state == STORE_UNLISTED && s->store.manifest.there)
		return "not in its manifest";
	return is_of_sweep(c->record, c->id, s->sweep) ? NULL : "not the record of this run";
}

/* The entry of the file that is there, which may be the one that a crash kept from being replaced.
 * What it replaced in its own folder is of no use in another. New reference. */
static json_t *entry_of(const struct store *s, const char *id, enum store_state state)
{
	json_t *entry = manifest_find(&s->manifest, id);

	entry = state == STORE_OLDER ? json_object_get(entry, "before") : entry;
	entry = entry ? json_copy(entry) : json_object();
	json_object_del(entry, "before");
	return entry;
}

static int merge_run(struct merge *m, const struct source *s, const char *id, struct rb_error *err)
{
	struct candidate c = { .id = id };
	enum store_state state = store_read(&s->store, id, &c.file);
	const char *why;
	int rc = RB_OK;

	if (state == STORE_ABSENT)
		return RB_OK;
	if (c.file.text)
		c.record = json_loadb(c.file.text, c.file.size, 0, NULL);
	c.entry = entry_of(&s->store, id, state);
	why = objection(s, &c, state);
	if (why) {
		printf("%s/%s.json: refused: %s\n", s->store.dir, id, why);
		m->counts->refused++;
	} else {
		rc = merge_record(m, &c, err);
	}
	json_decref(c.record);
	json_decref(c.entry);
	store_file_free(&c.file);
	return rc;
}

static int merge_source(struct merge *m, const struct source *s, struct rb_error *err)
{
	json_t *id;
	size_t i;

	RB_TRY(merge_sweep(m, s->sweep, err));
	json_array_foreach(json_object_get(s->sweep, "runs"), i, id)
		if (is_name(id)) {
			RB_TRY(merge_run(m, s, json_string_value(id), err));
		} else {
			printf("%s/" STORE_SWEEP ".json: refused: run %zu has no name that a "
			       "record can have\n",
			       s->store.dir, i + 1);
			m->counts->refused++;
		}
	return RB_OK;
}

static bool is_same_folder(const char *a, const char *b)
{
	struct stat one, other;

	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* All sources must be of one experiment. This is checked before INTO is made. */
static int open_sources(const char *into, struct source *sources, char *const *from, size_t count,
			struct rb_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (is_same_folder(into, from[i]))
			return rb_fail(err, RB_EINVAL, "%s: cannot be merged into itself", from[i]);
		RB_TRY(open_source(&sources[i], from[i], err));
		RB_TRY(check_experiment(&sources[i], sources[0].sweep, from[0], err));
	}
	return RB_OK;
}

/* Open INTO and read what it has. */
static int open_into(struct merge *m, const char *into, const struct source *first,
		     struct rb_error *err)
{
	json_t *id;
	size_t i;

	RB_TRY(store_open(&m->into, into, "choose another folder", err));
	m->sweep = find_sweep(&m->into);
	if (m->sweep)
		RB_TRY(check_experiment(first, m->sweep, into, err));
	else if (!is_new(&m->into))
		return rb_fail(err, RB_EINVAL,
			       "%s: it has records, or what was one, but no sweep.json that can be "
			       "read; nothing was merged",
			       into);
	json_array_foreach(json_object_get(m->sweep, "runs"), i, id)
		if (json_is_string(id))
			json_object_set_new(m->runs, json_string_value(id), json_true());
	return RB_OK;
}

static int merge_all(struct merge *m, const char *into, struct source *sources, char *const *from,
		     size_t count, struct rb_error *err)
{
	RB_TRY(open_sources(into, sources, from, count, err));
	RB_TRY(open_into(m, into, &sources[0], err));
	for (size_t i = 0; i < count; i++)
		RB_TRY(merge_source(m, &sources[i], err));
	return RB_OK;
}

int store_merge(const char *into, char *const *from, size_t count, enum merge_prefer prefer,
		struct merge_counts *counts, struct rb_error *err)
{
	struct merge m = { .into.lock = -1, .runs = json_object(), .prefer = prefer };
	struct source *sources = calloc(count, sizeof *sources);
	int rc;

	if (!sources || !m.runs) {
		free(sources);
		json_decref(m.runs);
		return rb_fail(err, RB_ENOMEM, "out of memory");
	}
	m.counts = counts;
	memset(counts, 0, sizeof *counts);
	for (size_t i = 0; i < count; i++)
		sources[i].store.lock = -1;
	rc = merge_all(&m, into, sources, from, count, err);
	for (size_t i = 0; i < count; i++) {
		store_close(&sources[i].store);
		json_decref(sources[i].sweep);
	}
	store_close(&m.into);
	json_decref(m.sweep);
	json_decref(m.runs);
	free(sources);
	return rc;
}
