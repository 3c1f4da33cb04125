/* base/streams.h - standard input, output and error of a command. */
#ifndef BASE_STREAMS_H
#define BASE_STREAMS_H

#include <stdbool.h>

/* The exit status of a command that did its work, but whose standard output could not be written.
 */
enum { STREAMS_LOST = 7 };

/* At the start: what is closed is opened, so that no file gets its number and is written to as if
 * it were a standard stream. Writing to it fails, as it does on a closed descriptor. */
void streams_open(void);

/* Is it a terminal on which a line can be written over? Not where TERM is dumb or not set. */
bool streams_terminal(int fd);

/* At the end: write out what is buffered. Returns the exit status: `status`; or STREAMS_LOST, with
 * a message, if that is 0 and output of this process was lost. */
int streams_end(int status);

#endif
