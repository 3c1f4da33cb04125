#include "ft/recovery/wakeup.h"

#include "base/local_name.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static socklen_t name(const struct wakeup *w, int role, struct sockaddr_un *address)
{
	return local_name(address, "rollbench-wakeup-%016" PRIx64 "-%d", w->job, role);
}

static int unnamed(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void wakeup_open(struct wakeup *w, const char *dir, int role)
{
	struct sockaddr_un address;
	socklen_t length;

	w->job = XXH3_64bits(dir, strlen(dir));
	w->fd = unnamed();
	length = name(w, role, &address);
	if (w->fd >= 0 && bind(w->fd, (struct sockaddr *)&address, length) != 0)
		wakeup_close(w);
}

void wakeup_close(struct wakeup *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

bool wakeup_reaches(const struct wakeup *w, int role)
{
	struct sockaddr_un address;
	socklen_t length = name(w, role, &address);
	bool there;
	int fd;

	if (w->fd < 0 || (fd = unnamed()) < 0)
		return false;
	there = connect(fd, (struct sockaddr *)&address, length) == 0;
	close(fd);
	return there;
}

/* If the queue is full, the role will test soon anyway. A role without a socket here is on another
 * host. */
void wakeup_send(const struct wakeup *w, int role, int64_t epoch)
{
	struct sockaddr_un address;
	socklen_t length = name(w, role, &address);

	if (w->fd >= 0)
		sendto(w->fd, &epoch, sizeof epoch, MSG_DONTWAIT | MSG_NOSIGNAL,
		       (struct sockaddr *)&address, length);
}

bool wakeup_wait(const struct wakeup *w, long ns, int64_t epoch)
{
	const struct timespec most = { ns / 1000000000, ns % 1000000000 };
	struct pollfd socket_ready = { w->fd, POLLIN, 0 }; /* poll() ignores a negative one */
	bool woken = false;
	int64_t sent;
	ssize_t got;

	if (ppoll(&socket_ready, 1, &most, NULL) <= 0)
		return false;
	while ((got = recv(w->fd, &sent, sizeof sent, MSG_DONTWAIT)) >= 0)
		woken = woken || (got == (ssize_t)sizeof sent && sent == epoch);
	return woken;
}
