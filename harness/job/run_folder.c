#include "harness/job/run_folder.h"

#include "base/status.h"
#include "harness/events/events.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void protect(struct run_folder *f, bool disposable)
{
	shared_memory_make(&f->shared, f->dir);
	cleaner_guard(&f->cleaner, f->dir, disposable, f->shared.dir);
}

int run_folder_make(struct run_folder *f, const char *parent, bool disposable, struct rb_error *err)
{
	RB_TRY(cleaner_make_run(&f->cleaner, parent, disposable, f->dir, err));
	RB_TRY(scratch_lock(f->dir, &f->lock, err));
	protect(f, disposable);
	return RB_OK;
}

int run_folder_take(struct run_folder *f, const char *path, struct rb_error *err)
{
	char absolute[PATH_MAX];

	if (!realpath(path, absolute) ||
	    snprintf(f->dir, sizeof f->dir, "%s", absolute) >= (int)sizeof f->dir)
		return rb_fail(err, RB_EINVAL, "%s: %s", path, strerror(errno));
	RB_TRY(scratch_lock(f->dir, &f->lock, err));
	cleaner_start(&f->cleaner);
	protect(f, false);
	return RB_OK;
}

json_t *run_folder_events(const struct run_folder *f)
{
	return events_read_with(f->dir, f->unwritten);
}

void run_folder_leave(struct run_folder *f)
{
	shared_memory_remove(&f->shared);
	cleaner_stop(&f->cleaner);
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
	json_decref(f->unwritten);
	f->unwritten = NULL;
}

int run_folder_move(struct run_folder *f, const char *to, struct rb_error *err)
{
	run_folder_leave(f);
	RB_TRY(scratch_move(f->dir, to, err));
	snprintf(f->dir, sizeof f->dir, "%s", to);
	return RB_OK;
}

void run_folder_remove(struct run_folder *f)
{
	scratch_remove(f->dir);
	run_folder_leave(f);
}
