/* base/share.h - divide numbers among threads. */
#ifndef BASE_SHARE_H
#define BASE_SHARE_H

#include <pthread.h>
#include <stdint.h>

enum { SHARE_PIECE = 1 << 15 }; /* a piece where little is done for each number */

/* For the numbers first to end - 1. What pieces have in common is changed only with the lock. */
typedef void share_work(void *arg, int64_t first, int64_t end, pthread_mutex_t *lock);

/* Call work() for pieces of `piece` numbers each that together are 0 to count - 1, in any order: by
 * so many threads, of which the caller is one, or by fewer if no more can be had. Returns when all
 * is done. */
void share_out(int threads, int64_t count, int64_t piece, share_work *work, void *arg);

#endif
