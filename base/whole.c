#include "base/whole.h"

#include <errno.h>
#include <unistd.h>

enum { CALL_MAX = 1 << 30 }; /* bytes of one call; the system refuses or cuts larger ones */

bool write_whole(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes > 0) {
		const ssize_t n = write(fd, at, bytes < CALL_MAX ? bytes : CALL_MAX);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO; /* the call says no reason, and a loop would not end */
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

bool read_whole(int fd, void *data, size_t bytes)
{
	char *at = data;

	while (bytes > 0) {
		const ssize_t n = read(fd, at, bytes < CALL_MAX ? bytes : CALL_MAX);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = 0;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}
