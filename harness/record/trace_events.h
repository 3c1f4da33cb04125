/* harness/record/trace_events.h - the timeline of a record in the trace event format, which
 * Perfetto and chrome://tracing show ("Trace Event Format", Google, 2016). */
#ifndef HARNESS_RECORD_TRACE_EVENTS_H
#define HARNESS_RECORD_TRACE_EVENTS_H

#include <jansson.h>

/* New reference: a track per process, with its phases and, in these, its activities. Microseconds
 * count from the first begin of a process. NULL: the record has no timeline. */
json_t *trace_events(const json_t *record);

#endif
