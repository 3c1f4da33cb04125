/* base/event.h - what happens in a run, told where it happens: one line of JSON in the run folder.
 *
 * The lines of a host are in a file of its own, events.HOST.jsonl, because what several clients of
 * a network file system append to one file gets lost. Each line is one write() behind the end of
 * the file, so that processes of a host do not mix theirs. A process may be killed next: what it
 * has written stays. All functions but event_path() are async-signal-safe.
 * harness/events/events.h reads the lines; docs/record.md says which there are. */
#ifndef BASE_EVENT_H
#define BASE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_LINE = 8192, EVENT_PATH = 4096 };

struct event {
	bool fits;
	size_t size;
	char line[EVENT_LINE];
};

/* The file of this host in a run folder. */
void event_path(const char *dir, char out[EVENT_PATH]);

/* {"event": name, "at": now, in seconds since the epoch. Names, keys and words are ASCII without
 * quotes and backslashes. */
void event_begin(struct event *e, const char *name);
/* The same at a time that was taken before (clock_now()). */
void event_begin_at(struct event *e, const char *name, double at);
void event_integer(struct event *e, const char *key, int64_t value);
void event_integers(struct event *e, const char *key, const int32_t *value, int count);
/* With nine decimals; not negative. */
void event_seconds(struct event *e, const char *key, double value);
void event_word(struct event *e, const char *key, const char *word);
/* Close the line and append it. false: it does not fit or was not written as a whole; whoever reads
 * leaves out such a line. */
bool event_write(struct event *e, const char *path);

/* Append a line that was made otherwise, with its end. true: as a whole; false: errno says why. */
bool event_append(const char *path, const char *line, size_t size);

#endif
