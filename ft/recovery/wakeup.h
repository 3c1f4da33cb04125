/* ft/recovery/wakeup.h - waking the roles of one host that sleep at the front (private to ft/).
 *
 * Who sleeps has to look for messages now and then, and each look costs CPU time. Whoever is waited for can
 * spare it most of them: it rings, and the sleeper looks at once. A bell is a datagram socket with a local name
 * (base/local_name.h): a dead role's next process can have it again, and between hosts nobody hears it, so
 * that sleepers there look by themselves. A ring carries the epoch, so that one from before a repair wakes but
 * says nothing; one too many or too few is no error. */
#ifndef FT_RECOVERY_WAKEUP_H
#define FT_RECOVERY_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

struct wakeup {
	int fd;       /* -1: none */
	uint64_t job; /* tells the bells of one job from another's */
};

/* The bell of `role` in the job whose folder is dir. Without one (no socket, the name is taken) everything
 * below does what it can: wakeup_wait() just sleeps, and wakeup_reaches() says no. */
void wakeup_open(struct wakeup *b, const char *dir, int role);
void wakeup_close(struct wakeup *b);

/* That role has a bell here, so what it rings comes here, too. */
bool wakeup_reaches(const struct wakeup *b, int role);
/* Never waits. */
void wakeup_send(const struct wakeup *b, int role, int64_t epoch);
/* Sleep for ns nanoseconds, or until the bell rings. True if it rang in that epoch. A signal ends it early. */
bool wakeup_wait(const struct wakeup *b, long ns, int64_t epoch);

#endif
