/* harness/store/merge.h - add the records of sweeps to another results folder of the same
 * experiment, for instance those that were made on several machines.
 *
 * Each record is written like that of a new run, so an interrupted merge can be repeated. */
#ifndef HARNESS_STORE_MERGE_H
#define HARNESS_STORE_MERGE_H

#include "harness/store/store.h"

/* Which of two different records of one run stays in place. */
enum merge_prefer {
	MERGE_INTO, /* that of INTO; the other is left out */
	MERGE_FROM, /* the other way round */
	MERGE_BOTH, /* that of INTO; the other is put into STORE_CONFLICTS */
};

struct merge_counts {
	size_t added, equal, conflicts;
	size_t refused; /* records of FROM that must not be taken */
	size_t changed; /* records of INTO that were not what was written, and are set aside */
};

/* Merge the folders `from` into the folder `into`, which is made if necessary, and print what is
 * found. RB_OK; RB_EINVAL: they are not of one experiment, and nothing was written; RB_EIO or
 * RB_ENOMEM: a folder cannot be read or written. Records that were merged until then stay. */
int store_merge(const char *into, char *const *from, size_t count, enum merge_prefer prefer,
		struct merge_counts *counts, struct rb_error *err);

#endif
