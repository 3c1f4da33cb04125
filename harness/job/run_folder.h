/* harness/job/run_folder.h - the folder of a run while this process works on the run: it is locked,
 * the shared memory of the MPI has a folder of its own, and a cleaner removes what is not to stay
 * if this process is killed. */
#ifndef HARNESS_JOB_RUN_FOLDER_H
#define HARNESS_JOB_RUN_FOLDER_H

#include "harness/job/cleaner.h"
#include "harness/job/scratch.h"

#include <jansson.h>
#include <stdbool.h>

struct run_folder {
	char dir[SPEC_PATH]; /* its absolute path; "": there is none */
	struct shared_memory shared;
	int lock; /* -1: none */
	struct cleaner cleaner;
	json_t *unwritten; /* events for which the disk had no room; NULL: none */
};

/* What it is before one of the next two, which return RB_OK, RB_EINVAL or RB_EIO. The caller calls
 * run_folder_leave() or run_folder_remove(), whatever they return. */
#define RUN_FOLDER_NONE { .shared.lock = -1, .lock = -1, .cleaner.socket = -1 }
/* A new one in `parent` (NULL: $TMPDIR or /tmp). disposable: if this process is killed, it is
 * removed, too. */
int run_folder_make(struct run_folder *f, const char *parent, bool disposable,
		    struct rb_error *err);
/* One that is there, which stays if this process is killed. RB_EINVAL: there is none, or another
 * process works on it. */
int run_folder_take(struct run_folder *f, const char *path, struct rb_error *err);

/* New reference: all events of the run (harness/events/events.h). */
json_t *run_folder_events(const struct run_folder *f);

/* End the work on it. It stays where it is. */
void run_folder_leave(struct run_folder *f);
/* The same, and move it to `to`, which must not exist; f->dir is then that path. RB_OK, or RB_EIO:
 * f->dir says where it stays. */
int run_folder_move(struct run_folder *f, const char *to, struct rb_error *err);
/* The same, and remove it with everything in it. */
void run_folder_remove(struct run_folder *f);

#endif
