#include "base/status.h"
#include "base/whole.h"
#include "harness/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const struct record_file *f, const char *what, struct rb_error *err)
{
	return rb_fail(err, RB_EIO, "%s: %s: %s; nothing was replaced", f->path, what,
		       strerror(errno));
}

static int set_path(struct record_file *f, const char *path, struct rb_error *err)
{
	*f = (struct record_file){ .to.fd = -1 };
	if (strlen(path) >= sizeof f->path)
		return rb_fail(err, RB_EINVAL, "the path of the record is too long");
	snprintf(f->path, sizeof f->path, "%s", path);
	return RB_OK;
}

int record_open(struct record_file *f, const char *path, struct rb_error *err)
{
	RB_TRY(set_path(f, path, err));
	return replacement_open(&f->to, path) == 0 ? RB_OK : failed(f, "cannot be written", err);
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
	if (write_whole(f->to.fd, text, size) && replacement_close(&f->to) == 0)
		return RB_OK;
	record_discard(f);
	return failed(f, "writing the record", err);
}

int record_place(struct record_file *f, struct rb_error *err)
{
	switch (replacement_place(&f->to)) {
	case 0:
		return RB_OK;
	case 1:
		return rb_fail(err, RB_EIO, "%s: it is there, but its folder cannot be synced: %s",
			       f->path, strerror(errno));
	default:
		return failed(f, "putting the record in place", err);
	}
}

static int save(struct record_file *f, const json_t *record, struct rb_error *err)
{
	char *text = record_text(record);
	int rc;

	if (!text) {
		record_discard(f);
		errno = ENOMEM;
		return failed(f, "writing the record", err);
	}
	rc = record_write(f, text, strlen(text), err);
	free(text);
	return rc == RB_OK ? record_place(f, err) : rc;
}

void record_discard(struct record_file *f)
{
	replacement_discard(&f->to);
}

int record_probe(const char *path, struct rb_error *err)
{
	struct record_file file;

	RB_TRY(set_path(&file, path, err));
	return replacement_probe(path) == 0 ? RB_OK : failed(&file, "cannot be written", err);
}

static int print(const json_t *record, struct rb_error *err)
{
	if (json_dumpf(record, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 ||
	    fputs("\n", stdout) == EOF || fflush(stdout) != 0)
		return rb_fail(err, RB_EIO, "--json -: standard output cannot be written");
	return RB_OK;
}

bool record_is_to_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

int record_deliver(const json_t *record, const char *path, struct rb_error *err)
{
	struct record_file file = { .to.fd = -1 };

	if (!path)
		return RB_OK;
	if (record_is_to_stdout(path))
		return print(record, err);
	RB_TRY(record_open(&file, path, err));
	return save(&file, record, err);
}

int record_finish(struct record_file *f, const json_t *record, const char *path,
		  struct rb_error *err)
{
	return f->to.fd >= 0 ? save(f, record, err) : record_deliver(record, path, err);
}
