/* harness/store/manifest.h - which records a results folder holds, each with the hash of its file.
 *
 * The file `manifest` is a list that `xxhsum --check` reads, oldest record first. What Rollbench
 * adds is in comments (docs/record.md). The entry of a new record is appended. If a record replaces
 * another one, the list is written anew. Both are synced before the record is put in place. So a
 * crash at any moment leaves at most one entry that is incomplete (it is ignored, and the next
 * write cuts it off), or whose file does not exist or is still the record before it (the run in
 * flight). */
#ifndef HARNESS_STORE_MANIFEST_H
#define HARNESS_STORE_MANIFEST_H

#include "base/error.h"
#include "harness/options/spec.h"

#include <jansson.h>
#include <stdio.h>

#define MANIFEST_NAME "manifest"

enum { MANIFEST_HASH = 40 }; /* bytes for 32 hexadecimal digits */

struct manifest {
	char path[SPEC_PATH];
	/* id -> {"xxh3": hash, "wall_s", "took_s", "before": what the record replaced}, in the
	 * order of the file; all but xxh3 may be missing. */
	json_t *entries;
	long size; /* bytes up to the end of the last complete entry */
	bool there;
	bool torn; /* there is an incomplete entry at the end, which does not count */
	/* lines that are no entry: what they said is lost. The next entry has the file written
	 * anew. */
	size_t damaged;
	size_t damaged_line; /* number of the first of these, from 1 */
};

/* XXH3-128 as `xxhsum -H2` prints it. */
void manifest_hash(const void *data, size_t size, char out[MANIFEST_HASH]);

/* Read the manifest of folder dir. If there is none, it is empty. RB_OK, RB_EIO or RB_ENOMEM;
 * manifest_free() may be called in all cases. */
int manifest_read(struct manifest *m, const char *dir, struct rb_error *err);
void manifest_free(struct manifest *m);
/* Say which lines are damaged, if there are any. */
void manifest_say_damage(const struct manifest *m, FILE *to);
/* The entry of a record, or NULL. Borrowed. */
json_t *manifest_find(const struct manifest *m, const char *id);
/* Add the entry of a record, or replace it, and sync. Takes the reference. RB_OK; RB_EINVAL: the id
 * cannot be a file's name; RB_EIO or RB_ENOMEM: nothing was added. */
int manifest_add(struct manifest *m, const char *id, json_t *entry, struct rb_error *err);

#endif
