#include "base/deaths.h"

#include "base/mapped.h"
#include "base/status.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The atomics are sequentially consistent: of two members that join at the same time, at least one
 * sees the other. */
struct member {
	/* the id of its thread; FUTEX_OWNER_DIED once that has ended; 0: not a member yet, or any
	 * more */
	_Atomic uint32_t owner;
	_Atomic uint32_t followers; /* how often this thread was woken since another is next */
	_Atomic uint32_t announced; /* 1: its death; somebody has woken all */
	char card[DEATHS_CARD];
};

struct table {
	_Atomic uint32_t members; /* who has asked for a place; may be more than there are */
	_Atomic uint32_t deaths;  /* announced so far */
	struct member member[];
};

struct deaths {
	struct table *table;
	size_t size;
	int most, self;
	struct member *mine;
	bool *known; /* most: deaths that are no news for this process */
	void (*tell)(void *ctx, const void *card);
	void *ctx;
	pthread_t thread;
	sem_t entered;
	int problem; /* of the thread: an errno */
	atomic_bool leaving;
	/* what the kernel looks at when the thread ends */
	struct robust_list_head held;
	struct robust_list lock;
};

static int members_of(const struct deaths *d)
{
	const uint32_t asked = atomic_load(&d->table->members);

	return asked < (uint32_t)d->most ? (int)asked : d->most;
}

static bool lives(uint32_t owner)
{
	return owner && !(owner & FUTEX_OWNER_DIED);
}

static void wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void change(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	wake(word);
}

/* The nearest living member behind this one (step 1) or before it (step -1) in the ring; NULL: it
 * is alone. *owner: what its lock was. */
static struct member *neighbour(const struct deaths *d, int step, uint32_t *owner)
{
	const int count = members_of(d);

	for (int k = 1; k < count; k++) {
		struct member *m = &d->table->member[(d->self + step * k + count) % count];

		*owner = atomic_load(&m->owner);
		if (lives(*owner))
			return m;
	}
	return NULL;
}

/* The kernel marks the lock of a thread only if it finds it in the list of the thread. */
static bool hold(struct deaths *d)
{
	d->held = (struct robust_list_head){
		.list = { &d->lock },
		.futex_offset = (char *)&d->mine->owner - (char *)&d->lock,
	};
	d->lock.next = &d->held.list;
	return syscall(SYS_set_robust_list, &d->held, sizeof d->held) == 0;
}

static void enter(struct deaths *d)
{
	struct member *before;
	uint32_t owner;

	if (!hold(d)) {
		d->problem = errno;
		return;
	}
	/* FUTEX_WAITERS: there may always be somebody to wake */
	atomic_store(&d->mine->owner, (uint32_t)syscall(SYS_gettid) | FUTEX_WAITERS);
	before = neighbour(d, -1, &owner);
	if (before)
		change(&before->followers);
}

static void leave(struct deaths *d)
{
	atomic_store(&d->mine->owner, 0);
	wake(&d->mine->owner);
	d->held.list.next = &d->held.list;
}

static bool has_died(const struct deaths *d, int i)
{
	return atomic_load(&d->table->member[i].owner) & FUTEX_OWNER_DIED;
}

/* Of each death, the first member to see it wakes the others before it tells its process. */
static void look(struct deaths *d)
{
	const int count = members_of(d);

	for (int i = 0; i < count; i++) {
		struct member *m = &d->table->member[i];

		if (d->known[i] || !has_died(d, i))
			continue;
		d->known[i] = true;
		if (atomic_exchange(&m->announced, 1) == 0)
			change(&d->table->deaths);
		d->tell(d->ctx, m->card);
	}
}

#if defined SYS_futex_waitv && defined FUTEX_32

/* Sleep until one of the words is not what it was. 0, or an errno. */
static int sleep_while(int count, _Atomic uint32_t *const *word, const uint32_t *value)
{
	struct futex_waitv wait[3] = { { 0 } };

	for (int i = 0; i < count; i++)
		wait[i] = (struct futex_waitv){ .val = value[i],
						.uaddr = (uintptr_t)word[i],
						.flags = FUTEX_32 };
	if (syscall(SYS_futex_waitv, wait, count, 0, NULL, 0) >= 0 || errno == EAGAIN ||
	    errno == EINTR)
		return 0;
	return errno;
}

#else

