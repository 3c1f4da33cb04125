#include "harness/store/manifest.h"

#include "base/status.h"
#include "harness/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { DIGITS = 32, SUFFIX = sizeof ".json" - 1 };

static const char header[] =
	"# To check the files of this folder: xxhsum --check --quiet " MANIFEST_NAME "\n";

void manifest_hash(const void *data, size_t size, char out[MANIFEST_HASH])
{
	XXH128_hash_t hash = XXH3_128bits(data, size);

	snprintf(out, MANIFEST_HASH, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
		 (uint64_t)hash.low64);
}

void manifest_say_damage(const struct manifest *m, FILE *to)
{
	if (m->damaged > 0)
		fprintf(to, "%s: line %zu is damaged, as are %zu in all; what they say is lost\n",
			m->path, m->damaged_line, m->damaged);
}

json_t *manifest_find(const struct manifest *m, const char *id)
{
	return json_object_get(m->entries, id);
}

/* Put an entry last; what it replaces becomes its "before". Takes the reference. false: the id is
 * no UTF-8. */
static bool put_last(json_t *entries, const char *id, json_t *entry)
{
	json_t *old = json_copy(json_object_get(entries, id));

	if (old) {
		json_object_del(old, "before");
		json_object_set_new(entry, "before", old);
		json_object_del(entries, id);
	}
	return json_object_set_new(entries, id, entry) == 0;
}

/* The entry of a line `HASH  ID.json`, with the comment before it. New reference; NULL: it is no
 * such line. */
static json_t *parse_sum(const char *line, size_t size, const json_t *comment, char id[SPEC_PATH])
{
	size_t length = size - DIGITS - 2 - SUFFIX;
	json_t *entry;

	if (size <= DIGITS + 2 + SUFFIX || length >= SPEC_PATH ||
	    strspn(line, "0123456789abcdef") != DIGITS || memcmp(line + DIGITS, "  ", 2) != 0 ||
	    memcmp(line + size - SUFFIX, ".json", SUFFIX) != 0 || memchr(line, '\0', size))
		return NULL;
	snprintf(id, SPEC_PATH, "%.*s", (int)length, line + DIGITS + 2);
	entry = json_is_object(comment) ? json_copy((json_t *)comment) : json_object();
	json_object_set_new(entry, "xxh3", json_stringn(line, DIGITS));
	return entry;
}

/* A line that is no comment. */
static void take(struct manifest *m, const char *line, size_t size, const json_t *comment,
		 size_t number)
{
	char id[SPEC_PATH];
	json_t *entry = parse_sum(line, size, comment, id);

	if ((!entry || !put_last(m->entries, id, entry)) && m->damaged++ == 0)
		m->damaged_line = number;
}

/* An incomplete entry at the end was being written when the writer was killed. */
static void parse(struct manifest *m, const char *text, size_t size)
{
	const char *at = text, *end;
	json_t *comment = NULL;

	for (size_t number = 1; (end = memchr(at, '\n', size - (size_t)(at - text)));
	     at = end + 1, number++) {
		size_t length = (size_t)(end - at);

		if (*at != '#') {
			take(m, at, length, comment, number);
			m->size = end + 1 - text;
		}
		json_decref(comment);
		comment = length > 2 && *at == '#' ? json_loadb(at + 2, length - 2, 0, NULL) : NULL;
	}
	json_decref(comment);
	m->torn = (size_t)m->size < size;
}

static int failed(const struct manifest *m, struct rb_error *err)
{
	return rb_fail(err, RB_EIO, "%s: %s", m->path, strerror(errno));
}

static int read_file(struct manifest *m, FILE *f, struct rb_error *err)
{
	struct stat about;
	char *text;
	size_t size;

	if (fstat(fileno(f), &about) != 0)
		return failed(m, err);
	text = calloc(1, (size_t)about.st_size + 1);
	if (!text)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", m->path);
	size = fread(text, 1, (size_t)about.st_size, f);
	if (!ferror(f))
		parse(m, text, size);
	free(text);
	return ferror(f) ? failed(m, err) : RB_OK;
}

