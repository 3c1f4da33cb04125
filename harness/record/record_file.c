#include "base/status.h"
#include "base/whole.h"
#include "harness/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(struct record_file *f, const char *what, struct rb_error *err)
{
	int reason = errno;

	record_discard(f);
	return rb_fail(err, RB_EIO, "%s: %s: %s; nothing was replaced", f->path, what,
		       strerror(reason));
}

int record_open(struct record_file *f, const char *path, struct rb_error *err)
{
	const char *slash = strrchr(path, '/');

	f->fd = -1;
	f->temporary[0] = '\0';
	if (strlen(path) >= sizeof f->path)
		return rb_fail(err, RB_EINVAL, "the path of the record is too long");
	snprintf(f->path, sizeof f->path, "%s", path);
	snprintf(f->temporary, sizeof f->temporary, "%.*s" RECORD_TEMPORARY "XXXXXX",
		 slash ? (int)(slash + 1 - path) : 0, path);
	f->fd = mkostemp(f->temporary, O_CLOEXEC);
	if (f->fd < 0) {
		f->temporary[0] = '\0';
		return failed(f, "cannot be written", err);
	}
	fchmod(f->fd, 0644);
	return RB_OK;
}

/* Some file systems cannot sync a folder and say so with EINVAL. */
static int sync_folder_of(const char *path)
{
	char copy[SPEC_PATH];
	int fd, rc;

	snprintf(copy, sizeof copy, "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		/* the folder can be written but not read, so nothing more can be done */
		return errno == EACCES ? 0 : -1;
	rc = fsync(fd) == 0 || errno == EINVAL ? 0 : -1;
	close(fd);
	return rc;
}

char *record_text(const json_t *record)
{
	char *text = json_dumps(record, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
	char *whole = NULL;

	if (text && asprintf(&whole, "%s\n", text) < 0)
		whole = NULL;
	free(text);
	return whole;
}

int record_write(struct record_file *f, const char *text, size_t size, struct rb_error *err)
{
	int rc;

	if (!write_whole(f->fd, text, size) || fsync(f->fd) != 0)
		return failed(f, "writing the record", err);
	rc = close(f->fd);
	f->fd = -1;
	return rc == 0 ? RB_OK : failed(f, "writing the record", err);
}

int record_place(struct record_file *f, struct rb_error *err)
{
	if (rename(f->temporary, f->path) != 0)
		return failed(f, "putting the record in place", err);
	f->temporary[0] = '\0';
	if (sync_folder_of(f->path) != 0)
		return rb_fail(err, RB_EIO, "%s: it is there, but its folder cannot be synced: %s",
			       f->path, strerror(errno));
	return RB_OK;
}

int record_save(struct record_file *f, const json_t *record, struct rb_error *err)
{
	char *text = record_text(record);
	int rc;

	if (!text) {
		errno = ENOMEM;
		return failed(f, "writing the record", err);
	}
	rc = record_write(f, text, strlen(text), err);
	free(text);
	return rc == RB_OK ? record_place(f, err) : rc;
}

void record_discard(struct record_file *f)
{
	int reason = errno;

	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	if (f->temporary[0])
		unlink(f->temporary);
	f->temporary[0] = '\0';
	errno = reason;
}

int record_probe(const char *path, struct rb_error *err)
{
	struct record_file file;

	RB_TRY(record_open(&file, path, err));
	record_discard(&file);
	return RB_OK;
}

static int print(const json_t *record, struct rb_error *err)
{
	if (json_dumpf(record, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 ||
	    fputs("\n", stdout) == EOF || fflush(stdout) != 0)
		return rb_fail(err, RB_EIO, "--json -: standard output cannot be written");
	return RB_OK;
}

int record_deliver(const json_t *record, const char *path, struct rb_error *err)
{
	struct record_file file = { .fd = -1 };

	if (!path)
		return RB_OK;
	if (strcmp(path, "-") == 0)
		return print(record, err);
	RB_TRY(record_open(&file, path, err));
	return record_save(&file, record, err);
}
