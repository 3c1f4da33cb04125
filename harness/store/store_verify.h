/* harness/store/store_verify.h - is a results folder what its manifest says, and several folders made one. */
#ifndef HARNESS_STORE_STORE_VERIFY_H
#define HARNESS_STORE_STORE_VERIFY_H

#include "harness/store/store.h"

struct store_verdict {
	size_t sound;      /* records that are what was written */
	size_t bad;        /* things wrong */
	size_t runs, open; /* of sweep.json: in all, and without a record */
};

/* Name, on `to`, everything that is missing, changed or not in the manifest, and each comparison that is not
 * what the records compared say. RB_OK whatever was found;
 * RB_EINVAL: there is no manifest; RB_EIO. */
int store_verify(const struct store *s, struct store_verdict *v, FILE *to, struct rb_error *err);

/* Which of two different records of one name stays in place. */
enum store_prefer { PREFER_NEITHER, PREFER_INTO, PREFER_FROM };

struct store_merge {
	enum store_prefer prefer;
	size_t added, equal, conflicts, refused; /* counted up */
	size_t changed; /* of INTO's records: not what was written, so set aside */
};

/* Add to `into`, which is open for writing, the records that the sweep of `from` has. Every one is written
 * like a run's, so that a merge that is interrupted can be repeated. Told on `to`: each conflict (the
 * other one is kept in conflicts/, unless something is preferred) and each record refused. RB_EINVAL: of
 * another experiment, nothing was done; RB_EIO, RB_ENOMEM. */
int store_merge(struct store *into, const struct store *from, struct store_merge *m, FILE *to,
		struct rb_error *err);
/* The same experiment? RB_EINVAL says what is in the way. `into` may be empty. */
int store_merge_check(const struct store *into, const struct store *from, struct rb_error *err);

#endif
