/* harness/job/scratch.h - the folders of a run: its own, and the one of its MPI's shared memory. Both are
 * locked for as long as somebody is at it, and both are removed as a whole. */
#ifndef HARNESS_JOB_SCRATCH_H
#define HARNESS_JOB_SCRATCH_H

#include "harness/spec/spec.h"

/* Make a run folder in `parent` (NULL: $TMPDIR or /tmp); dir receives its absolute path. RB_OK,
 * RB_EINVAL or RB_EIO. */
int scratch_make(const char *parent, char dir[SPEC_PATH], struct rb_error *err);
/* Held for as long as we are at it, so that nobody resumes a run that is under way. *lock: -1, or
 * a file to close. RB_OK, RB_EIO, or RB_EINVAL: somebody else holds it. */
int scratch_lock(const char *dir, int *lock, struct rb_error *err);
/* A folder and all in it; "": nothing. */
void scratch_remove(const char *dir);

/* Where the MPI puts its shared memory. */
struct shared_memory {
	char dir[64]; /* "": wherever the MPI likes */
	int lock;     /* -1: none */
};

/* Make it for a run folder, and remove what killed harnesses have left. */
void shared_memory_make(struct shared_memory *shared, const char *run);
void shared_memory_remove(struct shared_memory *shared);

#endif
