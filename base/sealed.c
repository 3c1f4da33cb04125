#include "base/sealed.h"

#include "base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "rollbench-sealed"

/* It was never mapped for writing when these are set, so F_SEAL_FUTURE_WRITE is as good as
 * F_SEAL_WRITE. The latter waits until no page has another user, for up to 150 ms: pages that were
 * just made are in lists of each core. */
enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE };

void sealed_close(struct sealed *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* There is none; errno stays. Returns -1. */
static int give_up(struct sealed *s)
{
	const int why = errno;

	sealed_close(s);
	errno = why;
	return -1;
}

/* Hosts may refuse memory that could be executed (vm.memfd_noexec); older versions of Linux do not
 * know the flag. */
static int create(void)
{
	int fd = -1;

#ifdef MFD_NOEXEC_SEAL
	fd = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
#endif
	return fd >= 0 ? fd : memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* A file beyond this limit would end the process by a signal. */
static bool is_allowed(size_t bytes)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur >= bytes)
		return true;
	errno = EFBIG;
	return false;
}

int sealed_begin(struct sealed *s, size_t bytes)
{
	struct stat about;

	s->fd = is_allowed(bytes) ? create() : -1;
	if (s->fd < 0 || ftruncate(s->fd, (off_t)bytes) != 0 || fstat(s->fd, &about) != 0)
		return give_up(s);
	s->inode = about.st_ino;
	return 0;
}

int sealed_write(struct sealed *s, size_t at, const void *data, size_t bytes)
{
	const bool written =
		lseek(s->fd, (off_t)at, SEEK_SET) >= 0 && write_whole(s->fd, data, bytes);

	return written ? 0 : give_up(s);
}

/* A number of a process, and that of its descriptor, may have become another's. To open what is
 * there then could do harm, so its name is looked at first. */
static int open_sealed(int64_t pid, int fd)
{
	static const char name[] = "/memfd:" NAME;
	char path[64], found[sizeof name];

	snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%d", pid, fd);
	if (readlink(path, found, sizeof found) < (ssize_t)sizeof name ||
	    memcmp(found, name, sizeof name - 1) != 0) {
		errno = ENOENT;
		return -1;
	}
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Some versions of Linux map sealed memory only through a descriptor that was opened for
 * reading. */
int sealed_end(struct sealed *s)
{
	int opened;

	if (fcntl(s->fd, F_ADD_SEALS, SEALS) != 0 || (opened = open_sealed(getpid(), s->fd)) < 0)
		return give_up(s);
	close(s->fd);
	s->fd = opened;
	return 0;
}

static bool is_sealed(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & SEALS) == SEALS;
}

int sealed_open(struct sealed *s, int64_t pid, int fd, uint64_t inode)
{
	struct stat about;

	*s = (struct sealed){ open_sealed(pid, fd), inode };
	if (s->fd >= 0 && fstat(s->fd, &about) == 0 && about.st_ino == inode && is_sealed(s->fd))
		return 0;
	sealed_close(s);
	return -1;
}

void *sealed_map(const struct sealed *s, size_t *bytes)
{
	struct stat about;
	void *data;

	if (fstat(s->fd, &about) != 0)
		return NULL;
	*bytes = (size_t)about.st_size;
	data = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, s->fd, 0);
	return data == MAP_FAILED ? NULL : data;
}
