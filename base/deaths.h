/* base/deaths.h - processes of one host learn of each other's deaths as soon as the kernel begins
 * to end them.
 *
 * They are members of a table: a file that all of them map. Each has a thread that owns a robust
 * futex there. When the thread ends, whatever the reason, the kernel marks the futex. It does this
 * before it releases the memory of the process and closes its files, which takes milliseconds, and
 * so before a parent or the other end of a connection can notice
 * (Documentation/locking/robust-futex-ABI.rst of Linux). By then the SIGKILL is pending for all
 * threads of the process. They run no code of the program any more, but for the time that an
 * interrupt needs to reach another core, and a system call that cannot be interrupted may still be
 * under way.
 *
 * The threads form a ring. Each sleeps until the next member dies, and then wakes all others. So
 * members cost nothing as long as nobody joins, leaves or dies. A death is seen late, at the next
 * such change, if the member before it in the ring dies at the same moment and a third one was just
 * joining between the two. So who must know of each death needs another source as well. */
#ifndef BASE_DEATHS_H
#define BASE_DEATHS_H

#include "base/error.h"

#include <stddef.h>

/* What a member says of itself: any bytes, at most so many. */
enum { DEATHS_CARD = 320 };

struct deaths;

/* Become a member of the table in the file `path`, which is made if it is not there and takes
 * `most` members, also former ones. All members give the same numbers. `tell` is called on the
 * thread with the card of each other member that dies from now on, once; the card stays valid until
 * deaths_leave(). A member must not call exec, which ends its thread. NULL: err has the reason, for
 * instance that the kernel has no futex_waitv (Linux 5.16). */
struct deaths *deaths_join(const char *path, int most, const void *card, size_t bytes,
			   void (*tell)(void *ctx, const void *card), void *ctx,
			   struct rb_error *err);
/* No longer a member: the end of this process is no death. Waits for a call of `tell` that is under
 * way. NULL is fine. */
void deaths_leave(struct deaths *d);

#endif
