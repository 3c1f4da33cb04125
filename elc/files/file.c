/* Files of a line. */
#include "elc/files/file.h"

#include "base/whole.h"
#include "elc/core/crc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECES = 64 };

struct header {
	char magic[8]; /* "ELCLINE" */
	uint32_t version, kind;
	struct elc_owner who;
	uint64_t bytes; /* of the body */
	uint32_t body;  /* its checksum */
	uint32_t crc;   /* of this header with this field 0 */
};

void elc_file_folder(char path[ELC_PATH], const char *dir, int64_t line)
{
	snprintf(path, ELC_PATH, "%s/line-%lld", dir, (long long)line);
}

void elc_file_path(char path[ELC_PATH], const char *dir, const struct elc_owner *who,
		   enum elc_kind kind)
{
	snprintf(path, ELC_PATH, "%s/line-%lld/rank-%d.%s", dir, (long long)who->line, who->rank,
		 kind == ELC_FILE_STATE ? "state" : "messages");
}

/* A rename is durable when the folder is. */
static int sync_folder_of(const char *path)
{
	char folder[ELC_PATH];
	int fd, rc;

	snprintf(folder, sizeof folder, "%s", path);
	*strrchr(folder, '/') = '\0';
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	close(fd);
	return rc;
}

int elc_write_durably(const char *path, const struct elc_piece *piece, int pieces)
{
	char fresh[ELC_PATH + 8];
	bool whole = true;
	int fd;

	snprintf(fresh, sizeof fresh, "%s.new", path);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	for (int i = 0; whole && i < pieces; i++)
		whole = write_whole(fd, piece[i].data, piece[i].bytes);
	whole = whole && fsync(fd) == 0;
	if (close(fd) || !whole || rename(fresh, path))
		return -1;
	return sync_folder_of(path);
}

void *elc_read_whole(const char *path, size_t *bytes)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data = NULL;
	size_t n = 0;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0)
		data = malloc((size_t)st.st_size + 1);
	while (data && n < (size_t)st.st_size) {
		const ssize_t got = read(fd, data + n, (size_t)st.st_size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	if (data)
		data[n] = '\0';
	*bytes = n;
	return data;
}

static struct header header_of(const struct elc_owner *who, enum elc_kind kind,
			       const struct elc_piece *piece, int pieces)
{
	struct header h;

	memset(&h, 0, sizeof h); /* the padding, too */
	memcpy(h.magic, "ELCLINE", sizeof h.magic);
	h.version = ELC_VERSION;
	h.kind = kind;
	h.who.line = who->line;
	h.who.np = who->np;
	h.who.rank = who->rank;
	snprintf(h.who.program, sizeof h.who.program, "%s", who->program);
	snprintf(h.who.protocol, sizeof h.who.protocol, "%s", who->protocol);
	for (int i = 0; i < pieces; i++) {
		h.body = elc_crc(h.body, piece[i].data, piece[i].bytes);
		h.bytes += piece[i].bytes;
	}
	h.crc = elc_crc(0, &h, sizeof h);
	return h;
}

int elc_file_write(const char *dir, const struct elc_owner *who, enum elc_kind kind,
		   const struct elc_piece *piece, int pieces, uint32_t *crc, char why[ELC_TEXT])
{
	const struct header h = header_of(who, kind, piece, pieces);
	struct elc_piece *all = calloc((size_t)pieces + 1, sizeof *all);
	char path[ELC_PATH];
	int rc = -1;

	elc_file_folder(path, dir, who->line);
	if (all && (mkdir(path, 0777) == 0 || errno == EEXIST)) {
		all[0] = (struct elc_piece){ &h, sizeof h };
		memcpy(all + 1, piece, (size_t)pieces * sizeof *all);
		elc_file_path(path, dir, who, kind);
		rc = elc_write_durably(path, all, pieces + 1);
	}
	if (rc)
		snprintf(why, ELC_TEXT, "%s: cannot be written: %s", path, strerror(errno));
	free(all);
	*crc = h.body;
	return rc;
}

const char *elc_file_version(int64_t version)
{
	static char text[96]; /* until the next call */

	snprintf(text, sizeof text,
		 "is of version %lld of these files, or damaged; this library reads version %d",
		 (long long)version, ELC_VERSION);
	return version == ELC_VERSION ? NULL : text;
}

/* What is wrong with this file; NULL: nothing. */
static const char *wrong(const struct header *found, size_t bytes, const struct header *expected,
			 uint32_t crc, const void *body)
{
	struct header h;

	if (bytes < sizeof h || memcmp(found->magic, expected->magic, sizeof h.magic))
		return "is no file of a line, or is cut short";
	if (elc_file_version(found->version))
		return elc_file_version(found->version);
	h = *found;
	h.crc = 0;
	if (elc_crc(0, &h, sizeof h) != found->crc)
		return "is damaged (checksum of its header)";
	if (found->kind != expected->kind)
		return "has another part of a line than its name says";
	if (strncmp(found->who.program, expected->who.program, ELC_PROGRAM))
		return "is of another program";
	if (found->who.np != expected->who.np)
		return "is of a run with another number of processes";
	if (strncmp(found->who.protocol, expected->who.protocol, ELC_PROTOCOL))
		return "is of a run with another protocol (ELC_PROTOCOL)";
	if (found->who.line != expected->who.line || found->who.rank != expected->who.rank)
		return "is of another line or rank";
	if (found->bytes != bytes - sizeof h || elc_crc(0, body, bytes - sizeof h) != found->body)
		return "is damaged (checksum of its contents)";
	return found->body != crc ? "is not the one that was committed" : NULL;
}

void *elc_file_read(const char *dir, const struct elc_owner *who, enum elc_kind kind, uint32_t crc,
		    size_t *bytes, char why[ELC_TEXT])
{
	const struct header expected = header_of(who, kind, NULL, 0);
	char path[ELC_PATH], *data;
	const char *problem;

	elc_file_path(path, dir, who, kind);
	data = elc_read_whole(path, bytes);
	if (!data) {
		snprintf(why, ELC_TEXT, "%s: cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	problem =
		wrong((const struct header *)data, *bytes, &expected, crc, data + sizeof expected);
	if (problem) {
		snprintf(why, ELC_TEXT, "%s: %s", path, problem);
		free(data);
		return NULL;
	}
	*bytes -= sizeof expected;
	memmove(data, data + sizeof expected, *bytes);
	return data;
}
