/* Writing a file of a line beside the computation: one POSIX thread, which makes no call of MPI and
 * takes no signals.
 *
 * Order of calls: elc_beside_room(), elc_beside_start(), elc_beside_done() until it says so,
 * elc_beside_end(). One file at a time. */
#ifndef ELC_FILES_BESIDE_H
#define ELC_FILES_BESIDE_H

#include "elc/files/file.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

struct elc_beside {
	bool held;    /* for tests: nothing is written before elc_beside_end() */
	bool running; /* between elc_beside_start() and elc_beside_end() */
	/* The rest is of elc/files/beside.c. */
	pthread_t thread;
	sem_t ended; /* if it is held: elc_beside_end() was called */
	atomic_bool done;
	const char *dir;
	struct elc_owner who;
	enum elc_kind kind;
	struct elc_piece body;
	char *room;   /* kept from file to file */
	size_t bytes; /* of room */
	uint32_t crc;
	int rc;
	double seconds;
	char why[ELC_TEXT];
};

/* What the writing of a file has come to. */
struct elc_beside_result {
	int rc; /* of elc_file_write() */
	uint32_t crc;
	double seconds;
	char why[ELC_TEXT];
};

/* Memory for this many bytes; it stays until more is needed, or elc_beside_free(). NULL: there is
 * none. No file is being written. */
void *elc_beside_room(struct elc_beside *b, size_t bytes);
/* Write the body to a file (elc_file_write()). dir and the body stay as they are until
 * elc_beside_end(). 0, or -1 with errno: there is no thread. */
int elc_beside_start(struct elc_beside *b, const char *dir, const struct elc_owner *who,
		     enum elc_kind kind, struct elc_piece body);
/* Is the file in stable storage, or has it failed? */
bool elc_beside_done(const struct elc_beside *b);
/* Wait for that, if it is not. */
void elc_beside_end(struct elc_beside *b, struct elc_beside_result *result);
void elc_beside_free(struct elc_beside *b);

#endif
