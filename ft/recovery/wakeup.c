#include "ft/recovery/wakeup.h"

#include "base/local_name.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static socklen_t name(const struct wakeup *b, int role, struct sockaddr_un *address)
{
	return local_name(address, "rollbench-bell-%016" PRIx64 "-%d", b->job, role);
}

static int unnamed(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void wakeup_open(struct wakeup *b, const char *dir, int role)
{
	struct sockaddr_un address;
	socklen_t length;

	b->job = XXH3_64bits(dir, strlen(dir));
	b->fd = unnamed();
	length = name(b, role, &address);
	if (b->fd >= 0 && bind(b->fd, (struct sockaddr *)&address, length) != 0)
		wakeup_close(b);
}

void wakeup_close(struct wakeup *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

bool wakeup_reaches(const struct wakeup *b, int role)
{
	struct sockaddr_un address;
	socklen_t length = name(b, role, &address);
	bool there;
	int fd;

	if (b->fd < 0 || (fd = unnamed()) < 0)
		return false;
	there = connect(fd, (struct sockaddr *)&address, length) == 0;
	close(fd);
	return there;
}

/* A full queue is as good as one more ring; a bell that is not there is none of ours. */
void wakeup_send(const struct wakeup *b, int role, int64_t epoch)
{
	struct sockaddr_un address;
	socklen_t length = name(b, role, &address);

	if (b->fd >= 0)
		sendto(b->fd, &epoch, sizeof epoch, MSG_DONTWAIT | MSG_NOSIGNAL,
		       (struct sockaddr *)&address, length);
}

bool wakeup_wait(const struct wakeup *b, long ns, int64_t epoch)
{
	const struct timespec most = { ns / 1000000000, ns % 1000000000 };
	struct pollfd bell = { b->fd, POLLIN, 0 }; /* poll() passes over a negative one */
	bool rung = false;
	int64_t ring;
	ssize_t got;

	if (ppoll(&bell, 1, &most, NULL) <= 0)
		return false;
	while ((got = recv(b->fd, &ring, sizeof ring, MSG_DONTWAIT)) >= 0)
		rung = rung || (got == (ssize_t)sizeof ring && ring == epoch);
	return rung;
}
