#include "harness/store/manifest.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { DIGITS = 32 };

void manifest_hash(const void *data, size_t size, char out[MANIFEST_HASH])
{
	XXH128_hash_t hash = XXH3_128bits(data, size);

	snprintf(out, MANIFEST_HASH, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
		 (uint64_t)hash.low64);
}

json_t *manifest_find(const struct manifest *m, const char *id)
{
	return json_object_get(m->last, id);
}

/* Enter a line into the tables. Takes the reference. */
static void remember(struct manifest *m, json_t *entry)
{
	const char *id = json_string_value(json_object_get(entry, "id"));
	json_t *old = json_object_get(m->last, id);

	if (old)
		json_object_set(m->before, id, old);
	snprintf(m->newest, sizeof m->newest, "%s", id);
	json_object_set_new(m->last, id, entry);
}

/* Parse "CHECKSUM JSON" without the end of the line; NULL if it is not complete. New reference. */
static json_t *parse_line(const char *line, size_t size)
{
	char hash[MANIFEST_HASH];
	json_t *entry;

	if (size < DIGITS + 2 || line[DIGITS] != ' ')
		return NULL;
	manifest_hash(line + DIGITS + 1, size - DIGITS - 1, hash);
	if (memcmp(hash, line, DIGITS) != 0)
		return NULL;
	entry = json_loadb(line + DIGITS + 1, size - DIGITS - 1, 0, NULL);
	if (json_string_value(json_object_get(entry, "id")) &&
	    json_string_value(json_object_get(entry, "xxh3")))
		return entry;
	json_decref(entry);
	return NULL;
}

static void parse(struct manifest *m, const char *text, size_t size)
{
	const char *at = text, *end;

	for (size_t line = 1; (end = memchr(at, '\n', size - (size_t)(at - text))); line++) {
		json_t *entry = parse_line(at, (size_t)(end - at));

		if (entry)
			remember(m, entry);
		else if (m->damaged++ == 0)
			m->first_damaged = line;
		at = end + 1;
	}
	m->size = at - text;
	m->torn = (size_t)m->size < size;
}

static int failed(const struct manifest *m, struct rb_error *err)
{
	return rb_fail(err, RB_EIO, "%s: %s", m->path, strerror(errno));
}

static int read_file(struct manifest *m, int fd, struct rb_error *err)
{
	struct stat about;
	ssize_t got = 0;
	char *text;

	if (fstat(fd, &about) != 0)
		return failed(m, err);
	text = malloc((size_t)about.st_size + 1);
	if (!text)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", m->path);
	for (off_t at = 0; at < about.st_size; at += got) {
		got = pread(fd, text + at, (size_t)(about.st_size - at), at);
		if (got <= 0) {
			free(text);
			return failed(m, err);
		}
	}
	parse(m, text, (size_t)about.st_size);
	free(text);
	return RB_OK;
}

int manifest_read(struct manifest *m, const char *dir, struct rb_error *err)
{
	int fd, rc;

	memset(m, 0, sizeof *m);
	m->last = json_object();
	m->before = json_object();
	if (!m->last || !m->before)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", dir);
	if (snprintf(m->path, sizeof m->path, "%s/" MANIFEST_NAME, dir) >= (int)sizeof m->path)
		return rb_fail(err, RB_EINVAL, "%.60s...: the path is too long", dir);
	fd = open(m->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? RB_OK : failed(m, err);
	m->there = true;
	rc = read_file(m, fd, err);
	close(fd);
	return rc;
}

void manifest_free(struct manifest *m)
{
	json_decref(m->last);
	json_decref(m->before);
	m->last = m->before = NULL;
}

/* Write a line at the end of the last complete line. An incomplete line behind it is cut off first. */
static int write_line(const struct manifest *m, int fd, const char *line, size_t size)
{
	if (ftruncate(fd, m->size) != 0)
		return -1;
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(fd, line + done, size - done, m->size + (off_t)done);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return fsync(fd);
}

static int append(struct manifest *m, const char *line, size_t size, struct rb_error *err)
{
	int fd = open(m->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	int rc = fd < 0 ? -1 : write_line(m, fd, line, size), reason = errno;

	if (fd >= 0 && rc != 0 && ftruncate(fd, m->size) != 0)
		m->torn = true; /* the next write cuts it off */
	if (fd >= 0)
		close(fd);
	errno = reason;
	if (rc != 0)
		return failed(m, err);
	m->size += (long)size;
	m->there = true;
	m->torn = false;
	return RB_OK;
}

int manifest_add(struct manifest *m, json_t *entry, struct rb_error *err)
{
	char *json = json_dumps(entry, JSON_COMPACT | JSON_REAL_PRECISION(17)), *line = NULL;
	char hash[MANIFEST_HASH];
	int size = -1, rc;

	if (json) {
		manifest_hash(json, strlen(json), hash);
		size = asprintf(&line, "%s %s\n", hash, json);
	}
	rc = size < 0 ? rb_fail(err, RB_ENOMEM, "%s: out of memory", m->path) :
			append(m, line, (size_t)size, err);
	if (rc == RB_OK)
		remember(m, entry);
	else
		json_decref(entry);
	if (size >= 0)
		free(line);
	free(json);
	return rc;
}
