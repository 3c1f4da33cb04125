/* ft/log/log.h - the sender-based payload log of one role, since the checkpoint that counts.
 *
 * While a newer checkpoint is on its way to its levels, the log spans two intervals: what was sent
 * since log_mark() lies apart and stays when log_trim() forgets the rest.
 *
 * Entries are in send order. The log also knows its holes: the hole of a channel is the newest
 * iteration with a message to that role that is not in the log. Because a replay always reaches up
 * to the present, one number per channel tells whether the log covers it: everything sent to d in
 * iterations k, k+1, ... is in it exactly if the hole is before k. (message-logging-kernels paper,
 * Sect. 5 and 6; channels as in the memory-constrained-logging paper.) */
#ifndef FT_LOG_LOG_H
#define FT_LOG_LOG_H

#include "ft/log/arena.h"
#include "ft/log/log_channels.h"
#include "ft/log/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG_DROPS = 64 };

/* Small, so that it adds little to the payload. */
struct log_entry {
	void *payload; /* NULL in a phantom */
	uint32_t bytes;
	int32_t age; /* iterations since the checkpoint that the log starts at */
	int32_t dst;
	int16_t tag;
	/* of the send (ft/log/place.h), set by the port; PLACE_NONE: it is beyond PLACE_MAX */
	uint16_t place;
};

/* A channel that was switched off, and what was forgotten with it. */
struct log_drop {
	int64_t iter, bytes;
	int32_t dst;
};

/* What the paper's Alg. 1 stores of a channel in a checkpoint. */
struct log_status {
	int32_t receiver;
	int32_t off;
	int64_t sent; /* bytes, while it was on */
};

struct log {
	int np;
	/* the status of channels outlives a checkpoint (log_status()); set before the first
	 * message */
	bool keeps;
	bool phantom;  /* entries have no payloads, see log_note() */
	int64_t since; /* the checkpoint that it starts at */
	int64_t mark;  /* the newer one that does not count yet, -1: none */
	size_t split;  /* entries before it; 0 if there is none */
	struct log_entry *entry;
	size_t count, capacity;
	struct arena arena, recent;             /* payloads up to and since the mark */
	struct log_channels channels;           /* by receiver */
	int64_t bytes, bytes_peak, bytes_total; /* payload held now, at most, committed so far */
	size_t dead; /* bytes of dropped payload that still lie in the arena */
	struct {     /* where the current iteration began */
		int64_t iter;
		size_t count;
		struct arena_mark arena;
	} begin;
	int64_t fresh; /* bytes of the current iteration */
	int64_t drops; /* so far; the first LOG_DROPS are kept */
	struct log_drop drop[LOG_DROPS];
};

int log_init(struct log *l, int np); /* RB_OK or RB_ENOMEM */
void log_free(struct log *l);

/* Make room in an unused log for so many messages, which take so many bytes of an arena. RB_OK,
 * RB_ENOMEM. */
int log_reserve(struct log *l, size_t messages, size_t bytes);

/* Empty the log at checkpoint iteration c (taken or loaded): nothing before c is covered, and
 * all channels are on again, unless the log keeps their status and c is not the initial state. */
void log_restart(struct log *l, int64_t c);
/* Checkpoint iteration c is taken, but does not count yet: a new interval begins, and all channels
 * are on again (likewise). */
void log_mark(struct log *l, int64_t c);
/* Checkpoint c counts now: forget all before it. Payloads move, so no request may refer to them any
 * more. RB_OK or RB_ENOMEM. Like log_restart() if there was no mark at c. */
int log_trim(struct log *l, int64_t c);
/* The checkpoint at which the newest interval begins. */
static inline int64_t log_interval(const struct log *l)
{
	return l->mark >= 0 ? l->mark : l->since;
}

void log_begin(struct log *l, int64_t iter); /* iteration iter starts here */
void log_commit(struct log *l);              /* its entries are now final */
void log_abort(struct log *l);               /* cut back to log_begin() */

static inline int64_t log_iter(const struct log *l, const struct log_entry *e)
{
	return l->since + e->age;
}

/* Index of the first entry that is not before that place; l->count: there is none. Number 0: of
 * that iteration, whether or not the entries have places. */
size_t log_first(const struct log *l, struct place place);

/* The entry of the send at that place, NULL: there is none. The entries have places. */
const struct log_entry *log_find(const struct log *l, struct place place);

/* Append a message of the current iteration; returns where to pack it, NULL if out of memory.
 * bytes: below 4 GiB. */
void *log_append(struct log *l, int dst, int tag, size_t bytes);
/* The same without the payload, for forecasts; a log has one kind of entries only. RB_OK or
 * RB_ENOMEM. */
int log_note(struct log *l, int dst, int tag, size_t bytes);
/* Note that a message of the current iteration to dst is not logged. RB_OK or RB_ENOMEM. */
int log_skip(struct log *l, int dst);

/* Of the channel to dst: its hole (before the log's start if there is none), its payload bytes in
 * the log, whether it is switched off. */
int64_t log_hole(const struct log *l, int dst);
int64_t log_held(const struct log *l, int dst);
bool log_is_off(const struct log *l, int dst);

/* Switch a channel off: forget its entries and log nothing more of it in this interval. The payload
 * stays where it is until log_compact(), since MPI may still send it. RB_OK or RB_ENOMEM. */
int log_switch_off(struct log *l, int dst);
/* The status of all channels between two iterations, for a log that keeps it. out: room for
 * log_statuses(). */
static inline size_t log_statuses(const struct log *l)
{
	return l->keeps ? (size_t)l->channels.count : 0;
}
void log_get_status(const struct log *l, struct log_status *out);
/* Of an empty log: the status of these channels is so, and all others are on and have sent nothing.
 * RB_OK, RB_ENOMEM, or RB_ECORRUPT: there is no such channel. */
int log_set_status(struct log *l, const struct log_status *list, size_t count);
/* Close the gaps between iterations. Payloads move, so no request may refer to them any more. */
void log_compact(struct log *l);

#endif
