#include "base/share.h"

#include <stdatomic.h>

enum { THREADS_MAX = 256 };

struct sharing {
	int64_t count, piece;
	share_work *work;
	void *arg;
	atomic_int_fast64_t next; /* the first number of the next piece */
	pthread_mutex_t lock;
};

static void *take_part(void *arg)
{
	struct sharing *s = arg;

	for (;;) {
		const int64_t first = atomic_fetch_add(&s->next, s->piece);

		if (first >= s->count)
			return NULL;
		s->work(s->arg, first, s->count - first < s->piece ? s->count : first + s->piece,
			&s->lock);
	}
}

void share_out(int threads, int64_t count, int64_t piece, share_work *work, void *arg)
{
	struct sharing s = { .count = count, .piece = piece, .work = work, .arg = arg };
	const int64_t pieces = (count + piece - 1) / piece;
	pthread_t other[THREADS_MAX];
	int started = 0;

	threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	threads = threads < pieces ? threads : (int)pieces;
	atomic_init(&s.next, 0);
	pthread_mutex_init(&s.lock, NULL);
	while (started + 1 < threads && pthread_create(&other[started], NULL, take_part, &s) == 0)
		started++;
	take_part(&s);
	while (started > 0)
		pthread_join(other[--started], NULL);
	pthread_mutex_destroy(&s.lock);
}
