/* harness/store/store.h - the results folder of a sweep: one record per run, a manifest and a lock.
 *
 * A record is found again by content: its key covers the run's description and the program that
 * made it, so a changed parameter or binary is a new run. A record whose file is not the one that was
 * written (harness/store/manifest.h) does not count. One process writes at a time. */
#ifndef HARNESS_STORE_STORE_H
#define HARNESS_STORE_STORE_H

#include "harness/store/manifest.h"
#include "harness/record/record.h"
#include "harness/spec/spec.h"

/* The file of the sweep's description, as an id: <id>.json. */
#define STORE_SWEEP "sweep"
/* Folders in it: the other one of two different records, by `store merge`; what a sweep has replaced. */
#define STORE_CONFLICTS "conflicts"
#define STORE_REPLACED "replaced"

enum { STORE_PATIENCE = 10 }; /* seconds that readers are waited for by who wants to write */

struct store {
	char dir[SPEC_PATH];
	int lock;
	bool writing; /* opened by store_open() */
	char program[MANIFEST_HASH]; /* hash of the running executable */
	struct manifest manifest;
	double since; /* CLOCK_MONOTONIC: when it was opened, or the last run's record put */
	size_t replaced; /* records of another key that were kept in STORE_REPLACED, since it was opened */
};

/* What the manifest says of a record's file. */
enum store_state {
	STORE_SOUND,
	STORE_OLDER,    /* what was to be replaced: a crash, before it was */
	STORE_UNLISTED, /* there, but not in the manifest */
	STORE_CHANGED,  /* not what was written */
	STORE_ABSENT,
};

struct store_file {
	char *text; /* NULL if it is absent or cannot be read; else store_file_free() */
	size_t size;
	char hash[MANIFEST_HASH];
};

/* Create the folder if need be, lock it and tidy up what a crash left. RB_OK, or RB_EIO: unwritable,
 * written to by another, or read by others for longer than STORE_PATIENCE. Whatever came of it,
 * store_close() is fine. */
int store_open(struct store *s, const char *dir, struct rb_error *err);
/* To read only, alongside other readers. RB_EIO: not there, or being written to. */
int store_open_to_read(struct store *s, const char *dir, struct rb_error *err);
void store_close(struct store *s);

/* Write sweep.json: which records belong to the sweep, for the figures. Takes the reference to it. RB_OK, RB_EIO or
 * RB_ENOMEM, as all that write. */
int store_put_sweep(struct store *s, json_t *sweep, struct rb_error *err);
/* The record of a run (its id is the file's name without .json) if it is there and still the same run; NULL if not.
 * New reference. In a store open for writing, one that was changed is set aside as <id>.json.changed, and said. */
json_t *store_find(struct store *s, const char *id, const struct run_spec *spec);
/* Adds "id" and "key", then writes atomically. A record that is there, but of another key, is kept. */
int store_put(struct store *s, const char *id, const struct run_spec *spec, json_t *record, struct rb_error *err);
/* The same for a record of store_find() to which something was added. */
int store_replace(struct store *s, const char *id, json_t *record, struct rb_error *err);
/* Write the bytes of <id>.json; entry: its entry in the manifest, of which xxh3 is set here. Takes the reference to entry. */
int store_put_bytes(struct store *s, const char *id, const char *text, size_t size, json_t *entry,
		    struct rb_error *err);

/* Read <id>.json and hold it against the manifest. */
enum store_state store_read(const struct store *s, const char *id, struct store_file *file);
void store_file_free(struct store_file *file);
/* Nothing in it but perhaps what a writer left that was killed before sweep.json was in place. */
bool store_is_new(const struct store *s);
/* Keep a copy of a file as FOLDER/<id>~HASH.json; kept once more, it is the same file. */
int store_keep(const struct store *s, const char *folder, const char *id, const struct store_file *file,
	       struct rb_error *err);
/* sweep.json, if it is one; NULL if not. New reference. */
json_t *store_sweep(const struct store *s);
/* Path of <id><suffix>. RB_EINVAL: too long. */
int store_path(const struct store *s, const char *id, const char *suffix, char out[SPEC_PATH],
	       struct rb_error *err);

/* Seconds within and outside mpirun, over the runs whose records say so. */
struct store_overhead {
	size_t runs, unknown; /* unknown: without times, for instance of an interrupted put */
	double inside_s, outside_s;
};
/* Adds to what is in *sum. */
void store_overhead(const struct store *s, struct store_overhead *sum);
void store_say_overhead(const struct store_overhead *o, FILE *to);

#endif
