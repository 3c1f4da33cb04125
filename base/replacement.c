#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 40 };

/* What is there. fd: what this process writes to under that name, 1 or 2; -1: nothing. */
struct found {
	bool there, regular;
	mode_t mode;
	int fd;
};

static int find(const char *path, struct found *f)
{
	struct stat is, own;

	*f = (struct found){ .fd = -1 };
	if (stat(path, &is) != 0)
		return errno == ENOENT ? 0 : -1;
	f->there = true;
	f->regular = S_ISREG(is.st_mode);
	f->mode = is.st_mode & 0777;
	for (int fd = 2; fd > 0; fd--)
		if (fstat(fd, &own) == 0 && own.st_dev == is.st_dev && own.st_ino == is.st_ino)
			f->fd = fd;
	if (S_ISDIR(is.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	return 0;
}

/* The name to which `target`, the contents of a link, leads. NULL: errno says why. */
static char *join(char *link, const char *target)
{
	char *joined = NULL;

	if (target[0] == '/')
		return strdup(target);
	return asprintf(&joined, "%s/%s", dirname(link), target) < 0 ? NULL : joined;
}

/* Where the links of a name lead to, also if there is no file yet. The caller frees it. NULL: errno
 * says why. */
static char *end_of_links(const char *path)
{
	char target[PATH_MAX + 1], *at = realpath(path, NULL);
	ssize_t length;

	if (at || errno != ENOENT)
		return at;
	at = strdup(path);
	for (int links = 0; at && links < LINKS; links++) {
		char *next;

		length = readlink(at, target, PATH_MAX);
		if (length < 0)
			return at;
		target[length] = '\0';
		next = join(at, target);
		free(at);
		at = next;
	}
	if (at)
		errno = ELOOP;
	free(at);
	return NULL;
}

static int open_beside(struct replacement *r, const struct found *f)
{
	const char *slash = strrchr(r->path, '/');

	if (asprintf(&r->beside, "%.*s" REPLACEMENT_BESIDE "XXXXXX",
		     slash ? (int)(slash + 1 - r->path) : 0, r->path) < 0) {
		r->beside = NULL;
		return -1;
	}
	r->fd = mkostemp(r->beside, O_CLOEXEC);
	if (r->fd < 0) {
		free(r->beside);
		r->beside = NULL;
		return -1;
	}
	fchmod(r->fd, f->there ? f->mode : 0644);
	return 0;
}

int replacement_open(struct replacement *r, const char *path)
{
	struct found f;

	*r = (struct replacement){ .fd = -1 };
	if (find(path, &f) != 0)
		return -1;
	if (f.fd >= 0) {
		fflush(f.fd == 1 ? stdout : stderr);
		r->fd = fcntl(f.fd, F_DUPFD_CLOEXEC, 3);
	} else if (f.there && !f.regular) {
		r->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else if ((r->path = end_of_links(path))) {
		open_beside(r, &f);
	}
	if (r->fd >= 0)
		return 0;
	replacement_discard(r);
	return -1;
}

int replacement_probe(const char *path)
{
	struct replacement r;
	struct found f;

	if (find(path, &f) != 0)
		return -1;
	if (f.there && !f.regular)
		return f.fd >= 0 ? 0 : access(path, W_OK);
	if (replacement_open(&r, path) != 0)
		return -1;
	replacement_discard(&r);
	return 0;
}

FILE *replacement_stream(const struct replacement *r)
{
	const int fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 3);
	FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

/* A pipe or a terminal cannot be synced. */
static bool synced(int fd, bool beside)
{
	return fsync(fd) == 0 ||
	       (!beside && (errno == EINVAL || errno == EROFS || errno == ENOTSUP));
}

int replacement_close(struct replacement *r)
{
	const int fd = r->fd;

	if (!synced(fd, r->beside)) {
		replacement_discard(r);
		return -1;
	}
	r->fd = -1;
	if (close(fd) == 0)
		return 0;
	replacement_discard(r);
	return -1;
}

/* Some file systems cannot sync a folder and say so with EINVAL. A folder that can be written but
 * not read cannot be opened, so nothing more can be done. */
static int sync_folder_of(char *path)
{
	const int fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return errno == EACCES ? 0 : -1;
	rc = fsync(fd) == 0 || errno == EINVAL ? 0 : -1;
	close(fd);
	return rc;
}

int replacement_place(struct replacement *r)
{
	int rc = 0;

	if (r->beside && rename(r->beside, r->path) != 0) {
		replacement_discard(r);
		return -1;
	}
	if (r->beside)
		rc = sync_folder_of(r->path) == 0 ? 0 : 1;
	free(r->beside);
	r->beside = NULL;
	replacement_discard(r);
	return rc;
}

void replacement_discard(struct replacement *r)
{
	const int reason = errno;

	if (r->fd >= 0)
		close(r->fd);
	if (r->beside)
		unlink(r->beside);
	free(r->beside);
	free(r->path);
	*r = (struct replacement){ .fd = -1 };
	errno = reason;
}
