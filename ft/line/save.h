/* ft/line/save.h - taking checkpoints: copy the state, and bring the image to its levels while the
 * iterations go on. The checkpoint counts once all roles agree that they have theirs; then the log
 * of the interval before it is forgotten. (Private to ft/.) */
#ifndef FT_LINE_SAVE_H
#define FT_LINE_SAVE_H

#include "base/error.h"
#include "ft/line/image_store.h"
#include "ft/role/role.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SAVE_AS_SOON_AS_POSSIBLE = -1 }; /* else ft_config.lag iterations after it was taken */

struct save {
	struct role *role;
	struct image_store *images;
	int64_t iter; /* the checkpoint under way, -1: none */
	double began;
	bool posted;    /* sent to other roles in this epoch */
	bool delivered; /* and all of it has arrived */
	bool voting;    /* in the barrier that makes it count */
	struct dissemination vote;
	struct transfer transfer;
	struct { /* the file, written by a thread of its own unless lag is 0 */
		enum { FILE_DUE, FILE_WRITING, FILE_WRITTEN } state;
		bool running; /* a thread is to be joined, perhaps of an earlier checkpoint */
		atomic_bool ended;
		int64_t iter;
		pthread_t thread;
		int rc;
		struct rb_error err;
	} file;
};

/* Not owned: role, images. */
void save_init(struct save *s, struct role *role, struct image_store *images);
void save_free(struct save *s);
/* Between two iterations: begin a checkpoint if one is due, go on with the one under way. */
int save_step(struct save *s, struct rb_error *err);
/* Test a checkpoint under way once, without taking a new one or waiting. */
int save_poll(struct save *s, struct rb_error *err);
/* A part of a checkpoint is arriving here. */
bool save_busy(const struct save *s);
/* Wait until the checkpoint under way counts. */
int save_finish(struct save *s, struct rb_error *err);
/* After the communicator was revoked: end all transfers. The checkpoint is not given up:
 * save_step() goes on with it. */
void save_abort(struct save *s);
/* A role that rolls back gives the checkpoint up; another role notes which one counts now. */
int save_enter_epoch(struct save *s, int64_t line, bool rolled_back, struct rb_error *err);
/* Wait for the thread; afterwards it reads no image any more. */
void save_join(struct save *s);

#endif
