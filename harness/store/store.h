/* harness/store/store.h - the results folder of a sweep, or of simulations: one record per run, a
 * manifest and a lock.
 *
 * A record is found again by content. Its key covers the description of the run and the program
 * that made it, so a changed parameter or binary is a new run. A record does not count if its file
 * is not the one that was written (harness/store/manifest.h). One process writes at a time. */
#ifndef HARNESS_STORE_STORE_H
#define HARNESS_STORE_STORE_H

#include "harness/store/manifest.h"
#include "harness/record/record.h"
#include "harness/options/spec.h"

/* The file of the sweep's description, as an id: <id>.json. */
#define STORE_SWEEP "sweep"
/* Folders in it: for records that were replaced, and for the second of two different records of one
 * run (harness/store/merge.h). */
#define STORE_REPLACED "replaced"
#define STORE_CONFLICTS "conflicts"

/* The remedy where a folder that was named by this option cannot be written. */
#define STORE_RESULTS "choose another with --results"

/* for so many seconds a process that wants to write waits for readers */
enum { STORE_PATIENCE = 10 };

struct store {
	char dir[SPEC_PATH];
	int lock;
	bool writing;                /* opened by store_open() */
	char program[MANIFEST_HASH]; /* hash of the running executable */
	struct manifest manifest;
	/* CLOCK_MONOTONIC: when the store was opened, or when the last record was put */
	double since;
	/* records of another key that were kept in STORE_REPLACED since the store was opened */
	size_t replaced;
};

/* The file of a record, compared with the manifest. */
enum store_state {
	STORE_SOUND,
	STORE_OLDER,    /* the one that was to be replaced: a crash came before it was */
	STORE_UNLISTED, /* it exists, but is not in the manifest */
	STORE_CHANGED,  /* not the file that was written */
	STORE_ABSENT,
};

struct store_file {
	char *text; /* NULL if it is absent or cannot be read; otherwise call store_file_free() */
	size_t size;
	char hash[MANIFEST_HASH];
};

/* Create the folder if necessary, lock it, and remove what a crash left. RB_OK, or RB_EIO: it
 * cannot be written, another process writes to it, or others read it for longer than
 * STORE_PATIENCE. remedy: where there can be no folder. store_close() may be called in all
 * cases. */
int store_open(struct store *s, const char *dir, const char *remedy, struct rb_error *err);
/* Open it only to read; there may be other readers. RB_EIO: it does not exist, or a process writes
 * to it. */
int store_open_to_read(struct store *s, const char *dir, struct rb_error *err);
void store_close(struct store *s);

/* Write sweep.json, which says which records belong to the sweep; the figures read it. Takes the
 * reference to it. RB_OK, RB_EIO or RB_ENOMEM, as for all functions that write. */
int store_put_sweep(struct store *s, json_t *sweep, struct rb_error *err);
/* Read it. New reference, with a list `runs`. RB_OK, or RB_EINVAL: it is none. */
int store_find_sweep(const struct store *s, json_t **sweep, struct rb_error *err);
/* The record of this id (the name of its file without .json) if it exists and still follows from
 * the same: `description` has all that it follows from, besides the program. Otherwise NULL. New
 * reference. If the store is open for writing, a changed record is set aside as <id>.json.changed,
 * with a message. */
json_t *store_find(struct store *s, const char *id, const json_t *description);
/* Add "id" and "key" to the record, then write it atomically. An existing record with another key
 * is kept. */
int store_put(struct store *s, const char *id, const json_t *description, json_t *record,
	      struct rb_error *err);
/* store_put() for a record of store_find() to which something was added. */
int store_replace(struct store *s, const char *id, json_t *record, struct rb_error *err);

/* Write <id>.json with the bytes of a file, atomically. entry: its entry in the manifest, whose
 * xxh3 is set here. Takes the reference to it. */
int store_put_file(struct store *s, const char *id, const struct store_file *file, json_t *entry,
		   struct rb_error *err);

/* The hash of a file, as manifest_hash(). RB_OK, or RB_EIO: it cannot be read. */
int store_hash_file(const char *path, char out[MANIFEST_HASH], struct rb_error *err);
/* The hash of the running executable and of the program of the ranks. */
void store_hash_program(char out[MANIFEST_HASH]);
/* Make a folder and those above it, if they do not exist. 0, or -1 with errno. */
int store_make_folders(const char *dir);

/* Read <id>.json and compare it with the manifest. */
enum store_state store_read(const struct store *s, const char *id, struct store_file *file);
void store_file_free(struct store_file *file);
/* Keep a copy of a file as <folder>/<id>~HASH.json. If it is kept again, it is the same file. */
int store_keep(const struct store *s, const char *folder, const char *id,
	       const struct store_file *file, struct rb_error *err);
/* Rename <id>.json, which is not the file that was written; `to` is its new path. */
int store_set_aside(const struct store *s, const char *id, char to[SPEC_PATH],
		    struct rb_error *err);
/* The path of <id><suffix>. RB_EINVAL: it is too long. */
int store_path(const struct store *s, const char *id, const char *suffix, char out[SPEC_PATH],
	       struct rb_error *err);

/* Seconds within and outside mpirun, over the runs whose records have them. */
struct store_overhead {
	double inside_s, outside_s;
	size_t runs, unknown; /* unknown: records without times */
};

/* Add those of this store. */
void store_add_overhead(const struct store *s, struct store_overhead *o);
/* Print them as a line. */
void store_say_overhead(const struct store_overhead *o, FILE *to);

#endif
