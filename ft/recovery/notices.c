#include "ft/recovery/notices.h"

#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

static bool is_connected(int fd)
{
	struct sockaddr_storage peer;
	socklen_t length = sizeof peer;

	return getpeername(fd, (struct sockaddr *)&peer, &length) == 0;
}

/* False: it is no TCP socket. */
static bool acknowledge(int fd)
{
	const int at_once = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &at_once, sizeof at_once) == 0;
}

void notices_find(struct notices *n)
{
	DIR *open_files = opendir("/proc/self/fd");
	struct dirent *entry;

	n->count = 0;
	if (!open_files)
		return;
	while (n->count < NOTICES_MAX && (entry = readdir(open_files))) {
		int fd = atoi(entry->d_name); /* 0 of "." and ".." */

		if (is_connected(fd) && acknowledge(fd))
			n->fd[n->count++] = fd;
	}
	closedir(open_files);
}

void notices_acknowledge(const struct notices *n)
{
	for (int i = 0; i < n->count; i++)
		acknowledge(n->fd[i]);
}
