/* ft/log/log_channels.h - what a log knows of each receiver in use (only ft/log/log.c changes it).
 *
 * A role has few neighbours, however many roles there are: memory and time grow with the number of
 * receivers that it has ever sent to. */
#ifndef FT_LOG_LOG_CHANNELS_H
#define FT_LOG_LOG_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

struct log_channel {
	int32_t receiver;
	/* switched off: until the next interval, or for good if the log keeps the status of
	 * channels */
	bool off;
	int64_t hole;      /* newest iteration with a message that is not in the log */
	int64_t hole_prev; /* the value before the hole was last raised, for log_abort() */
	int64_t held;      /* payload bytes in the log */
	/* payload bytes that were ever logged; counted if the log keeps the status of channels */
	int64_t sent;
};

/* All zero: empty. */
struct log_channels {
	struct log_channel *list; /* in the order of their first message */
	int32_t count, room;
	int32_t *slot; /* hash table of indices into the list, -1: free; NULL: it is short */
	int32_t slots; /* a power of two, at least twice the room */
};

void log_channels_free(struct log_channels *c);
/* NULL: nothing was ever sent there. Valid until the next log_channels_add(). */
struct log_channel *log_channels_find(const struct log_channels *c, int receiver);
/* Find it or add one with this hole. NULL: out of memory. */
struct log_channel *log_channels_add(struct log_channels *c, int receiver, int64_t hole);

#endif
