/* ft/log.h - the sender-based payload log of one role, for one checkpoint interval.
 *
 * Entries are in send order. The log also knows its holes: hole[d] is the newest iteration
 * with a message to role d that is not in the log. Because a replay always reaches up to the
 * present, one number per channel tells whether the log covers it: everything sent to d in
 * iterations k, k+1, ... is there exactly if hole[d] < k. (message-logging-kernels paper,
 * Sect. 5 and 6; channels as in the memory-constrained-logging paper.) */
#ifndef FT_LOG_H
#define FT_LOG_H

#include "ft/arena.h"

#include <stddef.h>
#include <stdint.h>

struct log_entry {
	int64_t iter;
	int32_t dst, tag;
	size_t bytes;
	void *payload;
};

struct log {
	int np;
	struct log_entry *entry;
	size_t count, capacity;
	struct arena arena;
	int64_t *hole;      /* np numbers */
	int64_t *hole_prev; /* the value before hole[d] was last raised, for log_abort() */
	int64_t bytes, bytes_peak, bytes_total; /* payload held, at most, ever committed */
	struct {            /* where the current iteration began */
		int64_t iter;
		size_t count;
		struct arena_mark arena;
		int64_t bytes;
	} begin;
};

int log_init(struct log *l, int np); /* RB_OK or RB_ENOMEM */
void log_free(struct log *l);

/* Empty the log at checkpoint iteration c (taken or loaded): nothing before c is covered. */
void log_restart(struct log *l, int64_t c);

void log_begin(struct log *l, int64_t iter);  /* iteration iter starts here */
void log_commit(struct log *l);               /* its entries are now final */
void log_abort(struct log *l);                /* cut back to log_begin() */

/* Append a message of the current iteration; returns where to pack it, NULL if out of memory. */
void *log_append(struct log *l, int dst, int tag, size_t bytes);
/* Note that a message of the current iteration to dst is not logged. */
void log_skip(struct log *l, int dst);

#endif
