#include "base/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *map(int fd, size_t size, int protection)
{
	void *found = mmap(NULL, size, protection, MAP_SHARED, fd, 0);

	return found == MAP_FAILED ? NULL : found;
}

/* One process at a time, and only if it is needed: where the file system cannot allocate, the C
 * library writes zeros into the file, which must not overwrite what another process has stored. 0,
 * or an errno. */
static int allocate(int fd, size_t size)
{
	struct stat about;
	int why = 0;

	(void)flock(fd, LOCK_EX); /* without locks it is as good as the file system */
	if (fstat(fd, &about) != 0 || about.st_size < (off_t)size)
		why = posix_fallocate(fd, 0, (off_t)size);
	(void)flock(fd, LOCK_UN); /* a mapping would keep it */
	return why;
}

void *mapped_open(const char *path, size_t size)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	void *found = NULL;
	int why;

	if (fd < 0)
		return NULL;
	why = allocate(fd, size);
	if (why == 0) {
		found = map(fd, size, PROT_READ | PROT_WRITE);
		why = errno;
	}
	close(fd);
	errno = why;
	return found;
}

const void *mapped_view(const char *path, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const void *found = NULL;
	struct stat about;

	if (fd < 0)
		return NULL;
	/* a page behind the end of the file cannot be read */
	if (fstat(fd, &about) == 0 && about.st_size >= (off_t)size)
		found = map(fd, size, PROT_READ);
	close(fd);
	return found;
}

void mapped_end(const void *view, size_t size)
{
	if (view)
		munmap((void *)(uintptr_t)view, size);
}
