/* base/mapped.h - files that are mapped shared: what a process has written there outlives it, and
 * other processes of the host see it at once.
 *
 * Who maps one for writing ends it with munmap(), or with the process. */
#ifndef BASE_MAPPED_H
#define BASE_MAPPED_H

#include <stddef.h>

/* Map the first `size` bytes of a file, which is made if it is not there; new bytes are zero. NULL:
 * errno says why. A full disk is such an error, and not a SIGBUS at the first store. */
void *mapped_open(const char *path, size_t size);
/* The same for reading. NULL: there is none, or it is shorter. */
const void *mapped_view(const char *path, size_t size);
void mapped_end(const void *view, size_t size); /* NULL is fine */

#endif
