/* harness/store/store_verify.h - compare a results folder with its manifest, and merge several folders
 * into one. */
#ifndef HARNESS_STORE_STORE_VERIFY_H
#define HARNESS_STORE_STORE_VERIFY_H

#include "harness/store/store.h"

struct store_verdict {
	size_t sound;      /* records whose file is the one that was written */
	size_t bad;        /* things that are wrong */
	size_t runs, open; /* of sweep.json: in all, and without a record */
};

/* Name on `to` everything that is missing, changed or not in the manifest, and each comparison that does
 * not agree with the compared records. RB_OK whatever was found. RB_EINVAL: there is no manifest. RB_EIO. */
int store_verify(const struct store *s, struct store_verdict *v, FILE *to, struct rb_error *err);

/* Which of two different records of one name stays in place. */
enum store_prefer { PREFER_NEITHER, PREFER_INTO, PREFER_FROM };

struct store_merge {
	enum store_prefer prefer;
	size_t added, equal, conflicts, refused; /* counted up */
	size_t changed; /* records of INTO that were not the file that was written, so that they were set aside */
};

/* Add the records of the sweep in `from` to `into`, which is open for writing. Each one is written like
 * the record of a new run, so an interrupted merge can be repeated. Reported on `to`: each conflict (the
 * other record is kept in conflicts/, unless one side is preferred) and each record that is refused.
 * RB_EINVAL: another experiment, and nothing was done. RB_EIO, RB_ENOMEM. */
int store_merge(struct store *into, const struct store *from, struct store_merge *m, FILE *to,
		struct rb_error *err);
/* Do both belong to the same experiment? RB_EINVAL says what is in the way. `into` may be empty. */
int store_merge_check(const struct store *into, const struct store *from, struct rb_error *err);

#endif
