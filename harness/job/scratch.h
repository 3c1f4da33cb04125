/* harness/job/scratch.h - the folders of a run: its own, and the one for the shared memory of its
 * MPI. Both are locked while a process works on the run, and both are removed as a whole. */
#ifndef HARNESS_JOB_SCRATCH_H
#define HARNESS_JOB_SCRATCH_H

#include "harness/options/spec.h"

/* The path of a file in a run folder. */
enum { SCRATCH_PATH = SPEC_PATH + 16 };

/* The folder for run folders: `given`, or if that is NULL $TMPDIR or /tmp. */
const char *scratch_parent(const char *given);
/* Choose a run folder in `parent` (NULL: $TMPDIR or /tmp) that is not there yet; dir receives its
 * absolute path. RB_OK, or RB_EINVAL or RB_EIO: dir is "". */
int scratch_name(const char *parent, char dir[SPEC_PATH], struct rb_error *err);
/* Make it. RB_OK, or RB_EIO: dir is "" then. */
int scratch_make(char dir[SPEC_PATH], struct rb_error *err);
/* Lock the run folder while this process works on it, so that no other resumes a run that is under
 * way. *lock: -1, or a file to close. RB_OK, RB_EIO, or RB_EINVAL: another process holds the
 * lock. */
int scratch_lock(const char *dir, int *lock, struct rb_error *err);
/* Move a folder to a path that does not exist, also to another file system. RB_OK, or RB_EIO: it is
 * where it was. */
int scratch_move(const char *from, const char *to, struct rb_error *err);
/* Remove a folder and everything in it, also what ending processes still put there for up to a
 * second; "": nothing. */
void scratch_remove(const char *dir);

/* The folder for the shared memory of the MPI. */
struct shared_memory {
	char dir[64]; /* "": the MPI chooses */
	int lock;     /* -1: none */
};

/* Make this folder for a run folder, and remove what killed harnesses have left. */
void shared_memory_make(struct shared_memory *shared, const char *run);
void shared_memory_remove(struct shared_memory *shared);

#endif
