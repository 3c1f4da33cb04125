/* Writing a file of a line beside the computation. */
#include "elc/files/beside.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

void *elc_beside_room(struct elc_beside *b, size_t bytes)
{
	if (bytes <= b->bytes)
		return b->room;
	free(b->room); /* what is in it need not be copied */
	b->room = malloc(bytes);
	b->bytes = b->room ? bytes : 0;
	return b->room;
}

/* Uses only what stays the same until elc_beside_end(). */
static void *write_file(void *context)
{
	struct elc_beside *b = context;
	double begin;

	if (b->held)
		sem_wait(&b->ended); /* signals are blocked, so it is not interrupted */
	begin = clock_monotonic();
	b->rc = elc_file_write(b->dir, &b->who, b->kind, &b->body, 1, &b->crc, b->why);
	b->seconds = clock_monotonic() - begin;
	atomic_store(&b->done, true);
	return NULL;
}

int elc_beside_start(struct elc_beside *b, const char *dir, const struct elc_owner *who,
		     enum elc_kind kind, struct elc_piece body)
{
	sigset_t all, before;

	b->dir = dir;
	b->who = *who;
	b->kind = kind;
	b->body = body;
	atomic_init(&b->done, false);
	sem_init(&b->ended, 0, 0);
	sigfillset(&all);
	/* signals are the program's, and the thread inherits the mask */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(&b->thread, NULL, write_file, b);
	b->running = errno == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return b->running ? 0 : -1;
}

bool elc_beside_done(const struct elc_beside *b)
{
	return atomic_load(&b->done);
}

void elc_beside_end(struct elc_beside *b, struct elc_beside_result *result)
{
	sem_post(&b->ended);
	pthread_join(b->thread, NULL);
	sem_destroy(&b->ended);
	b->running = false;
	result->rc = b->rc;
	result->crc = b->crc;
	result->seconds = b->seconds;
	memcpy(result->why, b->why, sizeof result->why);
}

void elc_beside_free(struct elc_beside *b)
{
	free(b->room);
	b->room = NULL;
	b->bytes = 0;
}
