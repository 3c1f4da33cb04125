/* harness/events/events.h - the events of a run folder (base/event.h): written as JSON, and all of
 * them read, of all hosts. docs/record.md has the table of them. */
#ifndef HARNESS_EVENTS_EVENTS_H
#define HARNESS_EVENTS_EVENTS_H

#include <jansson.h>
#include <stdbool.h>

/* Append an event of now with these members, which it steals. false: it could not be written, or
 * `members` is NULL. */
bool events_add(const char *dir, const char *name, json_t *members);
/* The same of an event that a record cannot do without: if the disk is full, standard error says
 * so, and the event is added to the list *unwritten, which is the caller's (NULL at first). */
void events_tell(const char *dir, const char *name, json_t *members, json_t **unwritten);
/* New reference: all events in the order of their time, those of one time as they were written. A
 * line that its writer did not finish is left out. The list is empty if there is none. */
json_t *events_read(const char *dir);
/* The same with those that could not be written; NULL: there are none. */
json_t *events_read_with(const char *dir, const json_t *unwritten);

/* Is an event of that name? */
bool event_is(const json_t *event, const char *name);
/* Borrowed: the newest event of a name; NULL: there is none. */
json_t *events_last(const json_t *events, const char *name);
/* Borrowed: the event "ended" of the last launch of the run, whatever its time: the clocks of two
 * hosts from which a run was launched may differ. NULL: there is none. */
const json_t *events_end(const json_t *events);
/* New reference: what an event says, without its name and time. */
json_t *event_members(const json_t *event);
/* How many there are of a name. */
int events_count(const json_t *events, const char *name);

#endif
