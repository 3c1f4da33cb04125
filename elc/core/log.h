/* Envelope logs (event-logging-checkpoint paper, Sect. 3.3.1 and 4.2).
 *
 * A process has one log of sends and one of receives per peer. An event is logged by its envelope:
 * the peer is that of the log; communicator and tag are put into one 64-bit number, the key.
 * Different envelopes have different keys, so the key is the perfect hash that Sect. 4.2 asks for.
 * No payload is logged.
 *
 * There are two forms. A list has one entry per event, in the order of the events (Sect. 3.3). The
 * counted form has one entry per key with the number of its events (Sect. 4.2); while the log is
 * open, it is a hash table. Messages of equal envelope are received in the order in which they were
 * sent (MPI standard, non-overtaking), so both forms say the same. */
#ifndef ELC_CORE_LOG_H
#define ELC_CORE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t elc_key;

static inline elc_key elc_key_of(uint32_t comm, int tag)
{
	return (uint64_t)comm << 32 | (uint32_t)tag;
}

static inline uint32_t elc_key_comm(elc_key key)
{
	return (uint32_t)(key >> 32);
}

static inline int elc_key_tag(elc_key key)
{
	return (int)(uint32_t)key;
}

/* Logs as numbers (number.h): the key of all messages on the communicator of this one; no envelope
 * has it. */
static inline elc_key elc_number_key(elc_key key)
{
	return key | UINT32_MAX;
}

static inline bool elc_is_number(elc_key key)
{
	return (uint32_t)key == UINT32_MAX;
}

enum elc_form { ELC_LIST, ELC_COUNTED };

/* As ELC_LOG and records call it. */
static inline const char *elc_form_name(enum elc_form form)
{
	return form == ELC_LIST ? "list" : "counted";
}

struct elc_entry {
	elc_key key;
	int64_t num; /* how many events; in a list always 1 */
};

/* A closed log, and what identification makes of it. In counted form it is sorted by key, and no
 * key appears twice. */
struct elc_set {
	enum elc_form form;
	struct elc_entry *entry;
	size_t n, room;
};

/* An open log. In counted form, entry[] is a hash table with a power of two of slots; num 0 marks
 * an empty one. */
struct elc_log {
	enum elc_form form;
	struct elc_entry *entry;
	size_t n, room;
};

void elc_log_init(struct elc_log *log, enum elc_form form);
void elc_log_free(struct elc_log *log);
/* Log one event. Returns 0, or -1 without memory. */
int elc_log_add(struct elc_log *log, elc_key key);
/* In counted form: the entry of a key, or NULL. */
struct elc_entry *elc_log_find(const struct elc_log *log, elc_key key);
/* In counted form: the entry of a key; a new one has num 0, which the caller must change. NULL
 * without memory. */
struct elc_entry *elc_log_enter(struct elc_log *log, elc_key key);
/* Forget all events. */
void elc_log_clear(struct elc_log *log);
/* Close the log of an interval: its events move to *set, which must be empty, and the log is open
 * and empty again. Returns 0, or -1 without memory (then nothing has moved). */
int elc_log_close(struct elc_log *log, struct elc_set *set);

/* A counted log as a table of how many events of each envelope are left: each num is larger by 1,
 * so that an entry stays where none is left. Add some: 0, or -1 without memory. Take one: false, if
 * none is left. */
int elc_left_add(struct elc_log *left, elc_key key, int64_t num);
bool elc_left_take(const struct elc_log *left, elc_key key);

void elc_set_init(struct elc_set *set, enum elc_form form);
void elc_set_free(struct elc_set *set);
/* Append one entry to a list, or add it to its key in counted form. Returns 0, or -1 without
 * memory. */
int elc_set_add(struct elc_set *set, elc_key key, int64_t num);
/* Events of a key, and of all keys. */
int64_t elc_set_count(const struct elc_set *set, elc_key key);
int64_t elc_set_total(const struct elc_set *set);

#endif