int manifest_read(struct manifest *m, const char *dir, struct rb_error *err)
{
	FILE *f;
	int rc;

	memset(m, 0, sizeof *m);
	m->entries = json_object();
	if (!m->entries)
		return rb_fail(err, RB_ENOMEM, "%s: out of memory", dir);
	if (snprintf(m->path, sizeof m->path, "%s/" MANIFEST_NAME, dir) >= (int)sizeof m->path)
		return rb_fail(err, RB_EINVAL, "%.60s...: the path is too long", dir);
	f = fopen(m->path, "re");
	if (!f)
		return errno == ENOENT ? RB_OK : failed(m, err);
	m->there = true;
	rc = read_file(m, f, err);
	fclose(f);
	return rc;
}

void manifest_free(struct manifest *m)
{
	json_decref(m->entries);
	m->entries = NULL;
}

/* The lines of an entry. */
static void print(FILE *out, const char *id, json_t *entry)
{
	json_t *rest = json_copy(entry);

	json_object_del(rest, "xxh3");
	if (json_object_size(rest) > 0) {
		fprintf(out, "# ");
		json_dumpf(rest, out, JSON_COMPACT | JSON_REAL_PRECISION(17));
		fprintf(out, "\n");
	}
	json_decref(rest);
	fprintf(out, "%s  %s.json\n", json_string_value(json_object_get(entry, "xxh3")), id);
}

/* Write at the end of the last complete entry. An incomplete one behind it is cut off first. */
static int append(struct manifest *m, const char *text, size_t size, struct rb_error *err)
{
	int fd = open(m->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644), reason;
	bool done = fd >= 0 && ftruncate(fd, m->size) == 0;

	for (size_t at = 0; done && at < size;) {
		ssize_t n = pwrite(fd, text + at, size - at, m->size + (off_t)at);

		done = n >= 0 || errno == EINTR;
		at += n > 0 ? (size_t)n : 0;
	}
	done = done && fsync(fd) == 0;
	reason = errno;
	if (fd >= 0) {
		if (!done)
			/* if this fails, too, the next write cuts it off */
			(void)!ftruncate(fd, m->size);
		close(fd);
	}
	errno = reason;
	if (!done)
		return failed(m, err);
	m->size += (long)size;
	return RB_OK;
}

static int replace(struct manifest *m, const char *text, size_t size, struct rb_error *err)
{
	struct record_file file = { .to.fd = -1 };

	RB_TRY(record_open(&file, m->path, err));
	RB_TRY(record_write(&file, text, size, err));
	RB_TRY(record_place(&file, err));
	m->size = (long)size;
	return RB_OK;
}

/* The text that is to be added, or to be in place of the whole file. */
static int write_text(struct manifest *m, const char *id, json_t *entry, bool whole,
		      struct rb_error *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = RB_ENOMEM;

	if (out && (whole || m->size == 0))
		fputs(header, out);
	if (out && whole) {
		json_t *all = json_copy(m->entries), *one;
		const char *name;

		put_last(all, id, json_incref(entry));
		json_object_foreach(all, name, one)
			print(out, name, one);
		json_decref(all);
	} else if (out) {
		print(out, id, entry);
	}
	if (!out || fclose(out) != 0)
		rb_fail(err, rc, "%s: out of memory", m->path);
	else
		rc = whole ? replace(m, text, size, err) : append(m, text, size, err);
	free(text);
	return rc;
}

int manifest_add(struct manifest *m, const char *id, json_t *entry, struct rb_error *err)
{
	bool whole = m->damaged > 0 || manifest_find(m, id);
	int rc;

	if (strpbrk(id, "/\\\n"))
		rc = rb_fail(err, RB_EINVAL, "%s: %.60s: a record cannot have this name", m->path,
			     id);
	else
		rc = write_text(m, id, entry, whole, err);
	if (rc != RB_OK) {
		json_decref(entry);
		return rc;
	}
	put_last(m->entries, id, entry);
	m->there = true;
	m->torn = false;
	m->damaged = whole ? 0 : m->damaged;
	return RB_OK;
}
