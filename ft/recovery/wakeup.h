/* ft/recovery/wakeup.h - waking the roles of one host that sleep at the front (private to ft/).
 *
 * A role that sleeps has to test for messages now and then, and each test costs CPU time. The role
 * that it waits for can send it a wake-up; then it tests at once, so it needs few other tests.
 * Wake-ups are received on a datagram socket with a local name (base/local_name.h). The next
 * process of a dead role can use the name again. A wake-up does not reach another host, so roles
 * there test by themselves. It carries the epoch: one from before a repair ends the sleep but is
 * not counted. An extra or a lost wake-up is no error. */
#ifndef FT_RECOVERY_WAKEUP_H
#define FT_RECOVERY_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

struct wakeup {
	int fd;       /* -1: none */
	uint64_t job; /* tells the sockets of one job from those of another */
};

/* The socket of `role` in the job whose folder is dir. If it cannot be made (for example, the name
 * is taken), wakeup_wait() only sleeps, and wakeup_reaches() returns false. */
void wakeup_open(struct wakeup *b, const char *dir, int role);
void wakeup_close(struct wakeup *b);

/* Does that role have a socket on this host? Then its wake-ups arrive here. */
bool wakeup_reaches(const struct wakeup *b, int role);
/* Never waits. */
void wakeup_send(const struct wakeup *b, int role, int64_t epoch);
/* Sleep for ns nanoseconds, or until a wake-up comes. True if one of that epoch came. A signal ends
 * it early. */
bool wakeup_wait(const struct wakeup *b, long ns, int64_t epoch);

#endif
