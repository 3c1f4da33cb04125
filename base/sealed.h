/* base/sealed.h - memory that nobody can change any more, and that exists as long as any process
 * has it open: it outlives the process that made it, and nothing is left behind the last one.
 *
 * It is a sealed memfd (Linux 5.1 or later). A process of the same user and host opens it by the
 * pid and the descriptor of one that has it open, under /proc. */
#ifndef BASE_SEALED_H
#define BASE_SEALED_H

#include <stddef.h>
#include <stdint.h>

struct sealed {
	int fd;         /* -1: none; to be closed by sealed_close() */
	uint64_t inode; /* tells it from any other that exists */
};

/* Make such memory of `bytes` > 0 bytes, all zero. This and the next two return 0; or -1, errno
 * says why, and s->fd is -1. */
int sealed_begin(struct sealed *s, size_t bytes);
/* Before it is sealed. It is written through the descriptor, which takes half the time of writing
 * to a mapping. */
int sealed_write(struct sealed *s, size_t at, const void *data, size_t bytes);
int sealed_end(struct sealed *s);
/* Open what that process has open at fd. 0; or -1, and s->fd is -1: it is gone, or is not this
 * sealed memory. */
int sealed_open(struct sealed *s, int64_t pid, int fd, uint64_t inode);
/* Map all of it for reading, to be ended by munmap(). NULL: errno says why. Pages come in when they
 * are read: Linux maps 16 at once then, which takes less time than to ask for all of them. */
void *sealed_map(const struct sealed *s, size_t *bytes);
void sealed_close(struct sealed *s); /* what is mapped stays */

#endif