static int sleep_while(int count, _Atomic uint32_t *const *word, const uint32_t *value)
{
	(void)count, (void)word, (void)value;
	return ENOSYS;
}

#endif

/* Sleep until there is something to look at, or for a millisecond if the kernel has no memory to
 * do so. */
static void sleep_long(struct deaths *d, struct member *next, const uint32_t value[3])
{
	static const struct timespec pause = { 0, 1000000 };
	_Atomic uint32_t *const word[] = { &d->table->deaths, &d->mine->followers,
					   next ? &next->owner : NULL };

	if (sleep_while(next ? 3 : 2, word, value) != 0)
		nanosleep(&pause, NULL);
}

static void *watch(void *ctx)
{
	struct deaths *d = ctx;
	bool leaving = false;

	enter(d);
	sem_post(&d->entered);
	if (d->problem != 0)
		return NULL;
	while (!leaving) {
		/* Read before it looks: what changes in between ends the sleep. */
		const uint32_t deaths = atomic_load(&d->table->deaths),
			       followers = atomic_load(&d->mine->followers);
		uint32_t owner = 0;
		struct member *next = neighbour(d, 1, &owner);

		leaving = atomic_load(&d->leaving);
		look(d); /* also the last time: the kernel may have woken this thread alone */
		if (!leaving)
			sleep_long(d, next, (const uint32_t[]){ deaths, followers, owner });
	}
	leave(d);
	return NULL;
}

/* A word that is already another one ends the sleep at once. */
static int try_to_sleep(void)
{
	_Atomic uint32_t one = 1;

	return sleep_while(1, (_Atomic uint32_t *[]){ &one }, &(uint32_t){ 0 });
}

/* Without signals, which are for the process's own threads. */
static int start_thread(struct deaths *d)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	rc = pthread_create(&d->thread, NULL, watch, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc != 0)
		return rc;
	while (sem_wait(&d->entered) != 0)
		;
	if (d->problem == 0)
		return 0;
	pthread_join(d->thread, NULL);
	return d->problem;
}

static int take_place(struct deaths *d, const void *card, size_t bytes)
{
	const uint32_t place = atomic_fetch_add(&d->table->members, 1);

	if (place >= (uint32_t)d->most)
		return ENOSPC;
	d->self = (int)place;
	d->mine = &d->table->member[place];
	memcpy(d->mine->card, card, bytes);
	for (int i = 0; i < d->self; i++)
		d->known[i] = has_died(d, i);
	return 0;
}

static void free_deaths(struct deaths *d)
{
	if (!d)
		return;
	mapped_end(d->table, d->size);
	sem_destroy(&d->entered);
	free(d->known);
	free(d);
}

static struct deaths *new_deaths(int most, void (*tell)(void *ctx, const void *card), void *ctx)
{
	struct deaths *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	*d = (struct deaths){ .most = most, .tell = tell, .ctx = ctx };
	d->size = sizeof *d->table + (size_t)most * sizeof *d->table->member;
	sem_init(&d->entered, 0, 0);
	d->known = calloc((size_t)most, sizeof *d->known);
	if (d->known)
		return d;
	free_deaths(d);
	return NULL;
}

/* 0, or an errno. */
static int begin(struct deaths *d, const char *path, const void *card, size_t bytes)
{
	int problem;

	d->table = mapped_open(path, d->size);
	problem = d->table ? take_place(d, card, bytes) : errno;
	return problem ? problem : start_thread(d);
}

struct deaths *deaths_join(const char *path, int most, const void *card, size_t bytes,
			   void (*tell)(void *ctx, const void *card), void *ctx,
			   struct rb_error *err)
{
	struct deaths *d;
	int problem = try_to_sleep();

	if (problem != 0) {
		rb_fail(err, RB_EINVAL,
			"futex_waitv, which needs Linux 5.16 here and where this was built: %s",
			strerror(problem));
		return NULL;
	}
	d = new_deaths(most, tell, ctx);
	problem = d ? begin(d, path, card, bytes) : ENOMEM;
	if (problem == 0)
		return d;
	rb_fail(err, RB_EIO, "%s: %s", path, strerror(problem));
	free_deaths(d);
	return NULL;
}

void deaths_leave(struct deaths *d)
{
	if (!d)
		return;
	atomic_store(&d->leaving, true);
	change(&d->mine->followers);
	pthread_join(d->thread, NULL);
	free_deaths(d);
}
