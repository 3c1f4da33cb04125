/* harness/store/manifest.h - which records a results folder holds, each with the hash of its file.
 *
 * The file `manifest` only grows. It has one line per record that was written, with its checksum in front;
 * the line is synced before the record is put in place. So a crash at any moment leaves at most one line
 * that is incomplete (it is ignored, and the next write cuts it off) or whose record does not exist (the
 * run in flight). If a record has several lines, the last one counts. */
#ifndef HARNESS_STORE_MANIFEST_H
#define HARNESS_STORE_MANIFEST_H

#include "base/error.h"
#include "harness/spec/spec.h"

#include <jansson.h>

#define MANIFEST_NAME "manifest"

enum { MANIFEST_HASH = 40 }; /* bytes for 32 hexadecimal digits */

struct manifest {
	char path[SPEC_PATH];
	json_t *last;   /* id -> {id, key, xxh3, bytes, wall_s, took_s}, its last line */
	json_t *before; /* id -> the line before its last one */
	char newest[SPEC_PATH]; /* the id of the last line of the file; "" if there is none */
	long size;      /* bytes up to the end of the last complete line */
	size_t damaged; /* lines whose checksum is wrong */
	size_t first_damaged; /* the number of the first of them */
	bool there, torn;
};

/* XXH3-128 as `xxhsum -H2` prints it. */
void manifest_hash(const void *data, size_t size, char out[MANIFEST_HASH]);

/* Read the manifest of folder dir. If there is none, it is empty. RB_OK, RB_EIO or RB_ENOMEM;
 * manifest_free() may be called in all cases. */
int manifest_read(struct manifest *m, const char *dir, struct rb_error *err);
void manifest_free(struct manifest *m);
/* The last line of a record, or NULL. Borrowed. */
json_t *manifest_find(const struct manifest *m, const char *id);
/* Append a line and sync it. Takes the reference. RB_OK, RB_EIO or RB_ENOMEM: nothing was added. */
int manifest_add(struct manifest *m, json_t *entry, struct rb_error *err);

#endif
