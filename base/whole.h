/* base/whole.h - all bytes through a file, pipe or socket, however many calls that takes. A signal
 * that interrupts a call ends nothing: the rest follows. */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* false: errno says why, and some of the bytes may have been written. */
bool write_whole(int fd, const void *data, size_t bytes);
/* false: errno says why, and it is 0 if the data end before. What was read until then is in
 * `data`. */
bool read_whole(int fd, void *data, size_t bytes);

#endif
